// Dead letters: tasks that need an investigation. Each blocked task has one, so that this is their list: what failed, a retry, and the investigation.
import { html } from "../dom.js";
import { change, get, link, may, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { FailureTabs } from "./failures.js";
import { Action, Ago, Empty, Fold, Json, Loaded, PageHead, Pages, Panel, Said, State, Table, Time, Toolbar, words } from "../ui/index.js";

const STATUSES = ["pending", "manually_resolved", "permanently_failed", "cancelled"];

/** Of the task; of one that the reader may not list, its namespace. */
const nameOf = (entry, task) => [entry.namespace, task?.name].filter(Boolean).join("/") || entry.task_uuid;

export default function DeadLetters({ params }) {
  const status = params.get("status") ?? "pending";
  const cursor = params.get("cursor");
  const page = useLoad(async (signal) => {
    const found = await get("v1/dlq", { resolution_status: status === "all" ? null : status, cursor, limit: 50 }, signal);
    const uuids = found.entries.map((entry) => entry.task_uuid).join(",");
    const { tasks } = uuids && may("tasks:list") ? await get("v1/tasks", { task_uuid: uuids, limit: 50, include: may("steps:read") ? "failure" : null }, signal) : { tasks: [] };
    return { ...found, tasks: new Map(tasks.map((task) => [task.task_uuid, task])) };
  }, [status, cursor], 15_000);
  const retry = (task) => ({ reason }, key) => change("PATCH", `v1/tasks/${task.task_uuid}`, { action_type: "retry", requested_by: shared.me.name, reason }, key);
  const close = (entry) => ({ resolution_status, notes }, key) =>
    change("PATCH", `v1/dlq/entry/${entry.dlq_entry_uuid}`, { resolution_status, resolved_by: shared.me.name, resolution_notes: notes }, key);
  return html`<${PageHead} title=${t.pages.deadLetters} />
    <${FailureTabs} current="deadLetters" />
    <${Panel} flat><${Toolbar}><select name="status" class="inline" aria-label=${t.dead.status} value=${status} onChange=${(e) => setParams({ status: e.target.value, cursor: null })}>
      ${STATUSES.map((name) => html`<option value=${name}>${t.dead.statuses[name]}</option>`)}<option value="all">${t.all}</option></select><//>
    <${Loaded} of=${page}>${({ entries, next, tasks }) => html`${entries.length === 0 ? html`<${Empty} icon="failures" title=${t.dead.none} />` : html`
      <${Table} label=${t.pages.deadLetters} head=${[t.dead.reason, t.dead.task, t.tasks.cause, t.dead.since, t.dead.status, t.dead.notes, t.task.act]}>${entries.map((entry) => [entry, tasks.get(entry.task_uuid)]).map(([entry, task]) => html`<tr key=${entry.dlq_entry_uuid} data-entry=${entry.dlq_entry_uuid}>
        <td class="fit"><span class="f-failed">${words(entry.dlq_reason)}</span></td><td><a href=${link("tasks", entry.task_uuid)} title=${entry.task_uuid}>${nameOf(entry, task)}</a> <span class="quiet mono">…${entry.task_uuid.slice(-6)}</span><${Fold} summary=${t.dead.snapshot}>${() => html`<${Json} value=${entry.task_snapshot} name="snapshot" />`}<//></td>
        <td class="error">${task && html`<${State} of=${task.state} />`} ${task?.failure && html`<span class="f-failed"><strong>${task.failure.step}</strong> <${Said} text=${task.failure.message ?? task.failure.error_type} /></span>`}</td><td><${Ago} at=${entry.dlq_timestamp} /></td><td>${t.dead.statuses[entry.resolution_status] ?? entry.resolution_status}${entry.resolved_by && html`<div class="small quiet">${entry.resolved_by} <${Time} at=${entry.resolution_timestamp} /></div>`}</td>
        <td>${entry.resolution_notes}</td><td><div class="row">${task?.state === "blocked_by_failures" && may("tasks:act", task.namespace) && html`<${Action} label=${t.task.actions.retry[0]} of=${nameOf(entry, task)} kind=${t.task.kind} sentence=${t.task.actions.retry[1]} onDone=${page.reload} send=${retry(task)} />`}<${Action} label=${t.dead.resolve} of=${t.dead.named(entry)} kind=${t.dead.kind} sentence=${t.dead.resolveSentence} withReason=${false} isOffered=${entry.allowed_actions?.includes("update")} onDone=${page.reload} send=${close(entry)}
          fields=${[{ name: "resolution_status", label: t.dead.status, kind: "select", options: STATUSES.slice(1), value: STATUSES[1] }, { name: "notes", label: t.dead.notes, required: true }]} /></div></td></tr>`)}<//>`}
      <${Pages} first=${cursor && (() => setParams({ cursor: null }))} next=${next && link("deadLetters", { status, cursor: next })} />`}<//><//>`;
}
