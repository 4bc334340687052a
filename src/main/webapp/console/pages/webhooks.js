// Webhooks: where each sends events, how far it is, and which fail or are paused.
import { html } from "../dom.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Ago, Empty, Field, Loaded, PageHead, Pages, Panel, State, Table, Toolbar } from "../ui/index.js";

/** What the events that a webhook sends contain, and so what its author has to be allowed to read. */
const OF_EVENTS = ["tasks:read", "tasks:context_read", "steps:read", "approvals:assign", "dlq:read"];
export const mayCreate = () => ["webhooks:write", ...OF_EVENTS].every((permission) => may(permission));

export const name = (one) => `${one.namespace ?? t.webhooks.everywhere}/${one.name}`;

export default function Webhooks({ params }) {
  const filter = Object.fromEntries(["namespace", "name", "paused", "failing", "cursor"].map((key) => [key, params.get(key)]));
  const page = useLoad((signal) => get("v1/webhooks", { ...filter, limit: 50 }, signal), [JSON.stringify(filter)], 15_000);
  const text = (key, label) => html`<${Field} label=${label}><input type="search" name=${key} value=${filter[key] ?? ""} onChange=${(e) => setParams({ [key]: e.target.value.trim(), cursor: null })} /><//>`;
  const choice = (key, label) => html`<${Field} label=${label}><select class="inline" name=${key} value=${filter[key] ?? ""} onChange=${(e) => setParams({ [key]: e.target.value, cursor: null })}><option value="">${t.all}</option><option value="true">${t.schedules.yes}</option><option value="false">${t.schedules.no}</option></select><//>`;
  return html`<${PageHead} title=${t.pages.webhooks}>${mayCreate() && html`<a class="button main" href=${link("webhooks", "new")}>${t.webhooks.create}</a>`}<//>
    <${Panel} flat><${Toolbar}>${text("namespace", t.tasks.namespace)}${text("name", t.name)}${choice("paused", t.schedules.paused)}${choice("failing", t.schedules.failing)}<//>
    <${Loaded} of=${page}>${({ webhooks, next }) => html`${webhooks.length === 0 ? (Object.values(filter).some(Boolean) ? html`<${Empty} icon="webhooks" title=${t.webhooks.none} />`
        : html`<${Empty} icon="webhooks" title=${t.webhooks.empty}><p class="quiet">${t.webhooks.first}</p>${mayCreate() && html`<p><a class="button main" href=${link("webhooks", "new")}>${t.webhooks.create}</a></p>`}<//>`)
      : html`<${Table} label=${t.pages.webhooks} head=${[t.name, t.tasks.state, t.webhooks.address, t.webhooks.types, t.webhooks.waiting, t.webhooks.lastDelivered, t.webhooks.deadLetters]}>${webhooks.map((one) => html`<tr key=${one.webhook_uuid} data-webhook=${one.webhook_uuid}>
        <td><a href=${link("webhooks", one.webhook_uuid)}>${name(one)}</a></td><td><${State} of=${one.state} /></td><td>${one.url}</td><td>${one.event_types?.join(", ") ?? t.all}</td>
        <td>${one.open}${one.oldest_open_at && html` <span class="quiet small"><${Ago} at=${one.oldest_open_at} /></span>`}</td><td><${Ago} at=${one.last_delivered_at} /></td>
        <td>${one.dead_letters > 0 && html`<a class="f-failed" href=${link("webhooks", one.webhook_uuid, { state: "dead" })}>${one.dead_letters}</a>`}</td></tr>`)}<//>`}
      <${Pages} first=${filter.cursor && (() => setParams({ cursor: null }))} next=${next && link("webhooks", { ...filter, cursor: next })} />`}<//><//>`;
}
