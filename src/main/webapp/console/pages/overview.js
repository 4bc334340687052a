// Whether it is healthy, whether it keeps up, and what needs a person.
import { html } from "../dom.js";
import { countBy, get, link, may, mayEverywhere, useLoad } from "../core.js";
import { Activity, useTimeline } from "../activity.js";
import { t } from "../texts.js";
import { Ago, Empty, ENDED, family, Guard, Loaded, Meter, PageHead, Panel, Said, span, Stat, State, Stats, Table, TASK_STATES } from "../ui/index.js";

const EVERY = 5_000;
const GROUPS = 6;
/** Of all failures, among which those of blocked tasks are looked for. */
const MOST_GROUPS = 100;

const Line = ({ sign, colour, children }) => html`<li class="row"><span class=${colour} aria-hidden="true">${sign}</span><div>${children}</div></li>`;

/** The failures of the last day with their errors, or for whoever may not read errors the tasks. */
function Failed({ namespace }) {
  const readsErrors = may("steps:read", namespace || undefined);
  const found = useLoad((signal) => (readsErrors ? get("v1/failures", { hours: 24, namespace, limit: MOST_GROUPS }, signal) : get("v1/tasks", { state: "blocked_by_failures", namespace, limit: GROUPS }, signal)), [namespace], EVERY);
  return html`<${Loaded} of=${found}>${({ failures, tasks }) => {
    if (tasks) return tasks.map((task) => html`<${Line} key=${task.task_uuid} sign="▲" colour="f-blocked"><a href=${link("tasks", task.task_uuid)}>${task.namespace}/${task.name}</a> <span class="quiet small"><${Ago} at=${task.updated_at} /></span><//>`);
    return failures.filter((group) => group.blocked_tasks > 0).slice(0, GROUPS).map((group) => html`<${Line} key=${[group.namespace, group.name, group.step, group.error_type, group.signature].join()} sign="▲" colour="f-blocked">
      <a href=${link("tasks", group.task_uuid, { step: group.step })} data-needs=${group.task_uuid}>${group.name} · ${group.step}</a> <span class="quiet small">${t.failures.blocked(group.blocked_tasks)} · <${Ago} at=${group.last_at} /></span>
      <div class="f-failed"><${Said} text=${group.message ?? group.error_type ?? t.none} /></div><//>`);
  }}<//>`;
}

/** Unfinished tasks that are past their SLA. */
function Breaches({ namespace }) {
  const filter = { sla_breached: "true", state_not: [...ENDED].join(","), ...(namespace && { namespace }) };
  const late = useLoad((signal) => get("v1/tasks:count", filter, signal), [namespace], 2 * EVERY);
  return html`<${Loaded} of=${late}>${({ count, more }) => html`<p class="small" data-late=${count}>${count === 0 ? html`<span class="quiet">${t.overview.lateNone}</span>` : html`<a class="f-retry" href=${link("tasks", filter)}>${t.overview.late(count, more)}</a>`}</p>`}<//>`;
}

function Decisions({ namespace }) {
  const open = useLoad((signal) => get("v1/approvals", { state: "open", namespace, limit: 3 }, signal), [namespace], 2 * EVERY);
  return html`<${Loaded} of=${open}>${({ approvals }) => approvals.map((one) => html`<${Line} key=${one.approval_uuid} sign="◇" colour="f-other"><a href=${link("approvals", one.approval_uuid)}>${one.title}</a>
    <div class="quiet small">${one.namespace}/${one.name} · ${t.approvals.due} <${Ago} at=${one.due_at} /></div><//>`)}<//>`;
}

function DeadLetters({ namespace }) {
  // The sums are of all namespaces.
  const dead = useLoad((signal) => (namespace || !mayEverywhere("dlq:read") ? get("v1/dlq", { resolution_status: "pending", limit: 100 }, signal) : get("v1/dlq/stats", {}, signal)), [namespace], 2 * EVERY);
  return html`<${Loaded} of=${dead}>${({ reasons, entries, next }) => {
    const open = entries?.filter((entry) => !namespace || entry.namespace === namespace).length ?? reasons.reduce((total, reason) => total + reason.pending, 0);
    return open > 0 && html`<${Line} sign="✉" colour="f-failed"><a href=${link("deadLetters")}>${t.overview.dead(open, !!next)}</a><//>`;
  }}<//>`;
}

function Pauses({ namespace }) {
  const pauses = useLoad((signal) => get("v1/pauses", {}, signal), [], 2 * EVERY);
  return html`<${Loaded} of=${pauses}>${({ pauses: all }) => all.filter((pause) => !namespace || pause.namespace === namespace).map((pause) => html`<${Line} key=${[pause.namespace, pause.name, pause.version].join()} sign="‖" colour="f-retry">
    ${t.overview.pausedIs([pause.namespace, pause.name, pause.version].filter(Boolean).join("/"))}<div class="quiet small">${t.templates.pausedBy(pause)}</div><//>`)}<//>`;
}

function Needs({ namespace }) {
  return html`<${Panel} title=${t.overview.attention}><ul class="lines">
    ${may("tasks:list") && html`<${Failed} namespace=${namespace} />`}
    ${may("approvals:read") && html`<${Decisions} namespace=${namespace} />`}
    ${may("dlq:read") && html`<${DeadLetters} namespace=${namespace} />`}
    ${may("templates:read") && html`<${Pauses} namespace=${namespace} />`}</ul>
    ${may("tasks:list") && html`<${Breaches} namespace=${namespace} />`}<//>`;
}

const GROUPS_OF_STATES = { blocked: ["blocked_by_failures"], open: TASK_STATES.filter((state) => !ENDED.has(state) && state !== "blocked_by_failures") };

const sum = (minutes, member) => minutes.reduce((total, minute) => total + (minute[member] ?? 0), 0);

/** What a reader sees in the first second: work under way, its pace, its errors, its speed. */
function Figures({ namespace, timeline }) {
  const counts = useLoad((signal) => countBy({ namespace }, GROUPS_OF_STATES, signal), [namespace], EVERY);
  const minutes = timeline.data?.minutes ?? [];
  const trend = (member) => minutes.map((minute) => minute[member]);
  const { blocked, open } = counts.data ?? {};
  const [done, failed, runs, errors] = ["completed", "failed", "executions", "errors"].map((member) => sum(minutes, member));
  const withRuns = minutes.filter((minute) => minute.executions > 0);
  const mean = withRuns.reduce((total, minute) => total + minute.average_step_seconds * minute.executions, 0) / Math.max(1, runs);
  return html`<${Stats}>
    <${Stat} label=${t.overview.blocked} value=${blocked ? t.atLeast(blocked) : "–"} colour=${blocked?.count > 0 ? "f-blocked" : "f-complete"} hint=${blocked?.count > 0 ? t.overview.blockedHint : t.overview.attentionNone} data="blocked" href=${link("tasks", { state: "blocked_by_failures", namespace })} />
    <${Stat} label=${t.overview.open} value=${open ? t.atLeast(open) : "–"} hint=${t.overview.submitted(sum(minutes, "created"))} trend=${trend("created")} data="open" href=${link("tasks", { state_not: [...ENDED, "blocked_by_failures"].join(","), namespace })} />
    <${Stat} label=${t.overview.done} value=${done.toLocaleString()} hint=${t.overview.endedIn(failed)} trend=${trend("completed")} colour="f-complete" data="done" href=${link("tasks", { state: "complete", namespace })} />
    <${Stat} label=${t.overview.errors} value=${runs > 0 ? `${((100 * errors) / runs).toFixed(1)} %` : "–"} hint=${t.overview.ofRuns(errors, runs)} trend=${trend("errors")} colour=${errors > 0 ? "f-failed" : "f-complete"} data="errors" href=${link("failures", { hours: "1", namespace })} />
    <${Stat} label=${t.overview.duration} value=${runs > 0 ? span(1000 * mean) : "–"} hint=${t.overview.lastHour} trend=${trend("average_step_seconds")} data="duration" href=${link("analytics", { namespace })} /><//>`;
}

function Counts({ namespace }) {
  const counted = useLoad((signal) => get("v1/tasks:count", { namespace }, signal), [namespace], EVERY);
  return html`<${Panel} title=${t.overview.byState}><${Loaded} of=${counted}>${({ by_state: tasks, more, count }) => {
    const states = Object.keys(tasks).sort((a, b) => TASK_STATES.indexOf(a) - TASK_STATES.indexOf(b));
    const most = Math.max(1, ...states.map((state) => tasks[state]));
    return states.length === 0 ? html`<${Empty} icon="tasks" title=${t.overview.noTask}><p class="quiet">${t.overview.first}</p><pre>${t.overview.firstCommand}</pre>${may("tasks:create") && html`<p><a class="button main" href=${link("templates")}>${t.overview.firstForm}</a></p>`}<//>`
      : html`<div class="bars">${states.map((state) => html`
      <a href=${link("tasks", { state, namespace })}><${State} of=${state} /></a>
      <svg class=${`f-${family(state)}`} width="100%" height="8" fill="currentcolor" aria-hidden="true"><rect width=${`${(100 * tasks[state]) / most}%`} height="8" rx="4" /></svg>
      <span data-count=${state}>${tasks[state].toLocaleString()}</span>`)}</div>${more && html`<p class="quiet small">${t.overview.newestOnly(count)}</p>`}`;
  }}<//><//>`;
}

function Servers() {
  const servers = useLoad((signal) => get("v1/servers", {}, signal), [], EVERY);
  const queues = useLoad((signal) => get("v1/queues", {}, signal), [], EVERY);
  return html`<${Panel} title=${t.overview.servers} flat><${Loaded} of=${servers}>${({ servers: all }) => (all.length === 0 ? html`<p>${t.overview.serversNone}</p>` : html`<${Table} label=${t.overview.servers} head=${[t.servers.health, t.servers.name, t.servers.load]}>${all.map((server) => html`<tr key=${server.server_uuid}>
      <td class="fit"><${State} of=${server.health} /></td><td><a href=${link("servers")}>${server.name}</a></td><td class="fit"><${Meter} part=${server.running} of=${server.capacity} colour="f-running" />${server.running} / ${server.capacity}</td></tr>`)}<//>`)}<//><//>
    <${Panel} title=${t.overview.queues} flat><${Loaded} of=${queues}>${({ queues: all }) => {
      const busy = all.filter((queue) => queue.queue_length || queue.parked).sort((a, b) => (b.oldest_msg_age_seconds ?? -1) - (a.oldest_msg_age_seconds ?? -1)).slice(0, 8);
      return busy.length === 0 ? html`<p class="quiet">${t.overview.queuesIdle}</p>` : html`<${Table} label=${t.overview.queues} head=${[t.servers.queue, t.servers.length, t.servers.oldest]}>${busy.map((queue) => html`<tr key=${queue.queue_name}><td><a href=${link("queues")}>${queue.queue_name}</a></td>
        <td>${queue.queue_length.toLocaleString()}${queue.parked > 0 && html` <span class="f-failed small">${t.servers.parked} ${queue.parked.toLocaleString()}</span>`}</td><td class="fit">${queue.oldest_msg_age_seconds !== null && span(1000 * queue.oldest_msg_age_seconds)}</td></tr>`)}<//>`;
    }}<//><//>`;
}

function Measured({ namespace }) {
  const timeline = useTimeline(namespace);
  return html`<${Figures} namespace=${namespace} timeline=${timeline} /><div class="panels two"><div><${Activity} timeline=${timeline} /></div><div><${Needs} namespace=${namespace} /></div></div>`;
}

export default function Overview({ params }) {
  const namespace = params.get("namespace") ?? "";
  const seesCounts = may("system:analytics_read", namespace || null);
  return html`<${PageHead} title=${t.pages.overview} /><${Guard}>
    ${seesCounts ? html`<${Measured} namespace=${namespace} />` : html`<${Needs} namespace=${namespace} />`}
    <div class="panels">${seesCounts ? html`<${Counts} namespace=${namespace} />` : html`<${Panel} title=${t.overview.byState}><p class="quiet">${t.overview.noCounts}</p><//>`}
    ${mayEverywhere("system:servers_read") && html`<${Servers} />`}</div><//>`;
}
