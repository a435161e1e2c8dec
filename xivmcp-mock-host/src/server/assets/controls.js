// Small parts that several views are made of.
import { classes, html, useEffect, useId, useRef, useState } from "./page.js";
import { current } from "./link.js";
import { pretty } from "./texts.js";

export const RISKS = ["low", "medium", "high", "critical"];

// What the host says about a capability; one that it does not know is shown by its id, as the riskiest.
export function capability(id) {
  const known = (current().sections.capabilities ?? []).find((entry) => entry.id === id);
  return known ?? { id, risk: "critical", title: id, description: "This host does not know this capability.", default: "deny" };
}

// Riskiest first; the same risk in the host's order.
export function byRisk(ids) {
  const order = (current().sections.capabilities ?? []).map((entry) => entry.id);
  const rank = (id) => RISKS.indexOf(capability(id).risk);
  return [...ids].sort((a, b) => rank(b) - rank(a) || order.indexOf(a) - order.indexOf(b));
}

export const Risk = ({ risk }) => html`<span class=${`chip risk-${risk}`}>${risk}</span>`;

export const Capability = ({ id }) => {
  const info = capability(id);
  return html`<span class=${`chip risk-${info.risk}`} title=${`${info.description} Risk: ${info.risk}.`}
    ><span class="sr">Risk ${info.risk}: </span>${info.title}</span>`;
};

export const State = ({ state, label }) => html`<span class=${`chip state-${state}`}>${label ?? state.replaceAll("_", " ")}</span>`;

// A plugin's own words: a text, kept apart so that it cannot turn around what stands beside it.
export const Words = ({ children, class: name }) => html`<bdi class=${classes("words", name)}>${children}</bdi>`;

// A button that cannot be pressed twice while the host is asked.
export function Button({ onPress, kind, label, title, disabled, children, pressed, id }) {
  const [busy, setBusy] = useState(false);
  const alive = useRef(true);
  useEffect(() => () => { alive.current = false; }, []);
  const press = async () => {
    if (busy || disabled) return;
    setBusy(true);
    try {
      await onPress();
    } finally {
      if (alive.current) setBusy(false);
    }
  };
  // Not `disabled` while busy: a disabled button loses the focus.
  return html`<button type="button" id=${id} class=${classes("button", kind)} aria-label=${label} title=${title}
    aria-pressed=${pressed} aria-busy=${busy ? "true" : null} disabled=${disabled} onClick=${press}>${children}</button>`;
}

// Allow / Ask / Deny. `set` is what the player chose (nothing: it follows `mode`), `mode` what holds. Arrows move, space
// or enter chooses, so that nothing is allowed on the way to something else.
export function Modes({ label, set, mode, follows, critical, onSet }) {
  const options = [["allow", "Allow"], ["ask", "Ask"], ["deny", "Deny"]];
  const group = useRef(null);
  const shown = set ?? mode;
  const move = (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step) return;
    event.preventDefault();
    const buttons = [...group.current.querySelectorAll("button[role=radio]")];
    const at = buttons.indexOf(document.activeElement);
    buttons[(at + step + buttons.length) % buttons.length]?.focus();
  };
  return html`<span class="modes">
    <span role="radiogroup" aria-label=${label} class=${classes("segments", set ? "own" : "following")} ref=${group} onKeyDown=${move}>
      ${options.map(([id, text]) => html`<button type="button" role="radio" key=${id} class=${`segment mode-${id}`}
        aria-checked=${shown === id ? "true" : "false"} tabindex=${shown === id ? 0 : -1}
        title=${id === "allow" && critical ? "Critical: allow still asks each time." : null}
        onClick=${() => onSet(id)}>${text}</button>`)}
    </span>
    <button type="button" class=${classes("reset", !set && "unset")} disabled=${!set} aria-label=${`${label}: ${follows}`}
      title=${set ? `Back to: ${follows}` : `Follows: ${follows}`} onClick=${() => onSet(null)}>↺</button>
  </span>`;
}

// Text of any length in a box of its own.
export const Box = ({ text, label, json }) => html`<pre class="box" tabindex="0" role="group" aria-label=${label}
  ><bdi>${json ? pretty(text) : text}</bdi></pre>`;

// A long text: its beginning, and the rest when asked for.
export function Long({ text, limit = 240 }) {
  const [whole, setWhole] = useState(false);
  if (text.length <= limit) return html`<${Words}>${text}<//>`;
  return html`<${Words}>${whole ? text : text.slice(0, limit).trimEnd() + "…"}<//>${" "}
    <button type="button" class="link" aria-expanded=${whole ? "true" : "false"} onClick=${() => setWhole(!whole)}>${whole ? "less" : "more"}</button>`;
}

// Something that opens and closes, and stays as the person left it.
export function Fold({ title, open, onToggle, children, class: name }) {
  const id = useId();
  return html`<div class=${classes("fold", name)}>
    <button type="button" class="foldhead" aria-expanded=${open ? "true" : "false"} aria-controls=${id} onClick=${() => onToggle(!open)}>
      <span class="arrow" aria-hidden="true">${open ? "▾" : "▸"}</span>${title}</button>
    <div id=${id} hidden=${!open}>${open && children}</div>
  </div>`;
}

export const Empty = ({ children }) => html`<p class="empty">${children}</p>`;

export const Progress = ({ done, total, label }) => html`<progress max=${Math.max(1, total)} value=${done} aria-label=${label}></progress>`;
