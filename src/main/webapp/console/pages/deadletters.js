// Dead letters: tasks that need an investigation.
import { html } from "../dom.js";
import { change, get, link, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Field, Json, Loaded, Table, Time, words } from "../ui.js";

const STATUSES = ["pending", "manually_resolved", "permanently_failed", "cancelled"];

export default function DeadLetters({ params }) {
  const status = params.get("status") ?? "pending";
  const cursor = params.get("cursor");
  const page = useLoad((signal) => get("v1/dlq", { resolution_status: status === "all" ? null : status, cursor, limit: 50 }, signal), [status, cursor], 15_000);
  const close = (entry) => ({ resolution_status, notes }, key) =>
    change("PATCH", `v1/dlq/entry/${entry.dlq_entry_uuid}`, { resolution_status, resolved_by: shared.me.name, resolution_notes: notes }, key);
  return html`<h1>${t.pages.deadLetters}</h1>
    <div class="filters"><${Field} label=${t.dead.status}><select name="status" value=${status} onChange=${(e) => setParams({ status: e.target.value, cursor: null })}>
      ${STATUSES.map((name) => html`<option value=${name}>${t.dead.statuses[name]}</option>`)}<option value="all">${t.all}</option></select><//></div>
    <${Loaded} of=${page}>${({ entries, next }) => html`${entries.length === 0 ? html`<p>${t.dead.none}</p>` : html`
      <${Table} label=${t.pages.deadLetters} head=${[t.dead.reason, t.dead.task, t.dead.since, t.dead.status, t.dead.notes, t.task.act]}>${entries.map((entry) => html`<tr key=${entry.dlq_entry_uuid} data-entry=${entry.dlq_entry_uuid}>
        <td>${words(entry.dlq_reason)}</td><td><a href=${link("tasks", entry.task_uuid)}>${entry.namespace ?? entry.task_uuid}</a><details><summary class="small">${t.dead.snapshot}</summary><${Json} value=${entry.task_snapshot} name="snapshot" /></details></td>
        <td><${Ago} at=${entry.dlq_timestamp} /></td><td>${t.dead.statuses[entry.resolution_status] ?? entry.resolution_status}${entry.resolved_by && html`<div class="small quiet">${entry.resolved_by} <${Time} at=${entry.resolution_timestamp} /></div>`}</td>
        <td>${entry.resolution_notes}</td><td><${Action} label=${t.dead.resolve} of=${t.dead.named(entry)} kind=${t.dead.kind} sentence=${t.dead.resolveSentence} withReason=${false} isOffered=${entry.allowed_actions?.includes("update")} onDone=${page.reload} send=${close(entry)}
          fields=${[{ name: "resolution_status", label: t.dead.status, kind: "select", options: STATUSES.slice(1), value: STATUSES[1] }, { name: "notes", label: t.dead.notes, required: true }]} /></td></tr>`)}<//>`}
      <div class="row">${cursor && html`<button type="button" onClick=${() => setParams({ cursor: null })}>${t.first}</button>`}${next && html`<a class="button" href=${link("deadLetters", { status, cursor: next })}>${t.more}</a>`}</div>`}<//>`;
}
