// Jobs: their steps, how far they are, their log, and what can be done about them.
import { html, useEffect, useKept, useRef } from "./page.js";
import { act } from "./link.js";
import { Box, Button, Empty, Fold, Progress, State, Words } from "./controls.js";
import { caller, clock } from "./texts.js";

const finished = (job) => ["completed", "failed", "cancelled"].includes(job.state);
const counts = (job) => (/^(\d+)\/(\d+)$/.exec(job.progress) ?? [0, 0, 1]).slice(1).map(Number);

function Controls({ job, short }) {
  const failed = job.currentStep?.state === "failed";
  const name = `${job.name} (${job.id})`;
  const control = (what, text, kind) => html`<${Button} key=${what} kind=${kind} label=${`${text}: ${name}`} onPress=${() => act("job", { job: job.id, control: what })}>${text}<//>`;
  const update = (what, text, kind) => html`<${Button} key=${what} kind=${kind} label=${`${text} the step: ${name}`}
    onPress=${() => act("update_job", { job: job.id, action: what, resume: true })}>${text}<//>`;
  if (finished(job)) return null;
  const waits = job.state === "paused" || job.state === "pending";
  return html`<span class="row">
    ${!waits && control("pause", "Pause")}
    ${waits && !failed && control("resume", "Resume", "primary")}
    ${waits && failed && update("retry", "Retry", "primary")}
    ${waits && job.currentStep && update("skip", "Skip")}
    ${!short && job.state === "pending" && control("pause", "Pause")}
    ${control("cancel", "Cancel", short ? "" : "danger")}
  </span>`;
}

function Log({ lines }) {
  const box = useRef(null);
  const atEnd = useRef(true);
  useEffect(() => {
    if (atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  const scrolled = () => {
    atEnd.current = box.current.scrollHeight - box.current.scrollTop - box.current.clientHeight < 8;
  };
  return html`<pre class="box log" role="log" aria-label="Log" tabindex="0" ref=${box} onScroll=${scrolled}><bdi>${lines.join("\n")}</bdi></pre>`;
}

function Step({ step, at, current }) {
  const [open, setOpen] = useKept(`step.${step.key}`, false);
  return html`<li class=${current ? "step current" : "step"} aria-current=${current ? "step" : null}>
    <${Fold} open=${open} onToggle=${setOpen} title=${html`<span class="line"><span class="weak">${step.id}</span> <code>${step.tool}</code> <${State} state=${step.state} />
        ${step.attempts > 1 && html`<span class="weak small">${step.attempts} attempts</span>`}
        ${step.note && html`<span class="weak small"><${Words}>${step.note}<//></span>`}</span>`}>
      <div class="details">
        <${Box} label=${`Arguments of step ${step.id}`} text=${step.args} json />
        ${step.result != null && html`<div class="weak small">Result</div><${Box} label=${`Result of step ${step.id}`} text=${step.result} json />`}
      </div>
    <//>
    ${step.error && html`<p class="error small"><${Words}>${step.error}<//></p>`}
  </li>`;
}

function Job({ job }) {
  const [open, setOpen] = useKept(`job.${job.id}`, !finished(job));
  const [done, total] = counts(job);
  const current = job.currentStep?.id;
  return html`<article class="card job" aria-label=${`Job ${job.name}`} data-job=${job.id}>
    <header>
      <h3><${Words}>${job.name}<//></h3>
      <${State} state=${job.state} />
      <span class="weak small"><code>${job.id}</code> by ${caller(job.asker)}, ${clock(Date.parse(job.created))}</span>
      <span class="push"><${Controls} job=${job} /></span>
    </header>
    <p class="line"><${Progress} done=${done} total=${total} label=${`Progress of ${job.name}`} /> <span class="weak small">${job.progress}</span>
      ${job.currentStep && html`<span class="small">at <code>${current}</code> <code>${job.currentStep.tool}</code></span>`}</p>
    ${job.reason && html`<p class="error"><${Words}>${job.reason}<//></p>`}
    <${Fold} title="Steps and log" open=${open} onToggle=${setOpen}>
      <ol class="plain steps">${job.steps.map((step, at) => html`<${Step} key=${step.id} step=${{ ...step, key: `${job.id}.${step.id}` }} at=${at} current=${step.id === current} />`)}</ol>
      ${job.log.length > 0 && html`<${Log} lines=${job.log} />`}
    <//>
  </article>`;
}

export function Jobs({ jobs }) {
  return html`<section aria-label="Jobs">
    <h2 class="sr">Jobs</h2>
    ${jobs.length === 0 && html`<${Empty}>No job was started. A plugin starts one with <code>start_job</code>, an assistant with its tool of that name.<//>`}
    <div class="cards">${jobs.map((job) => html`<${Job} key=${job.id} job=${job} />`)}</div>
  </section>`;
}

// The jobs that are not finished, for the side of a wide window.
export function JobsNow({ jobs }) {
  const open = jobs.filter((job) => !finished(job));
  if (open.length === 0) return null;
  return html`<section class="now" aria-label="Jobs now"><h2>Jobs <span class="count quiet">${open.length}</span></h2>
    ${open.map((job) => {
      const [done, total] = counts(job);
      return html`<div class="nowjob" key=${job.id}>
        <div class="line"><strong><${Words}>${job.name}<//></strong> <${State} state=${job.state} /></div>
        <div class="line"><${Progress} done=${done} total=${total} label=${`Progress of ${job.name}`} /> <span class="weak small">${job.progress}</span></div>
        ${job.log.length > 0 && html`<div class="weak small"><${Words}>${job.log[job.log.length - 1]}<//></div>`}
        <${Controls} job=${job} short />
      </div>`;
    })}</section>`;
}
