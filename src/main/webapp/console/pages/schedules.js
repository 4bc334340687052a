// Schedules: when each fires next, what became of its last fire times, and which are paused or fail.
import { html } from "../dom.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { inWords } from "../cron.js";
import { t } from "../texts.js";
import { Ago, Empty, Field, Loaded, PageHead, Pages, Panel, span, Table, Toolbar } from "../ui/index.js";

/** How it fires, in words. */
export const timing = (one) => (one.cron ? html`${inWords(one.cron) && `${inWords(one.cron)} `}<code class="quiet small">${one.cron}</code> ${one.zone}` : t.schedules.every(span(1000 * one.every_seconds)));

export const Condition = ({ of: one }) => html`${one.paused ? html`<span class="f-retry">${t.schedules.pausedBy(one.paused_by)}</span>` : one.next_fire_at ? t.schedules.active : html`<span class="quiet">${t.schedules.over}</span>`}
  ${one.failures_in_a_row > 0 && html` <span class="f-failed">${t.schedules.inARow(one.failures_in_a_row)}</span>`}`;

export default function Schedules({ params }) {
  const filter = Object.fromEntries(["namespace", "name", "paused", "failing", "cursor"].map((name) => [name, params.get(name)]));
  const page = useLoad((signal) => get("v1/schedules", { ...filter, limit: 50 }, signal), [JSON.stringify(filter)], 15_000);
  const text = (name, label) => html`<${Field} label=${label}><input type="search" name=${name} value=${filter[name] ?? ""} onChange=${(e) => setParams({ [name]: e.target.value.trim(), cursor: null })} /><//>`;
  const choice = (name, label) => html`<${Field} label=${label}><select class="inline" name=${name} value=${filter[name] ?? ""} onChange=${(e) => setParams({ [name]: e.target.value, cursor: null })}><option value="">${t.all}</option><option value="true">${t.schedules.yes}</option><option value="false">${t.schedules.no}</option></select><//>`;
  return html`<${PageHead} title=${t.pages.schedules}>${may("schedules:write") && may("tasks:create") && html`<a class="button main" href=${link("schedules", "new")}>${t.schedules.create}</a>`}<//>
    <${Panel} flat><${Toolbar}>${text("namespace", t.tasks.namespace)}${text("name", t.name)}${choice("paused", t.schedules.paused)}${choice("failing", t.schedules.failing)}<//>
    <${Loaded} of=${page}>${({ schedules, next }) => html`${schedules.length === 0 ? (Object.values(filter).some(Boolean) ? html`<${Empty} icon="schedules" title=${t.schedules.none} />`
        : html`<${Empty} icon="schedules" title=${t.schedules.empty}><p class="quiet">${t.schedules.first}</p>${may("schedules:write") && may("tasks:create") && html`<p><a class="button main" href=${link("schedules", "new")}>${t.schedules.create}</a></p>`}<//>`)
      : html`<${Table} label=${t.pages.schedules} head=${[t.name, t.tasks.template, t.schedules.timing, t.schedules.next, t.schedules.last, t.schedules.counts, t.tasks.state]}>${schedules.map((one) => html`<tr key=${one.schedule_uuid} data-schedule=${one.schedule_uuid}>
        <td><a href=${link("schedules", one.schedule_uuid)}>${one.namespace}/${one.name}</a></td><td>${one.template} <span class="quiet small">${one.template_version}</span></td><td>${timing(one)}</td>
        <td><${Ago} at=${one.paused ? null : one.next_fire_at} /></td><td><${Ago} at=${one.last_fire_at} />${one.last_task_uuid && html` <a class="small" href=${link("tasks", one.last_task_uuid)}>${t.schedules.lastTask}</a>`}</td>
        <td>${t.schedules.countsOf(one)}</td><td><${Condition} of=${one} /></td></tr>`)}<//>`}
      <${Pages} first=${filter.cursor && (() => setParams({ cursor: null }))} next=${next && link("schedules", { ...filter, cursor: next })} firstLabel=${t.schedules.firstPage} nextLabel=${t.schedules.nextPage} />`}<//><//>`;
}
