// What the assistant sees: tools/list as it is sent, and a form to call a tool as an assistant would.
import { classes, html, useId, useKept, useState, useTick } from "./page.js";
import { act, hostNow } from "./link.js";
import { Box, Button, Empty, Long, State, Words } from "./controls.js";
import { clock, span } from "./texts.js";
import { Fields, readForm } from "./schema-form.js";

function CallForm({ tool }) {
  const [form, setForm] = useState({ entries: {}, text: null });
  const [shownErrors, showErrors] = useState(false);
  const id = useId();
  const schema = tool.inputSchema ?? {};
  const hasFields = Object.keys(schema.properties ?? {}).length > 0;
  const { value, errors } = readForm(schema, form.entries);
  const asText = form.text !== null || !hasFields;
  const text = form.text ?? JSON.stringify(value);
  let fault = null;
  if (asText) {
    try {
      const read = JSON.parse(text);
      if (read === null || typeof read !== "object" || Array.isArray(read)) fault = "must be a JSON object";
    } catch (error) {
      fault = error.message;
    }
  }
  const bad = asText ? fault !== null : Object.keys(errors).length > 0;
  const call = async () => {
    showErrors(true);
    if (!bad) await act("call", { tool: tool.name, args: text });
  };
  return html`<form class="callform" aria-label=${`Call ${tool.name}`} onSubmit=${(event) => { event.preventDefault(); call(); }}>
    ${asText
      ? html`<div class="field"><label for=${id}>Arguments</label><div><textarea id=${id} rows="5" spellcheck="false" value=${text}
          aria-invalid=${shownErrors && fault ? "true" : null} onInput=${(event) => setForm({ ...form, text: event.currentTarget.value })}></textarea>
          ${shownErrors && fault && html`<div class="error small">${fault}</div>`}</div></div>`
      : html`<${Fields} schema=${schema} entries=${form.entries} errors=${shownErrors ? errors : {}}
          onEntry=${(path, entry) => setForm({ ...form, entries: { ...form.entries, [path]: entry } })} />`}
    <div class="row">
      <button type="submit" class="button primary">Call</button>
      ${hasFields && html`<${Button} pressed=${asText ? "true" : "false"} onPress=${() => setForm({ ...form, text: asText ? null : JSON.stringify(value, null, 2) })}>As JSON<//>`}
      ${!asText && html`<code class="preview small weak">${JSON.stringify(value)}</code>`}
    </div>
  </form>`;
}

function Tool({ tool }) {
  const [raw, setRaw] = useKept("assistant.raw", false);
  const { plugin, title, ...sent } = tool;
  const hints = tool.annotations ?? {};
  return html`<article class="card tool" aria-label=${`Tool ${tool.name}`}>
    <header><h3><code>${tool.name}</code></h3>
      ${hints.readOnlyHint && html`<span class="chip">read-only</span>`}
      ${hints.destructiveHint && html`<span class="chip risk-critical">destructive</span>`}
      <span class="weak small">${plugin ? html`of <${Words}>${title}<//>` : "XIV MCP's own"}</span>
      <span class="push"><${Button} pressed=${raw ? "true" : "false"} onPress=${() => setRaw(!raw)}>As sent<//></span></header>
    ${raw ? html`<${Box} label=${`${tool.name} as sent in tools/list`} text=${JSON.stringify(sent)} json />` : html`<p><${Long} text=${tool.description} limit=${600} /></p>`}
    <${CallForm} key=${tool.name} tool=${tool} />
  </article>`;
}

const stateOf = (call) => (call.state !== "ended" ? call.state : call.isError ? "failed" : "completed");

export function Calls({ calls }) {
  const running = calls.some((call) => call.state !== "ended");
  useTick(1000, running);
  return html`<section class="calls" aria-label="Calls"><h3>Calls</h3>
    ${calls.length === 0 && html`<${Empty}>Calls from this page, and calls of assistants that run, stand here.<//>`}
    <ol class="plain">${calls.map((call) => html`<li key=${call.id} class=${classes("call", call.state)}>
      <div class="line"><span class="weak time">${clock(call.since)}</span> <code>${call.tool}</code>
        <${State} state=${stateOf(call)} label=${{ running: "runs", asking: "waits for you", failed: "error", completed: "result" }[stateOf(call)]} />
        <span class="weak small">${call.client} ${span(call.state !== "ended" ? Math.max(0, hostNow() - call.since) : call.took)}</span>
        ${call.state !== "ended" && html`<span class="push"><${Button} label=${`Cancel the call of ${call.tool}`} onPress=${() => act("cancel_call", { call: call.id })}>Cancel<//></span>`}</div>
      ${call.args != null && call.args !== "{}" && html`<code class="weak small args">${call.args}</code>`}
      ${call.text != null && html`<${Box} label=${`Answer of ${call.tool}`} text=${call.text} />`}
    </li>`)}</ol></section>`;
}

export function Assistant({ tools, calls }) {
  const [chosen, choose] = useKept("assistant.tool", null);
  const [filter, setFilter] = useState("");
  const [own, setOwn] = useKept("assistant.own", false);
  const wanted = filter.trim().toLowerCase();
  const listed = tools.filter((tool) => (own || tool.plugin) && (!wanted || tool.name.includes(wanted) || tool.title?.toLowerCase().includes(wanted)));
  const tool = tools.find((one) => one.name === chosen) ?? listed[0];
  const hidden = tools.filter((one) => !one.plugin).length;
  return html`<section aria-label="Assistant">
    <h2 class="sr">What the assistant sees</h2>
    <div class="row filter">
      <input type="search" aria-label="Filter the tools" placeholder="Filter: tool or plugin…" value=${filter} onInput=${(event) => setFilter(event.currentTarget.value)} />
      <label class="check"><input type="checkbox" checked=${own} onChange=${(event) => setOwn(event.currentTarget.checked)} /> XIV MCP's own (${hidden})</label>
      <span class="weak small push">${tools.length} tools in tools/list</span>
    </div>
    <div class="split">
      <nav aria-label="Tools" class="toollist">${listed.length === 0 && html`<${Empty}>${tools.some((one) => one.plugin) ? "No tool fits." : "No plugin's tool is listed: enable a plugin first."}<//>`}
        ${listed.map((one) => html`<button type="button" key=${one.name} aria-current=${one === tool ? "true" : null} onClick=${() => choose(one.name)}><code>${one.name}</code></button>`)}</nav>
      <div>${tool ? html`<${Tool} key=${tool.name} tool=${tool} />` : html`<${Empty}>No tool to call.<//>`}
        <${Calls} calls=${calls} /></div>
    </div>
  </section>`;
}
