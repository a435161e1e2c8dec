// The audit log: each gated call and each approval, newest first; what was not declared is marked.
import { classes, html, useKept, useState } from "./page.js";
import { Box, Capability, Empty, Words, byRisk } from "./controls.js";
import { caller, clock, span, words } from "./texts.js";

function Entry({ entry, open, onToggle }) {
  const id = `audit-${entry.n}`;
  return html`<li class=${classes("entry", entry.flagged && "flagged")}>
    <button type="button" class="entryhead" aria-expanded=${open ? "true" : "false"} aria-controls=${id} onClick=${onToggle}>
      <span class="weak time">${clock(entry.time)}</span>
      <span class="what"><code>${entry.tool}</code> <span class="weak small"><${Words}>${entry.title}<//>${entry.kind === "approval" && ", approval"}${entry.inJob && ", in a job"}</span>
        ${entry.error && !open && html`<span class="weak small clip"><${Words}>${entry.error}<//></span>`}</span>
      <span class="how">
        ${entry.flagged && html`<span class="chip risk-critical">flagged</span>`}
        ${entry.suspended && html`<span class="chip state-suspended">suspended for it</span>`}
        <span class=${`chip decision-${entry.decision}`}>${words(entry.decision)}</span>
        ${entry.outcome && html`<span class=${`chip outcome-${entry.outcome}`}>${entry.outcome}</span>`}
        <span class="weak small span">${entry.durationMs != null ? span(entry.durationMs) : ""}</span>
      </span>
    </button>
    <div id=${id} class="details" hidden=${!open}>${open && html`
      <p class="small">By ${caller(entry.caller)} <span class="chips">${byRisk(entry.capabilities).map((one) => html`<${Capability} key=${one} id=${one} />`)}</span></p>
      ${entry.summary != null && html`<p class="small">It said: <q><${Words}>${entry.summary}<//></q></p>`}
      ${entry.effects.map((effect) => html`<p class="small" key=${effect.effect + effect.detail}>Effect: <strong>${words(effect.effect)}</strong> (<${Words}>${effect.detail}<//>)</p>`)}
      ${entry.error && html`<p class="error small"><${Words}>${entry.error}<//></p>`}
      ${entry.args != null && html`<${Box} label="Arguments" text=${entry.args} />`}`}
    </div>
  </li>`;
}

export function Audit({ audit }) {
  const [filter, setFilter] = useKept("audit.filter", { text: "", flagged: false });
  const [open, setOpen] = useState(null);
  const wanted = filter.text.trim().toLowerCase();
  const entries = audit.entries.filter((entry) => (!filter.flagged || entry.flagged)
    && (!wanted || [entry.tool, entry.plugin, entry.title, entry.caller, entry.decision, entry.outcome, entry.error].some((text) => text?.toLowerCase().includes(wanted))));
  return html`<section aria-label="Audit log">
    <h2 class="sr">Audit log</h2>
    <div class="row filter">
      <input type="search" aria-label="Filter the audit log" placeholder="Filter: plugin, tool, caller, decision…" value=${filter.text}
        onInput=${(event) => setFilter({ ...filter, text: event.currentTarget.value })} />
      <label class="check"><input type="checkbox" checked=${filter.flagged} onChange=${(event) => setFilter({ ...filter, flagged: event.currentTarget.checked })} /> flagged only</label>
      <span class="weak small push">${entries.length === audit.total ? `${audit.total} entries` : `${entries.length} of ${audit.total} entries`}</span>
    </div>
    ${entries.length === 0 && html`<${Empty}>${audit.total === 0 ? "Nothing was called yet." : "No entry fits the filter."}<//>`}
    <ol class="plain audit">${entries.map((entry) => html`<${Entry} key=${entry.n} entry=${entry} open=${open === entry.n}
      onToggle=${() => setOpen(open === entry.n ? null : entry.n)} />`)}</ol>
  </section>`;
}
