// Who asked for which change, in words; the request as it was is under the pointer.
import { html } from "../dom.js";
import { get, link, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Ago, Empty, Loaded, PageHead, Pages, Panel, Table, Toolbar } from "../ui/index.js";

/** A segment of a path as the caller meant it; of one that is not well encoded, as it is. */
const decoded = (segment) => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};

/** The page of the object that a path names: [the address, the object in words], or null. An id gives way to the name that the server knows. */
function objectOf(path, name) {
  const segments = path.split("?")[0].split("/").filter(Boolean).slice(1).map(decoded);
  const [kind, id, ...rest] = segments[0] === "access" && segments.length > 1 ? segments.slice(1) : segments;
  const words = t.audit.kinds[kind];
  if (!words) return null;
  if (kind === "templates" && rest.length > 1) return [link("templates", id, ...rest), `${words} ${id}/${rest.join(" ")}`];
  if (kind === "pauses" && id) return [null, `${words} ${[id, ...rest].join("/")}`];
  const page = { tasks: "tasks", approvals: "approvals", schedules: "schedules", webhooks: "webhooks" }[kind];
  if (!id) return [null, words];
  const isUuid = /^[0-9a-f-]{36}$/i.test(id);
  return [page && isUuid ? link(page, id) : null, `${words} ${isUuid ? name ?? `…${id.slice(-6)}` : id}`];
}

/** What was done: what the method means for a kind of object, the last word of the path where it is one of the interface, or else what the method means. */
function deedOf({ method, path }) {
  const segments = path.split("?")[0].split("/").filter(Boolean);
  return t.audit.deeds[`${method} ${segments.at(-2)}`] ?? t.audit.deeds[segments.at(-1).split(":").at(-1)] ?? t.audit.methods[method] ?? method;
}

const outcome = (status) => (status === null || status === undefined ? ["", "–"] : status < 400 ? ["f-complete", t.audit.done] : status < 500 ? ["f-retry", t.audit.refused] : ["f-failed", t.audit.failed]);

export default function Audit({ params }) {
  const [caller, route, object, cursor] = ["caller", "route", "object", "cursor"].map((name) => params.get(name) ?? "");
  const page = useLoad((signal) => get("v1/write-requests", { caller, route, object, cursor, limit: 50 }, signal), [caller, route, object, cursor]);
  const filter = (name, label, value) => html`<input type="search" name=${name} aria-label=${label} placeholder=${label} value=${value} onChange=${(e) => setParams({ [name]: e.target.value.trim(), cursor: null })} />`;
  return html`<${PageHead} title=${t.pages.audit} /><${Panel} flat><${Toolbar}>${filter("caller", t.audit.caller, caller)}${filter("object", t.audit.find, object)}<//>
    <${Loaded} of=${page}>${({ requests, next }) => html`${requests.length === 0 ? html`<${Empty} icon="audit" title=${t.audit.none} />` : html`
      <${Table} label=${t.pages.audit} head=${[t.audit.at, t.audit.caller, t.audit.what, t.audit.object, t.audit.status, t.audit.request, t.audit.remote]}>${requests.map((request) => {
        const [address, object] = objectOf(request.object ?? request.path, request.object_name) ?? [null, request.path];
        const [colour, word] = outcome(request.status);
        return html`<tr key=${request.request_uuid}><td class="fit"><${Ago} at=${request.requested_at} /></td><td><button type="button" class="link" onClick=${() => setParams({ caller: request.caller, cursor: null })}>${request.caller}</button></td>
        <td>${deedOf(request)}</td><td>${address ? html`<a href=${address}>${object}</a>` : object}</td><td class="fit"><span class=${colour} title=${String(request.status ?? "")}>${word}</span></td><td class="one"><code title=${request.path}>${request.method} ${request.path}</code></td><td class="quiet">${request.remote}</td></tr>`;
      })}<//>`}
      <${Pages} first=${cursor && (() => setParams({ cursor: null }))} next=${next && link("audit", { caller, route, object, cursor: next })} />`}<//><//>`;
}
