// Where time goes: charts by minute, the slowest steps and templates, and advice.
import { html } from "../dom.js";
import { get, link, mayEverywhere, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Activity, useTimeline } from "../activity.js";
import { Loaded, PageHead, Panel, span, Table, Toolbar } from "../ui/index.js";

const HOURS = ["1", "24", "168", "840"];
const seconds = (value) => span(1000 * value);
const percent = (value) => `${(100 * value).toFixed(1)} %`;

const Slow = ({ label, rows, isStep }) => (rows.length === 0 ? html`<p>${t.analytics.none}</p>` : html`<${Table} label=${label} head=${[t.tasks.template, ...(isStep ? [t.task.step] : []), t.analytics.mean, "p50", "p95", "p99", t.analytics.most, t.analytics.least, ...(isStep ? [t.analytics.runs, t.analytics.errors] : [t.analytics.ended, t.analytics.inError, t.analytics.blocked])]}>
  ${rows.map((row) => html`<tr key=${row.template_step_uuid ?? row.template_uuid}><td><a href=${link("templates", row.namespace, row.name, { version: row.version, step: row.step })}>${row.namespace}/${row.name}</a> <span class="quiet small">${row.version}</span></td>
    ${isStep && html`<td>${row.step}</td>`}<td>${seconds(row.avg_duration_seconds)}</td>${[row.p50_seconds, row.p95_seconds, row.p99_seconds].map((value) => html`<td>${value !== null && seconds(value)}</td>`)}<td>${seconds(row.max_duration_seconds)}</td><td>${seconds(row.min_duration_seconds)}</td><td>${row.execution_count.toLocaleString()}</td><td>${percent(row.error_rate)}</td>
    ${!isStep && html`<td>${row.blocked_tasks > 0 ? html`<a class="f-blocked" href=${link("tasks", { namespace: row.namespace, name: row.name, version: row.version, state: "blocked_by_failures" })}>${row.blocked_tasks.toLocaleString()}</a>` : "0"}</td>`}</tr>`)}<//>`);

export default function Analytics({ params }) {
  const hours = HOURS.includes(params.get("hours")) ? params.get("hours") : "24";
  const some = (shared.me.granted.get("system:analytics_read") ?? []).filter(Boolean);
  const namespace = params.get("namespace") ?? (mayEverywhere("system:analytics_read") ? "" : some[0]);
  const timeline = useTimeline(namespace);
  const found = useLoad((signal) => get("v1/analytics/bottlenecks", { hours, namespace, min_executions: 1, limit: 20 }, signal), [hours, namespace], 60_000);
  return html`<${PageHead} title=${t.pages.analytics} />
    <${Toolbar}><select name="hours" class="inline" aria-label=${t.failures.period} value=${hours} onChange=${(e) => setParams({ hours: e.target.value })}>${HOURS.map((one) => html`<option value=${one}>${t.failures.hours(one)}</option>`)}</select>
      <input type="search" name="namespace" aria-label=${t.tasks.namespace} placeholder=${t.tasks.namespace} value=${namespace} onChange=${(e) => setParams({ namespace: e.target.value.trim() })} /><//>
    <div class="panels"><${Activity} timeline=${timeline} /></div>
    <${Loaded} of=${found}>${(all) => html`
      <${Panel} title=${t.analytics.advice}>${all.recommendations.length === 0 ? html`<p>${t.analytics.noAdvice}</p>` : html`<ul>${all.recommendations.map((sentence) => html`<li>${sentence}</li>`)}</ul>`}<//>
      <${Panel} flat title=${t.analytics.slowSteps}><${Slow} label=${t.analytics.slowSteps} rows=${all.slow_steps} isStep /><//>
      <${Panel} flat title=${t.analytics.slowTasks}><${Slow} label=${t.analytics.slowTasks} rows=${all.slow_tasks} /><//>`}<//>`;
}
