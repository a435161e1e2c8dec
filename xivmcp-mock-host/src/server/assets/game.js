// The game: what calls are compared by. Everything here can be changed, as a person at the game would.
import { html, useId, useState } from "./page.js";
import { act } from "./link.js";
import { Button } from "./controls.js";
import { grouped } from "./texts.js";

// A number that follows the game until the person types; then it is the person's until it is set or left empty.
function Amount({ label, value, steps, onSet, onStep }) {
  const id = useId();
  const [draft, setDraft] = useState(null);
  const [fault, setFault] = useState(null);
  const set = async (event) => {
    event?.preventDefault();
    if (draft === null) return;
    const number = Number(draft);
    if (draft.trim() === "" || !Number.isSafeInteger(number)) {
      setFault("must be a whole number");
      return;
    }
    if (await onSet(number)) setDraft(null);
  };
  const typed = (event) => {
    setFault(null);
    setDraft(event.currentTarget.value);
  };
  return html`<form class="amount" onSubmit=${set}>
    <label for=${id}>${label}</label>
    <input id=${id} type="text" inputmode="numeric" autocomplete="off" value=${draft ?? String(value)} aria-invalid=${fault ? "true" : null} onInput=${typed}
      onKeyDown=${(event) => { if (event.key === "Escape") { setDraft(null); setFault(null); } }} />
    <button type="submit" class="button" aria-label=${`Set ${label}`} disabled=${draft === null}>Set</button>
    <span class="row">${steps.map((step) => html`<${Button} key=${step} label=${`${step > 0 ? "+" : "−"}${grouped(Math.abs(step))} ${label}`}
      onPress=${() => onStep(step)}>${step > 0 ? "+" : "−"}${grouped(Math.abs(step))}<//>`)}</span>
    ${fault && html`<span class="error small" role="alert">${fault}</span>`}
  </form>`;
}

export function Game({ game, host }) {
  const [currency, setCurrency] = useState("");
  const id = useId();
  const set = (field) => (number) => act("game", { [field]: number });
  // Another window, or a plugin, may have changed it since this was drawn: the host does the sum.
  const step = (field) => (by) => act("game_step", { [field]: by });
  const add = async (event) => {
    event.preventDefault();
    const number = Number(currency);
    if (Number.isInteger(number) && number > 0 && await act("game", { currency: { id: number, amount: 1000 } })) setCurrency("");
  };
  return html`<section aria-label="Game" class="game">
    <h2 class="sr">The game</h2>
    <article class="card" aria-label="Character">
      <header><h3>Character</h3><span class=${`chip ${game.loggedIn ? "state-enabled" : "state-paused"}`}>${game.loggedIn ? "logged in" : "logged out"}</span>
        <span class="push"><${Button} onPress=${() => act("game", { loggedIn: !game.loggedIn })}>${game.loggedIn ? "Log out" : "Log in"}<//></span></header>
      <${Amount} label="Character" value=${game.character} steps=${[1]} onSet=${set("character")} onStep=${(by) => act("game", { character: game.character + by })} />
      <${Amount} label="Zone" value=${game.zone} steps=${[-1, 1]} onSet=${set("zone")} onStep=${(by) => act("game", { zone: game.zone + by })} />
      <${Amount} label="World" value=${game.world} steps=${[-1, 1]} onSet=${set("world")} onStep=${(by) => act("game", { world: game.world + by })} />
    </article>
    <article class="card" aria-label="Belongings">
      <header><h3>Belongings</h3></header>
      <${Amount} label="Gil" value=${game.gil} steps=${[-1000, 1000]} onSet=${set("gil")} onStep=${step("gil")} />
      <${Amount} label="Items" value=${game.items} steps=${[-1, 1]} onSet=${set("items")} onStep=${step("items")} />
      ${game.currency.map((one) => html`<${Amount} key=${one.id} label=${`Currency ${one.id}`} value=${one.amount} steps=${[-100, 100]}
        onSet=${(amount) => act("game", { currency: { id: one.id, amount } })} onStep=${(by) => act("game_step", { currency: { id: one.id, by } })} />`)}
      <form class="amount" onSubmit=${add}><label for=${id}>Another currency</label>
        <input id=${id} type="text" inputmode="numeric" placeholder="id" value=${currency} onInput=${(event) => setCurrency(event.currentTarget.value)} />
        <button type="submit" class="button" disabled=${!/^\d+$/.test(currency)}>Show</button></form>
    </article>
    <article class="card" aria-label="Chat"><header><h3>Chat</h3></header>
      <p class="line"><span>${grouped(game.chat)} lines sent</span> <${Button} onPress=${() => act("game_step", { chat: 1 })}>Send a line<//></p>
    </article>
    <article class="card" aria-label="XIV MCP itself"><header><h3>XIV MCP itself</h3><span class=${`chip ${host.loaded ? "state-enabled" : "state-paused"}`}>${host.loaded ? "loaded" : "unloaded"}</span>
      <span class="push"><${Button} onPress=${() => act("host", { loaded: !host.loaded })}>${host.loaded ? "Unload" : "Load"}<//></span></header>
      <p class="weak small">Unloading sends Disposing, takes the gates away and ends the calls that run; loading brings them back and sends Ready.</p>
    </article>
  </section>`;
}
