// Who asked for which change.
import { html } from "../dom.js";
import { get, link, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Field, Loaded, Table, Time } from "../ui.js";

export default function Audit({ params }) {
  const [caller, route, cursor] = ["caller", "route", "cursor"].map((name) => params.get(name) ?? "");
  const page = useLoad((signal) => get("v1/write-requests", { caller, route, cursor, limit: 50 }, signal), [caller, route, cursor]);
  const filter = (name, label, value) => html`<${Field} label=${label}><input type="search" name=${name} value=${value} onChange=${(e) => setParams({ [name]: e.target.value.trim(), cursor: null })} /><//>`;
  return html`<h1>${t.pages.audit}</h1><div class="filters">${filter("caller", t.audit.caller, caller)}${filter("route", t.audit.route, route)}</div>
    <${Loaded} of=${page}>${({ requests, next }) => html`${requests.length === 0 ? html`<p>${t.audit.none}</p>` : html`
      <${Table} label=${t.pages.audit} head=${[t.audit.at, t.audit.caller, t.audit.request, t.audit.status, t.audit.remote]}>${requests.map((request) => html`<tr key=${request.request_uuid}>
        <td><${Time} at=${request.requested_at} /></td><td>${request.caller}</td><td><code>${request.method} ${request.path}</code></td><td>${request.status ?? "–"}</td><td>${request.remote}</td></tr>`)}<//>`}
      <div class="row">${cursor && html`<button type="button" onClick=${() => setParams({ cursor: null })}>${t.first}</button>`}${next && html`<a class="button" href=${link("audit", { caller, route, cursor: next })}>${t.more}</a>`}</div>`}<//>`;
}
