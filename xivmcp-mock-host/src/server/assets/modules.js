// XIV MCP's own tools, by the modules of its settings: on or off, what reading and acting may do, and each tool's own mode.
import { html, useKept } from "./page.js";
import { act } from "./link.js";
import { byRisk, Capability, Fold, Modes } from "./controls.js";

function Module({ group }) {
  const [open, setOpen] = useKept(`module.${group.id}`, false);
  const access = (what, has, set, mode, first) => has && html`<span class="access"><span class="weak">${what === "read" ? "Reading" : "Acting"}</span>
    <${Modes} label=${`${group.title}, ${what === "read" ? "reading" : "acting"}`} set=${set} mode=${mode} follows=${`the default (${first})`}
      onSet=${(chosen) => act("set_group", { group: group.id, access: what, mode: chosen })} /></span>`;
  return html`<article class="card" aria-label=${`Module ${group.title}`}>
    <header><h3>${group.title}</h3>
      <label class="check push"><input type="checkbox" role="switch" checked=${group.on} aria-label=${`${group.title} is on`}
        onChange=${(event) => act("turn_group", { group: group.id, on: event.currentTarget.checked })} /> ${group.on ? "on" : "off"}</label></header>
    <div class="row accesses">${access("read", group.hasRead, group.readSet, group.read, group.readDefault)}
      ${access("write", group.hasWrite, group.writeSet, group.write, group.writeDefault)}</div>
    <${Fold} title=${html`Tools <span class="count quiet">${group.tools.length}</span>`} open=${open} onToggle=${setOpen}>
      <table class="settings" aria-label=${`Tools of ${group.title}`}><thead class="sr"><tr><th>Tool</th><th>Mode</th></tr></thead>
        <tbody>${group.tools.map((tool) => html`<tr key=${tool.name}><th scope="row"><span class="line"><code>${tool.name}</code>
            ${tool.readOnly ? html`<span class="chip">read-only</span>` : byRisk(tool.capabilities).filter((id) => id !== "read_game").map((id) => html`<${Capability} key=${id} id=${id} />`)}</span>
            ${tool.lacks && html`<span class="weak small">${tool.lacks}</span>`}</th>
          <td><${Modes} label=${tool.name} set=${tool.set} mode=${tool.mode} follows="its module"
            onSet=${(mode) => act("set_builtin", { tool: tool.name, mode })} /></td></tr>`)}</tbody></table>
    <//>
  </article>`;
}

export const Modules = ({ groups }) => html`<section aria-label="XIV MCP's own tools">
  <h2 class="sr">XIV MCP's own tools</h2>
  <p class="weak small">In this mock they answer <code>{}</code> unless a test scripts them; <code>wait</code> and the job tools do what they do in the game.</p>
  <div class="cards small-cards">${groups.map((group) => html`<${Module} key=${group.id} group=${group} />`)}</div>
</section>`;
