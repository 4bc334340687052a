// Why a task waits: one sentence for each step that does, grouped by cause, with links to what it waits for.
import { html } from "./dom.js";
import { link, may, mayEverywhere, setParams } from "./core.js";
import { t } from "./texts.js";
import { withTimes } from "./time.js";
import { Ago, Said, State } from "./ui/index.js";

/** What an operator can change comes first, what follows from other steps last. */
const ORDER = ["failed", "no_server", "no_handler", "paused", "slot", "approval", "signal", "child", "child_retry", "lease_expired", "cancelling", "running", "batch", "offered", "retry", "retry_due", "yielded", "timer", "delayed",
  "result_submitted", "not_checked", "not_started", "ready", "held_back", "parents"];
/** Of one cause. */
const MOST = 6;
/** What only follows from another step, folded as long as there is something else. */
const FOLLOWS = ["held_back", "parents", "not_started"];
const UNSERVED = ["no_server", "no_handler"];

const rank = (cause) => (ORDER.includes(cause) ? ORDER.indexOf(cause) : ORDER.length);
const ToStep = ({ name }) => html`<button type="button" class="link" onClick=${() => setParams({ step: name })}>${name}</button>`;

/** Links to what holds the step up; a cause without one has only its sentence. */
function Blocker({ task, step: { cause, details = {} } }) {
  if (details.approval_uuid) return may("approvals:read", task.namespace) && html`<a href=${link("approvals", details.approval_uuid)}>${t.approvals.open}</a>`;
  if (details.child_task_uuid) return html`<a href=${link("tasks", details.child_task_uuid)}>${t.tree.openChild}</a>`;
  if (cause === "slot") {
    return html`${details.place && html`<span data-place=${details.place}>${t.why.place(details.place)}</span> `}${(details.held_by ?? []).slice(0, MOST).map((holder) => html`<a key=${holder} data-holder=${holder} href=${link("tasks", holder)}>${t.why.holder(holder)}</a> `)}
      ${may("policies:read", task.namespace) && html`<a href=${link("policies")}>${t.why.policy}</a>`}`;
  }
  if (cause === "parents") return details.parents?.map((parent) => html`<${ToStep} key=${parent.name} name=${parent.name} /> `);
  if (cause === "held_back") return details.failed_steps?.map((name) => html`<${ToStep} key=${name} name=${name} /> `);
  if (cause === "batch") return html`<a href=${link("tasks", task.task_uuid, { tab: "batches" })}>${t.task.tabs.batches}</a>`;
  if (cause === "paused") return may("templates:read", task.namespace) && html`<a href=${link("templates", task.namespace, task.name)}>${t.why.template}</a>`;
  if (["running", "cancelling", "lease_expired", "offered", ...UNSERVED].includes(cause)) return mayEverywhere("system:servers_read") && html`<a href=${link("servers")}>${t.why.workers}</a>`;
  return null;
}

/** The line above everything else while a step is offered that no worker will take. */
function Unserved({ waiting }) {
  const steps = waiting.filter((step) => UNSERVED.includes(step.cause));
  return steps.length > 0 && html`<div class="note warn" role="alert" data-unserved=${steps.length}>${t.why.unserved(steps)}</div>`;
}

/** The error of a step that failed, where the sentence about it does not have it: what is long. */
function ErrorOf({ step, sentence }) {
  const message = step?.error?.message ?? step?.error?.type;
  return message && !sentence.includes(message) && html`<div class="f-failed" data-error=${step.name}><strong>✕</strong> ${step.error.type && step.error.type !== message && html`<span class="small">${step.error.type}:</span>`} <${Said} text=${message} /> ${step.attempts > 0 && html`<span class="quiet small">${t.task.attempt(step.attempts, step.max_attempts)}</span>`}</div>`;
}

/** What ended a task that failed, in words. */
export function Ended({ steps }) {
  const failed = steps.filter((step) => step.state === "error" && step.error);
  return failed.length > 0 && html`<section class="note bad" aria-label=${t.why.ended} data-ended=${failed.length}><ul>${failed.slice(0, MOST).map((step) => html`<li key=${step.step_uuid}><${ToStep} name=${step.name} /> <${State} of=${step.state} /><${ErrorOf} step=${step} sentence="" /></li>`)}</ul>
    ${failed.length > MOST && html`<p class="quiet small">${t.why.more(failed.length - MOST)}</p>`}</section>`;
}

/** Steps of which the same is true: their names, and the sentence once. */
function Together({ task, cause, steps }) {
  return html`<li data-cause=${cause}><span data-together=${steps.length}>${steps.slice(0, MOST).map((step) => html`<${ToStep} key=${step.step_uuid} name=${step.name} /> `)}${steps.length > MOST && html`<span class="quiet small">${t.why.more(steps.length - MOST)}</span> `}</span>
    <${State} of=${steps[0].state} /> ${t.why.each} ${withTimes(steps[0].sentence)} <${Blocker} task=${task} step=${steps[0]} /></li>`;
}

function Cause({ task, cause, steps, all }) {
  if (steps.length > 1 && UNSERVED.includes(cause) && new Set(steps.map((step) => step.state + step.sentence)).size === 1) return html`<${Together} ...${{ task, cause, steps }} />`;
  return html`<li data-cause=${cause}><ul>${steps.slice(0, MOST).map((step) => html`<li key=${step.step_uuid}><button type="button" class="link" onClick=${() => setParams({ step: step.name })}>${step.name}</button> <${State} of=${step.state} /> ${withTimes(step.sentence)}
    ${step.details?.due_at && html` <span class="quiet">(<${Ago} at=${step.details.due_at} />)</span>`} <${Blocker} task=${task} step=${step} />${cause === "failed" && html`<${ErrorOf} step=${all.find((one) => one.step_uuid === step.step_uuid)} sentence=${step.sentence} />`}</li>`)}</ul>
    ${steps.length > MOST && html`<p class="quiet small">${t.why.more(steps.length - MOST)}</p>`}</li>`;
}

/**
 * found: the diagnosis that was loaded with the task and its steps. moved: the states of steps that have moved since, by name; what was said of them is no longer
 * true and not shown. actions(waiting) draws what belongs below.
 */
export function Why({ task, steps, found, moved, actions }) {
  const waiting = found.waiting.filter((step) => moved[step.name] === undefined || moved[step.name] === step.state);
  const causes = [...new Set(waiting.map((step) => step.cause))].sort((a, b) => rank(a) - rank(b));
  const isOnly = causes.every((cause) => FOLLOWS.includes(cause));
  const [first, rest] = isOnly ? [causes, []] : [causes.filter((cause) => !FOLLOWS.includes(cause)), causes.filter((cause) => FOLLOWS.includes(cause))];
  const list = (cause) => html`<${Cause} key=${cause} task=${task} cause=${cause} steps=${waiting.filter((step) => step.cause === cause)} all=${steps} />`;
  return html`${task.cancel_request && html`<p>${t.task.cancelRequested(task.cancel_request.by, task.cancel_request.reason)}</p>`}
    ${found.explanation && waiting.length === found.waiting.length && html`<p><strong data-explanation>${withTimes(found.explanation)}</strong></p>`}
    <${Unserved} waiting=${waiting} /><ul class="why">${first.map(list)}</ul>${actions(waiting)}
    ${rest.length > 0 && html`<details data-folded><summary class="small">${t.why.follows(waiting.filter((step) => rest.includes(step.cause)).length)}</summary><ul class="why">${rest.map(list)}</ul></details>`}`;
}
