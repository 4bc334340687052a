// What failed, in groups of template, step and error.
import { html } from "../dom.js";
import { Bulk } from "../bulk.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Ago, Field, Loaded, Table, Time } from "../ui.js";

/** The filter that finds exactly the tasks of a group. */
const filterOf = ({ namespace, name, step, error_type: type, signature }) =>
  ({ namespace, name, failed_step: step, ...(type && { error_type: type }), ...(signature && { error_signature: signature }) });

const HOURS = ["1", "6", "24", "168"];

export default function Failures({ params }) {
  const hours = HOURS.includes(params.get("hours")) ? params.get("hours") : "24";
  const namespace = params.get("namespace") ?? "";
  const failures = useLoad((signal) => get("v1/failures", { hours, namespace }, signal), [hours, namespace], 30_000);
  return html`<h1>${t.pages.failures}</h1>
    <div class="filters"><${Field} label=${t.failures.period}><select name="hours" value=${hours} onChange=${(e) => setParams({ hours: e.target.value })}>${HOURS.map((one) => html`<option value=${one}>${t.failures.hours(one)}</option>`)}</select><//>
      <${Field} label=${t.tasks.namespace}><input type="search" name="namespace" value=${namespace} onChange=${(e) => setParams({ namespace: e.target.value.trim() })} /><//></div>
    <${Loaded} of=${failures}>${(found) => html`${found.more && html`<p class="note warn">${t.failures.more(found.counted_tasks)} <${Time} at=${found.counted_since} /></p>`}
      ${found.failures.length === 0 ? html`<p>${t.failures.none}</p>`
      : html`<${Table} label=${t.pages.failures} head=${[t.failures.tasks, t.tasks.template, t.task.step, t.failures.error, t.failures.last, t.failures.latest]}>${found.failures.map((group) => html`<tr key=${[group.namespace, group.name, group.step, group.error_type, group.signature].join()}>
        <td>${group.tasks.toLocaleString()}${group.blocked_tasks > 0 && html`<div class="f-blocked small"><a href=${link("tasks", { ...filterOf(group), state: "blocked_by_failures" })}>${t.failures.blocked(group.blocked_tasks)}</a></div>
          ${may("tasks:act", group.namespace) && html`<${Bulk} label=${t.failures.retry(group.blocked_tasks)} action="retry" filter=${{ ...filterOf(group), state: "blocked_by_failures" }} onDone=${failures.reload} />`}`}</td>
        <td><a href=${link("tasks", { ...filterOf(group), state: "blocked_by_failures,error" })}>${group.namespace}/${group.name}</a> <span class="quiet small">${group.versions.join(", ")}</span></td>
        <td>${group.step}</td><td class="error"><span class="quiet small">${group.error_type}</span> ${group.signature ?? t.none}</td>
        <td><${Ago} at=${group.last_at} /></td><td><a href=${link("tasks", group.task_uuid, { step: group.step })}>${t.failures.open}</a></td></tr>`)}<//>`}`}<//>`;
}
