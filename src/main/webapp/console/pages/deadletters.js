// Dead letters: tasks that need an investigation.
import { html } from "../dom.js";
import { change, get, link, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { FailureTabs } from "./failures.js";
import { Action, Ago, Empty, Field, Json, Loaded, PageHead, Pages, Panel, Table, Time, Toolbar, words } from "../ui/index.js";

const STATUSES = ["pending", "manually_resolved", "permanently_failed", "cancelled"];

/** Of the task, as it was at that time. */
const nameOf = (entry) => [entry.namespace, entry.task_snapshot?.task?.name ?? entry.task_snapshot?.name].filter(Boolean).join("/") || entry.task_uuid;

export default function DeadLetters({ params }) {
  const status = params.get("status") ?? "pending";
  const cursor = params.get("cursor");
  const page = useLoad((signal) => get("v1/dlq", { resolution_status: status === "all" ? null : status, cursor, limit: 50 }, signal), [status, cursor], 15_000);
  const close = (entry) => ({ resolution_status, notes }, key) =>
    change("PATCH", `v1/dlq/entry/${entry.dlq_entry_uuid}`, { resolution_status, resolved_by: shared.me.name, resolution_notes: notes }, key);
  return html`<${PageHead} title=${t.pages.deadLetters} />
    <${FailureTabs} current="deadLetters" />
    <${Panel} flat><${Toolbar}><${Field} label=${t.dead.status}><select name="status" value=${status} onChange=${(e) => setParams({ status: e.target.value, cursor: null })}>
      ${STATUSES.map((name) => html`<option value=${name}>${t.dead.statuses[name]}</option>`)}<option value="all">${t.all}</option></select><//><//>
    <${Loaded} of=${page}>${({ entries, next }) => html`${entries.length === 0 ? html`<${Empty} icon="failures" title=${t.dead.none} />` : html`
      <${Table} label=${t.pages.deadLetters} head=${[t.dead.reason, t.dead.task, t.dead.since, t.dead.status, t.dead.notes, t.task.act]}>${entries.map((entry) => html`<tr key=${entry.dlq_entry_uuid} data-entry=${entry.dlq_entry_uuid}>
        <td class="fit f-failed">${words(entry.dlq_reason)}</td><td><a href=${link("tasks", entry.task_uuid)} title=${entry.task_uuid}>${nameOf(entry)}</a> <span class="quiet mono">…${entry.task_uuid.slice(-6)}</span><details><summary class="small">${t.dead.snapshot}</summary><${Json} value=${entry.task_snapshot} name="snapshot" /></details></td>
        <td><${Ago} at=${entry.dlq_timestamp} /></td><td>${t.dead.statuses[entry.resolution_status] ?? entry.resolution_status}${entry.resolved_by && html`<div class="small quiet">${entry.resolved_by} <${Time} at=${entry.resolution_timestamp} /></div>`}</td>
        <td>${entry.resolution_notes}</td><td><${Action} label=${t.dead.resolve} of=${t.dead.named(entry)} kind=${t.dead.kind} sentence=${t.dead.resolveSentence} withReason=${false} isOffered=${entry.allowed_actions?.includes("update")} onDone=${page.reload} send=${close(entry)}
          fields=${[{ name: "resolution_status", label: t.dead.status, kind: "select", options: STATUSES.slice(1), value: STATUSES[1] }, { name: "notes", label: t.dead.notes, required: true }]} /></td></tr>`)}<//>`}
      <${Pages} first=${cursor && (() => setParams({ cursor: null }))} next=${next && link("deadLetters", { status, cursor: next })} />`}<//><//>`;
}
