// What the player is asked right now: who, what for, with which arguments, and how long there is to answer.
import { html, useEffect, useState, useTick } from "./page.js";
import { act, hostNow } from "./link.js";
import { Box, Button, Capability, Words } from "./controls.js";
import { byRisk } from "./controls.js";
import { caller, left } from "./texts.js";

// A question that has just moved under the pointer must not be answered by a click that was meant for something else.
const NOT_AT_ONCE = 400;

function Countdown({ since, until }) {
  useTick(500);
  const rest = until - hostNow();
  return html`<span class=${rest < 20000 ? "countdown soon" : "countdown"} role="timer" aria-live="off">
    <progress max=${until - since} value=${Math.max(0, rest)} aria-hidden="true"></progress>
    <span><span class="sr">Time left: </span>${left(rest)}</span>
  </span>`;
}

export function Question({ question }) {
  const [settled, settle] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => settle(true), NOT_AT_ONCE);
    return () => clearTimeout(timer);
  }, []);
  const answer = (given) => act("answer", { question: question.id, answer: given });
  const whom = `${question.tool}, question ${question.id}`;
  const give = (id, text, kind, title) => html`<${Button} kind=${kind} title=${title} disabled=${!settled}
    label=${`${text}: ${whom}`} onPress=${() => answer(id)}>${text}<//>`;
  const hasArgs = question.args && question.args.trim() !== "{}";
  return html`<article class="question" aria-label=${`Question about ${question.tool}`} tabindex="-1">
    <header>
      <h3><${Words}>${question.title}<//> <span class="weak">wants to use</span> <code>${question.tool}</code></h3>
      <${Countdown} since=${question.since} until=${question.until} />
    </header>
    ${question.summary != null && html`<p class="summary"><span class="weak">It says:</span> <q><${Words}>${question.summary}<//></q></p>`}
    <p class="chips"><span class="weak">${question.summary == null ? "May:" : "Asks for:"}</span>
      ${byRisk(question.capabilities).map((id) => html`<${Capability} key=${id} id=${id} />`)}</p>
    <p class="weak">Asked by ${caller(question.caller)}</p>
    ${hasArgs && html`<${Box} label="Arguments" text=${question.args} json />`}
    <div class="row answers" role="group" aria-label=${`Answer ${whom}`}>
      ${give("once", "Once", "primary", "Yes, this time.")}
      ${!question.critical && give("session", "This session", "", "Yes, and ask no more until the plugin or the host unloads.")}
      ${!question.critical && give("always", "Always", "", "Yes, and set this tool to allow.")}
      ${give("denied", "Decline", "danger", "No. The same happens when the time is over.")}
    </div>
    ${question.critical && html`<p class="weak small">Critical: each call is asked for.</p>`}
  </article>`;
}

export function Questions({ questions }) {
  const first = questions[0];
  return html`<section class=${questions.length ? "questions open" : "questions"} aria-label="Questions" id="questions">
    <h2>Questions ${questions.length > 0 && html`<span class="count">${questions.length}</span>`}</h2>
    <div class="sr" role="status">${first ? `${first.title} asks to use ${first.tool}.` : ""}</div>
    ${questions.length === 0 && html`<p class="empty">Nothing to answer.</p>`}
    ${questions.map((question) => html`<${Question} key=${question.id} question=${question} />`)}
  </section>`;
}
