// The window as a whole: which view is shown, what is always in sight, and the keys.
import { html, render, useEffect, useState } from "./page.js";
import { connect, current, notify, subscribe } from "./link.js";
import { Questions } from "./questions.js";
import { Plugins } from "./plugins.js";
import { Jobs, JobsNow } from "./jobs.js";
import { Audit } from "./audit.js";
import { Assistant } from "./assistant.js";
import { Modules } from "./modules.js";
import { Game } from "./game.js";
import { Findings } from "./findings.js";

const VIEWS = [
  { id: "plugins", title: "Plugins", badge: (s) => s.plugins.filter((plugin) => plugin.state === "suspended" || (plugin.tools.length > 0 && (plugin.state === "undecided" || plugin.state === "awaiting_consent"))).length,
    about: "to decide", view: (s) => html`<${Plugins} plugins=${s.plugins} />` },
  { id: "jobs", title: "Jobs", badge: (s) => s.jobs.filter((job) => job.state === "pending").length, about: "wait for you", view: (s) => html`<${Jobs} jobs=${s.jobs} />` },
  { id: "audit", title: "Audit", badge: (s) => s.audit.flagged, about: "flagged", view: (s) => html`<${Audit} audit=${s.audit} />` },
  { id: "assistant", title: "Assistant", view: (s) => html`<${Assistant} tools=${s.tools} calls=${s.calls} />` },
  { id: "modules", title: "Modules", view: (s) => html`<${Modules} groups=${s.modules} />` },
  { id: "game", title: "Game", view: (s) => html`<${Game} game=${s.game} host=${s.host} />` },
  { id: "lint", title: "Lint", badge: (s) => s.findings.lints.length + s.findings.failures.length, about: "findings", view: (s) => html`<${Findings} ...${s.findings} />` },
];

const LINKS = {
  connecting: ["Connecting…", "weak"],
  live: ["Live", "live"],
  lost: ["Not connected; trying again", "lost"],
  denied: ["No access", "lost"],
};

const chosen = () => VIEWS.find((view) => `#${view.id}` === location.hash) ?? VIEWS[0];

function useView() {
  const [view, setView] = useState(chosen);
  useEffect(() => {
    const change = () => setView(chosen());
    addEventListener("hashchange", change);
    return () => removeEventListener("hashchange", change);
  }, []);
  return view;
}

// 1 to 7 choose a view, Q goes to the first question. Only while nothing is typed into.
function useKeys() {
  useEffect(() => {
    const key = (event) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input:not([type=checkbox]), textarea, select")) return;
      const view = VIEWS[Number(event.key) - 1];
      if (view) location.hash = view.id;
      else if (event.key === "q") document.querySelector(".question")?.focus();
      else return;
      event.preventDefault();
    };
    addEventListener("keydown", key);
    return () => removeEventListener("keydown", key);
  }, []);
}

function App() {
  const [, update] = useState(0);
  useEffect(() => subscribe(() => update((count) => count + 1)), []);
  const view = useView();
  useKeys();
  const { sections, link, notice } = current();
  const ready = sections.plugins !== undefined;
  const open = sections.questions?.length ?? 0;
  useEffect(() => {
    document.title = `${open > 0 ? `(${open}) ` : ""}${view.title} · XIV MCP (mock host)`;
  }, [open, view]);
  const [linkText, linkClass] = LINKS[link];
  return html`
    <a class="skip" href="#main" onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>To the content</a>
    <header class="top">
      <h1>XIV MCP <span class="weak">mock host</span></h1>
      <nav aria-label="Views">${VIEWS.map((one, at) => {
        const badge = ready && one.badge ? one.badge(sections) : 0;
        return html`<a key=${one.id} href=${`#${one.id}`} aria-current=${one === view ? "page" : null} title=${`Key ${at + 1}`}>${one.title}${badge > 0 && html`<span class="count">${badge}<span class="sr"> ${one.about}</span></span>`}</a>`;
      })}</nav>
      <span class=${`link ${linkClass}`} role="status">${linkText}</span>
    </header>
    ${notice && html`<div class="notice" role="alert"><span><bdi>${notice}</bdi></span> <button type="button" class="button" aria-label="Close the message" onClick=${() => notify(null)}>Close</button></div>`}
    ${link === "denied" && html`<div class="notice" role="alert">This page was opened by the link of an earlier start. Open the link that the mock host printed last.</div>`}
    ${ready && html`<div class=${link === "live" ? "body" : "body stale"}>
      <main id="main" tabindex="-1">${view.view(sections)}</main>
      <aside aria-label="Now"><${Questions} questions=${sections.questions} /><${JobsNow} jobs=${sections.jobs} /></aside>
    </div>`}
    <footer class="weak small">Keys: 1–7 views, Q first question.</footer>`;
}

render(html`<${App} />`, document.getElementById("app"));
connect();
