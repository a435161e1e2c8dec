// The lint: what the real host would accept in silence, and what went wrong outside of any call.
import { html } from "./page.js";
import { Empty, Words } from "./controls.js";
import { words } from "./texts.js";

export function Findings({ lints, failures, earlier }) {
  const plugins = [...new Set(lints.map((lint) => lint.plugin))];
  return html`<section aria-label="Lint">
    <h2 class="sr">Lint</h2>
    ${failures.length > 0 && html`<article class="card is-suspended" aria-label="Failures"><header><h3>Failures</h3></header>
      <ul class="plain findings">${failures.map((text, at) => html`<li key=${at} class="error"><${Words}>${text}<//></li>`)}</ul></article>`}
    ${lints.length === 0 && html`<${Empty}>Nothing found. What the real host would accept in silence, but an author would want to know, stands here.<//>`}
    ${earlier > 0 && html`<p class="weak">Only the newest are shown; there are ${earlier} earlier ones.</p>`}
    <div class="cards">${plugins.map((plugin) => html`<article class="card" key=${plugin} aria-label=${`Findings about ${plugin}`}>
      <header><h3><${Words}>${plugin}<//></h3></header>
      <ul class="plain findings">${lints.filter((lint) => lint.plugin === plugin).map((lint) => html`<li key=${lint.kind + lint.tool + lint.message}>
        <span class="line"><span class="chip risk-medium">${words(lint.kind)}</span> ${lint.tool && html`<code>${lint.tool}</code>`}</span>
        <span><${Words}>${lint.message}<//></span></li>`)}</ul>
    </article>`)}</div>
  </section>`;
}
