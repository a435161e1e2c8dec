// The plugins: where each stands, what the player allows it, and what its jobs would need.
import { classes, html, useKept, useState } from "./page.js";
import { act } from "./link.js";
import { byRisk, Button, capability, Capability, Empty, Fold, Long, Modes, Risk, State, Words } from "./controls.js";
import { Consent } from "./consent.js";

const STATES = {
  undecided: "not decided",
  awaiting_consent: "waits for consent",
  enabled: "enabled",
  kept_disabled: "kept disabled",
  suspended: "suspended",
};

function Capabilities({ plugin }) {
  const ids = byRisk(plugin.capabilities.map((entry) => entry.id));
  return html`<table class="settings" aria-label=${`What ${plugin.title} may do`}>
    <thead class="sr"><tr><th>May</th><th>Mode</th></tr></thead>
    <tbody>${ids.map((id) => {
      const entry = plugin.capabilities.find((one) => one.id === id);
      const info = capability(id);
      return html`<tr key=${id}>
        <th scope="row"><span class="line"><${Risk} risk=${info.risk} /> ${info.title}</span>
          <span class="weak small">${info.description}</span></th>
        <td><${Modes} label=${`${plugin.title}, ${info.title}`} set=${entry.set} mode=${entry.mode} critical=${info.risk === "critical"}
          follows=${`the default (${info.default})`} onSet=${(mode) => act("set_capability", { plugin: plugin.name, capability: id, mode })} />
          ${entry.set === "allow" && entry.mode === "ask" && html`<span class="weak small">critical: still asks</span>`}</td>
      </tr>`;
    })}</tbody>
  </table>`;
}

function Tools({ plugin }) {
  return html`<table class="settings" aria-label=${`Tools of ${plugin.title}`}>
    <thead class="sr"><tr><th>Tool</th><th>Mode</th></tr></thead>
    <tbody>${plugin.tools.map((tool) => html`<tr key=${tool.name}>
      <th scope="row"><span class="line"><code>${tool.name}</code>
          ${tool.readOnly && html`<span class="chip">read-only</span>`}
          ${tool.destructive && html`<span class="chip risk-critical">destructive</span>`}
          ${byRisk(tool.capabilities).filter((id) => id !== "read_game").map((id) => html`<${Capability} key=${id} id=${id} />`)}</span>
        <span class="weak small"><${Long} text=${tool.description} /></span></th>
      <td><${Modes} label=${tool.name} set=${tool.set} mode=${tool.mode} critical=${tool.critical}
        follows=${"what it may do"} onSet=${(mode) => act("set_tool", { plugin: plugin.name, tool: tool.name, mode })} />
        ${tool.set === "allow" && tool.mode === "ask" && html`<span class="weak small">critical: still asks</span>`}</td>
    </tr>`)}</tbody>
  </table>`;
}

function Install({ entry }) {
  const what = entry.outdated ? "Update" : entry.installed ? "Enable in Dalamud" : "Install";
  return html`<li>
    <span class="line">${what}: <${Words}>${entry.name}<//> ${entry.needed ? html`<span class="chip risk-high">needed</span>` : html`<span class="chip">helper</span>`}
      <span class="weak small">${entry.repo === "official" ? "official repository" : html`<${Words}>${entry.repo}<//>`}</span></span>
    ${entry.reason && html`<span class="weak small"><${Words}>${entry.reason}<//></span>`}
    ${entry.without && html`<span class="weak small">Without it: <${Words}>${entry.without}<//></span>`}
  </li>`;
}

function Dependencies({ plugin }) {
  return html`<ul class="plain dependencies" aria-label=${`Tools that jobs of ${plugin.title} use`}>
    ${plugin.dependencies.map((entry) => html`<li key=${entry.tool}>
      <span class="line"><code>${entry.tool}</code> <${State} state=${entry.state === "ok" ? "ok" : "missing"} label=${entry.state.replaceAll("_", " ")} />
        ${entry.plugin && html`<span class="weak small">of <${Words}>${entry.plugin}<//></span>`}</span>
      ${entry.message !== "Ready." && html`<span class="weak small"><${Words}>${entry.message}<//></span>`}
      ${entry.install.length > 0 && html`<ul class="plain">${entry.install.map((one) => html`<${Install} key=${one.plugin} entry=${one} />`)}</ul>`}
    </li>`)}
  </ul>`;
}

function Card({ plugin }) {
  const [open, setOpen] = useKept(`plugin.${plugin.name}`, { capabilities: true });
  const toggle = (what) => (isOpen) => setOpen({ ...open, [what]: isOpen });
  const decide = plugin.state === "undecided" || plugin.state === "awaiting_consent";
  const missing = plugin.dependencies.filter((entry) => entry.state !== "ok").length;
  const nothing = plugin.tools.length === 0;
  const [reviewing, review] = useState(false);
  return html`<article class=${classes("card", `is-${plugin.state}`)} aria-label=${`Plugin ${plugin.title}`} data-plugin=${plugin.name}>
    <header>
      <h3><${Words}>${plugin.title}<//></h3>
      <${State} state=${plugin.state} label=${STATES[plugin.state]} />
      ${!plugin.loaded && html`<span class="chip state-missing">${plugin.installed ? "not loaded" : "not installed"}</span>`}
      <span class="weak small">${plugin.title !== plugin.name && html`<code>${plugin.name}</code> `}${plugin.version}</span>
      <span class="push row">
        ${plugin.state === "enabled" && html`<${Button} label=${`Disable ${plugin.title}`}
          onPress=${() => act("keep_disabled", { plugin: plugin.name, tools: plugin.tools.map((tool) => tool.name), capabilities: plugin.capabilities.map((entry) => entry.id) })}>Disable<//>`}
        ${plugin.state === "kept_disabled" && !nothing && html`<${Button} label=${`Review ${plugin.title}`} pressed=${reviewing ? "true" : "false"}
          onPress=${() => review(!reviewing)}>Review…<//>`}
        ${plugin.sessionAnswers > 0 && html`<${Button} label=${`Forget the session answers about ${plugin.title}`}
          title="Answers for this session: the tools ask again." onPress=${() => act("clear_session", { plugin: plugin.name })}>Forget ${plugin.sessionAnswers} session answer${plugin.sessionAnswers === 1 ? "" : "s"}<//>`}
      </span>
    </header>
    ${plugin.state === "suspended" && html`<div class="alarm" role="group" aria-label=${`Suspension of ${plugin.title}`}>
      <p><strong>Suspended:</strong> <${Words}>${plugin.suspended}<//></p>
      <${Button} kind="primary" label=${`Lift the suspension of ${plugin.title}`} onPress=${() => act("lift", { plugin: plugin.name })}>Lift<//>
    </div>`}
    ${nothing && html`<${Empty}>It has registered no tool.<//>`}
    ${(decide || (plugin.state === "kept_disabled" && reviewing)) && !nothing && html`<${Consent} plugin=${plugin} onDecided=${() => review(false)} />`}
    ${!nothing && html`
      <${Fold} title=${html`What it may do <span class="count quiet">${plugin.capabilities.length}</span>`} open=${!!open.capabilities && !decide || !!open.early} onToggle=${decide ? toggle("early") : toggle("capabilities")}>
        <${Capabilities} plugin=${plugin} /><//>
      <${Fold} title=${html`Tools <span class="count quiet">${plugin.tools.length}</span>`} open=${!!open.tools} onToggle=${toggle("tools")}>
        <${Tools} plugin=${plugin} /><//>`}
    ${plugin.dependencies.length > 0 && html`
      <${Fold} title=${html`Tools its jobs use <span class="count quiet">${plugin.dependencies.length}</span>${missing > 0 && html` <span class="chip state-missing">${missing} not ready</span>`}`}
        open=${open.dependencies ?? missing > 0} onToggle=${toggle("dependencies")}>
        <${Dependencies} plugin=${plugin} /><//>`}
  </article>`;
}

export function Plugins({ plugins }) {
  const offering = plugins.filter((plugin) => plugin.tools.length > 0 || plugin.dependencies.length > 0 || plugin.state !== "undecided");
  const others = plugins.filter((plugin) => !offering.includes(plugin));
  return html`<section aria-label="Plugins">
    <h2 class="sr">Plugins</h2>
    ${offering.length === 0 && html`<${Empty}>No plugin offers tools yet. Start the program with your library (<code>xivmcp-mock-host run path/to/your_plugin.so</code>): its card appears here.<//>`}
    <div class="cards">${offering.map((plugin) => html`<${Card} key=${plugin.name} plugin=${plugin} />`)}</div>
    ${others.length > 0 && html`<p class="weak small">Also in Dalamud's list, without tools: ${others.map((plugin, at) => html`${at > 0 && ", "}<${Words} key=${plugin.name}>${plugin.title}<//>${!plugin.loaded && " (not loaded)"}`)}.</p>`}
  </section>`;
}
