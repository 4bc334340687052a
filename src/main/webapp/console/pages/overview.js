// What happens now, and what needs an operator.
import { html } from "../dom.js";
import { get, link, may, mayEverywhere, useLoad } from "../core.js";
import { Activity } from "../activity.js";
import { t } from "../texts.js";
import { Ago, ENDED, Facts, Guard, Loaded, Panel, span, State, TASK_STATES, family } from "../ui.js";

const EVERY = 5_000;

function Attention() {
  const blocked = useLoad((signal) => get("v1/tasks", { state: "blocked_by_failures", limit: 10 }, signal), [], EVERY);
  return html`<${Panel} title=${t.overview.attention}><${Loaded} of=${blocked}>${({ tasks, next }) => html`
    ${tasks.length === 0 && html`<p>${t.overview.attentionNone}</p>`}
    <ul>${tasks.map((task) => html`<li key=${task.task_uuid}><${State} of=${task.state} /> <a href=${link("tasks", task.task_uuid)}>${task.namespace}/${task.name}</a> <span class="quiet small"><${Ago} at=${task.updated_at} /></span></li>`)}</ul>
    ${next && html`<p><a href=${link("tasks", { state: "blocked_by_failures" })}>${t.all}</a></p>`}`}<//><${Breaches} /><//>`;
}

/** Unfinished tasks that are past their SLA. */
function Breaches() {
  const filter = { sla_breached: "true", state_not: [...ENDED].join(",") };
  const late = useLoad((signal) => get("v1/tasks:count", filter, signal), [], 2 * EVERY);
  return html`<${Loaded} of=${late}>${({ count, more }) => html`<p data-late=${count}>${count === 0 ? t.overview.lateNone : html`<a class="f-retry" href=${link("tasks", filter)}>${t.overview.late(count, more)}</a>`}</p>`}<//>`;
}

function Counts() {
  const health = useLoad((signal) => get("v1/analytics/health", {}, signal), [], EVERY);
  return html`<${Panel} title=${t.overview.byState}><${Loaded} of=${health}>${({ tasks }) => {
    const states = Object.keys(tasks).sort((a, b) => TASK_STATES.indexOf(a) - TASK_STATES.indexOf(b));
    const most = Math.max(1, ...states.map((state) => tasks[state]));
    return html`<div class="bars">${states.map((state) => html`
      <a href=${link("tasks", { state })}><${State} of=${state} /></a>
      <svg class=${`f-${family(state)}`} aria-hidden="true"><rect width=${`${(100 * tasks[state]) / most}%`} height="10" /></svg>
      <span data-count=${state}>${tasks[state].toLocaleString()}</span>`)}</div>`;
  }}<//><//>`;
}

function LastHour() {
  const hour = useLoad((signal) => get("v1/analytics/performance", { hours: 1 }, signal), [], 4 * EVERY);
  return html`<${Panel} title=${t.overview.lastHour}><${Loaded} of=${hour}>${(figures) => html`<dl class="figures">
    ${[[t.overview.completed, figures.completed_tasks], [t.overview.failed, figures.failed_tasks], [t.overview.tasksPerHour, Math.round(figures.tasks_per_hour)],
      [t.overview.duration, span(1000 * figures.average_task_duration_seconds)]].map(([name, value]) => html`<div><dt>${name}</dt><dd>${value.toLocaleString()}</dd></div>`)}</dl>`}<//><//>`;
}

function DeadLetters() {
  const dead = useLoad((signal) => get("v1/dlq", { resolution_status: "pending", limit: 5 }, signal), [], 2 * EVERY);
  return html`<${Panel} title=${t.overview.deadLetters}><${Loaded} of=${dead}>${({ entries }) => html`
    ${entries.length === 0 && html`<p>${t.overview.deadNone}</p>`}
    <ul>${entries.map((entry) => html`<li key=${entry.dlq_entry_uuid}><a href=${link("tasks", entry.task_uuid)}>${entry.dlq_reason}</a> ${entry.namespace} <span class="quiet small"><${Ago} at=${entry.dlq_timestamp} /></span></li>`)}</ul>
    <p><a href=${link("deadLetters")}>${t.pages.deadLetters}</a></p>`}<//><//>`;
}

function Pauses() {
  const pauses = useLoad((signal) => get("v1/pauses", {}, signal), [], 2 * EVERY);
  return html`<${Panel} title=${t.overview.paused}><${Loaded} of=${pauses}>${({ pauses: all }) => html`
    ${all.length === 0 && html`<p>${t.overview.pausedNone}</p>`}
    <ul>${all.map((pause) => html`<li>${[pause.namespace, pause.name, pause.version].filter(Boolean).join(" / ")} <span class="quiet">${t.templates.pausedBy(pause)}</span></li>`)}</ul>`}<//><//>`;
}

function Servers() {
  const servers = useLoad((signal) => get("v1/servers", {}, signal), [], EVERY);
  const queues = useLoad((signal) => get("v1/queues", {}, signal), [], EVERY);
  return html`<${Panel} title=${t.overview.servers}><${Loaded} of=${servers}>${({ servers: all }) => html`
    ${all.length === 0 && html`<p>${t.overview.serversNone}</p>`}
    <ul>${all.map((server) => html`<li key=${server.server_uuid}><${State} of=${server.health} /> ${server.name} <span class="quiet">${server.running} / ${server.capacity}</span></li>`)}</ul>`}<//><//>
    <${Panel} title=${t.overview.queues}><${Loaded} of=${queues}>${({ queues: all }) => {
      const busy = all.filter((queue) => queue.queue_length || queue.parked);
      return busy.length === 0 ? html`<p>${t.overview.queuesIdle}</p>` : html`<${Facts} of=${busy.map((queue) => [queue.queue_name,
        `${queue.queue_length.toLocaleString()}, ${t.overview.oldest} ${span(1000 * (queue.oldest_msg_age_seconds ?? 0))}${queue.parked ? `, ${t.servers.parked} ${queue.parked}` : ""}`])} />`;
    }}<//><//>`;
}

export default function Overview() {
  const seesCounts = mayEverywhere("system:analytics_read");
  return html`<h1>${t.pages.overview}</h1><div class="panels"><${Guard}>
    ${may("tasks:list") && html`<${Attention} />`}
    ${seesCounts ? html`<${Counts} /><${LastHour} /><${Activity} />` : html`<${Panel} title=${t.overview.byState}><p class="quiet">${t.overview.noCounts}</p><//>`}
    ${may("dlq:read") && html`<${DeadLetters} />`}
    ${may("templates:read") && html`<${Pauses} />`}
    ${mayEverywhere("system:servers_read") && html`<${Servers} />`}<//></div>`;
}
