// The player's decision about a plugin: what is new, riskiest first, and the two answers. What is decided about is what
// stands here (R-POL-5): names that came after the page was drawn are not consented to.
import { html } from "./page.js";
import { act } from "./link.js";
import { byRisk, Button, capability, Long, Risk } from "./controls.js";

export function Consent({ plugin, onDecided }) {
  const first = plugin.tools.every((tool) => tool.fresh);
  const fresh = byRisk(plugin.capabilities.filter((entry) => entry.fresh).map((entry) => entry.id));
  const tools = plugin.tools.filter((tool) => tool.fresh);
  const shown = { plugin: plugin.name, tools: plugin.tools.map((tool) => tool.name), capabilities: plugin.capabilities.map((entry) => entry.id) };
  const decide = async (what) => {
    if (await act(what, shown)) onDecided();
  };
  const toolsOf = (id) => plugin.capabilities.find((entry) => entry.id === id).tools.join(", ");
  return html`<div class="consent" role="group" aria-label=${`Decision about ${plugin.title}`}>
    <p><strong>${first ? "This plugin offers tools to your assistant." : "This plugin has grown since you last looked; all its tools wait."}</strong>
      ${" "}<span class="weak">${fresh.length + tools.length > 0 ? "New:" : "Nothing new since you last looked."}</span></p>
    ${fresh.length > 0 && html`<ul class="plain" aria-label="New: what it may do">${fresh.map((id) => html`<li key=${id}>
      <span class="line"><${Risk} risk=${capability(id).risk} /> <strong>${capability(id).title}</strong></span>
      <span class="small">${capability(id).description}</span> <span class="weak small">For <code>${toolsOf(id)}</code>.</span></li>`)}</ul>`}
    ${tools.length > 0 && html`<ul class="plain" aria-label="New tools">${tools.map((tool) => html`<li key=${tool.name}>
      <span class="line"><code>${tool.name}</code> ${tool.destructive && html`<span class="chip risk-critical">destructive</span>`}</span>
      <span class="weak small"><${Long} text=${tool.description} limit=${160} /></span></li>`)}</ul>`}
    <div class="row">
      <${Button} kind="primary" label=${`Enable ${plugin.title}`} onPress=${() => decide("enable")}>Enable<//>
      <${Button} label=${`Keep disabled: ${plugin.title}`} onPress=${() => decide("keep_disabled")}>Keep disabled<//>
    </div>
  </div>`;
}
