// What failed, in groups of template, step and error, the largest first; beside it the dead letters, which are tasks that need an investigation.
import { html, useState } from "../dom.js";
import { BulkDialog, CLOSE } from "../bulk.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Ago, Empty, Loaded, PageHead, Panel, Said, Spark, Stat, Stats, Table, Tabs, Time, Toolbar } from "../ui/index.js";

/** The filter that finds exactly the tasks of a group. */
const filterOf = ({ namespace, name, step, error_type: type, signature }) =>
  ({ namespace, name, failed_step: step, ...(type && { error_type: type }), ...(signature && { error_signature: signature }) });

const HOURS = ["1", "6", "24", "168"];
const fits = (group, text) => [group.namespace, group.name, group.step, group.error_type, group.signature, group.message].some((one) => one?.toLowerCase().includes(text));

/** What failed, and what is investigated. */
export const FailureTabs = ({ current, namespace }) => html`<${Tabs} label=${t.pages.failures} current=${current} of=${[...(may("steps:read") && may("tasks:list") ? [["failures", t.failures.groups, link("failures", { namespace })]] : []), ...(may("dlq:read") ? [["deadLetters", t.pages.deadLetters, link("deadLetters")]] : [])]} />`;

/** A row, not a component: the table names its cells. */
function row({ key, group, act }) {
  const blocked = { ...filterOf(group), state: "blocked_by_failures" };
  return html`<tr key=${key}><td class="fit"><strong>${group.tasks.toLocaleString()}</strong>${group.blocked_tasks > 0 && html`<div class="small"><a class="f-blocked" href=${link("tasks", blocked)}>${t.failures.blocked(group.blocked_tasks)}</a></div>`}</td>
    <td class="error"><div class="f-failed"><${Said} text=${group.message ?? group.signature ?? t.none} /></div><div class="small"><a href=${link("tasks", { ...filterOf(group), state: "blocked_by_failures,error" })}>${group.namespace}/${group.name}</a> · <strong>${group.step}</strong> <span class="quiet">${[group.error_type, ...group.versions].filter(Boolean).join(" · ")}</span></div></td>
    <td><${Spark} values=${group.counts} colour="f-failed" /></td><td class="fit"><${Ago} at=${group.last_at} /><div class="small quiet">${t.failures.since} <${Ago} at=${group.first_at} /></div></td>
    <td class="fit"><div class="row"><a class="button" href=${link("tasks", group.task_uuid, { step: group.step })}>${t.failures.open}</a>
      ${group.blocked_tasks > 0 && may("tasks:act", group.namespace) && html`<button type="button" onClick=${() => act({ action: "retry", label: t.failures.retry(group.blocked_tasks), filter: blocked })}>${t.failures.retry(group.blocked_tasks)}</button>`}
      ${may("tasks:act", group.namespace) && may("dlq:update", group.namespace) && html`<button type="button" class="link" title=${t.bulk.closeSentence} onClick=${() => act({ action: CLOSE, label: t.bulk.close, filter: filterOf(group) })}>${t.bulk.close}</button>`}</div></td></tr>`;
}

/** The server answers no more; the largest come first. */
const MOST_GROUPS = 100;

export default function Failures({ params }) {
  const hours = HOURS.includes(params.get("hours")) ? params.get("hours") : "24";
  const namespace = params.get("namespace") ?? "";
  const sought = (params.get("q") ?? "").toLowerCase();
  const failures = useLoad((signal) => get("v1/failures", { hours, namespace, limit: MOST_GROUPS }, signal), [hours, namespace], 30_000);
  // Outside of the rows: what is retried is no group any more while its result is read.
  const [chosen, choose] = useState(null);
  const blocked = useLoad((signal) => get("v1/tasks:count", { state: "blocked_by_failures", namespace }, signal), [namespace], 30_000);
  return html`<${PageHead} title=${t.pages.failures} /><${FailureTabs} current="failures" namespace=${namespace} />
    ${chosen && html`<${BulkDialog} ...${chosen} onDone=${() => { failures.reload(); blocked.reload(); }} onClose=${() => choose(null)} />`}
    <${Loaded} of=${failures}>${(found) => {
      const groups = found.failures.filter((group) => !sought || fits(group, sought));
      const trend = Array.from({ length: 24 }, (_, i) => groups.reduce((total, group) => total + group.counts[i], 0));
      return html`${found.more && html`<p class="note warn">${t.failures.more(found.counted_tasks)} <${Time} at=${found.counted_since} /></p>`}
      <${Stats}><${Stat} label=${t.failures.blockedNow} value=${blocked.data ? t.atLeast(blocked.data) : "–"} colour=${blocked.data?.count > 0 ? "f-blocked" : "f-complete"} hint=${t.overview.blockedHint} href=${link("tasks", { state: "blocked_by_failures", namespace })} />
        <${Stat} label=${t.failures.failedTasks} value=${`${found.more ? "> " : ""}${found.counted_tasks.toLocaleString()}`} colour="f-failed" trend=${trend} hint=${t.failures.inPeriod(t.failures.hours(hours))} />
        <${Stat} label=${t.failures.causes} value=${`${found.failures.length === MOST_GROUPS ? "≥ " : ""}${groups.length.toLocaleString()}`} hint=${t.failures.causesHint} /><//>
      <${Panel} flat><${Toolbar}><input type="search" name="q" size="30" aria-label=${t.failures.find} placeholder=${t.failures.find} value=${params.get("q") ?? ""} onInput=${(e) => setParams({ q: e.target.value })} />
        <select name="hours" class="inline" aria-label=${t.failures.period} value=${hours} onChange=${(e) => setParams({ hours: e.target.value })}>${HOURS.map((one) => html`<option value=${one}>${t.failures.hours(one)}</option>`)}</select>
        <input type="search" name="namespace" aria-label=${t.tasks.namespace} placeholder=${t.tasks.namespace} value=${namespace} onChange=${(e) => setParams({ namespace: e.target.value.trim() })} /><//>
        ${groups.length === 0 ? html`<${Empty} icon="failures" title=${t.failures.none} />`
        : html`<${Table} label=${t.pages.failures} head=${[t.failures.tasks, t.failures.error, t.failures.trend, t.failures.last, t.task.act]}>${groups.map((group) => row({ key: [group.namespace, group.name, group.step, group.error_type, group.signature].join(), group, act: choose }))}<//>`}<//>`;
    }}<//>`;
}
