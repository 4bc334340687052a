// Servers and workers.
import { html } from "../dom.js";
import { change, get, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Loaded, Meter, PageHead, Panel, Part, span, State, Table } from "../ui/index.js";

/** Namespaces in which something waits for a claim. */
const waitingIn = (handoffs) => (handoffs ?? []).filter((one) => one.waiting > 0 || one.stuck > 0);

const EVERY = 5_000;
const list = (names) => (names === null ? t.all : names.join(", "));

const NONE = "none";

/** Only what was entered changes. */
const changeOf = (server) => (values, key) => {
  const roles = values.paused_roles.trim();
  return change("PATCH", `v1/servers/${server.server_uuid}`, {
    ...(roles === "" ? {} : { paused_roles: roles === NONE ? [] : roles.split(",").map((role) => role.trim()) }),
    ...(values.worker_capacity === "" ? {} : { worker_capacity: Number(values.worker_capacity) }),
    ...(values.draining === (server.reported_status === "draining") ? {} : { draining: values.draining }),
    requested_by: shared.me.name, reason: values.reason,
  }, key);
};

/** Whether the name, a namespace or a handler of it has the text. */
const has = (sought) => ({ name, namespaces, handlers }) => [name, ...(namespaces ?? []), ...(handlers ?? [])].some((text) => text.toLowerCase().includes(sought));

function Servers({ params, sought }) {
  const servers = useLoad((signal) => get("v1/servers", {}, signal), [], EVERY);
  return html`<${Panel} flat title=${t.servers.servers}><${Loaded} of=${servers}>${({ servers: all, handoffs }) => html`${all.length === 0 ? html`<p>${t.servers.none}</p>` : html`
    <${Part} of=${all.filter(has(sought))} params=${params}>${(shown) => html`<${Table} label=${t.servers.servers} head=${[t.servers.health, t.servers.name, t.servers.load, t.servers.roles, t.servers.namespaces, t.servers.heartbeat, t.servers.problems, t.task.act]}>${shown.map((server) => html`<tr key=${server.server_uuid}>
      <td><${State} of=${server.health} /></td><td>${server.name}</td><td class="fit"><${Meter} part=${server.running} of=${server.capacity} colour="f-running" />${server.running} / ${server.capacity}</td><td>${server.roles.join(", ")}</td><td>${list(server.namespaces)}</td>
      <td><${Ago} at=${server.heartbeat_at} /></td><td>${server.problems.join("; ")}</td>
      <td><${Action} label=${t.servers.manage} of=${server.name} kind=${t.servers.kind} sentence=${t.servers.manageSentence} isOffered=${server.allowed_actions?.includes("update")} onDone=${servers.reload} send=${changeOf(server)}
        fields=${[{ name: "paused_roles", label: t.servers.pausedRoles, hint: t.servers.pausedHint(server.roles.join(", ")) }, { name: "worker_capacity", label: t.servers.capacity, kind: "number" },
          { name: "draining", label: t.servers.drain, kind: "check", value: server.reported_status === "draining" }]} /></td></tr>`)}<//>`}<//>`}
    ${waitingIn(handoffs).length > 0 && html`<div class="inset"><h3>${t.servers.handoffs}</h3><ul>${waitingIn(handoffs).map((one) => html`<li>${one.namespace}: ${(one.waiting ?? 0).toLocaleString()} ${t.servers.waiting}, ${(one.stuck ?? 0).toLocaleString()} ${t.servers.stuck}, ${t.servers.median} ${span(one.p50_ms ?? 0)}</li>`)}</ul></div>`}`}<//><//>`;
}

function Workers({ params, sought }) {
  const workers = useLoad((signal) => get("v1/workers", {}, signal), [], EVERY);
  return html`<${Panel} flat title=${t.servers.workers}><${Loaded} of=${workers}>${({ workers: all }) => (all.length === 0 ? html`<p>${t.servers.noWorkers}</p>` : html`
    <${Part} of=${all.filter(has(sought))} params=${params} name="workers">${(shown) => html`<${Table} label=${t.servers.workers} head=${[t.servers.health, t.servers.name, t.servers.load, t.servers.namespaces, t.servers.handlers, t.servers.heartbeat, t.task.act]}>${shown.map((worker) => html`<tr key=${worker.worker_uuid} data-worker=${worker.name}>
      <td><${State} of=${worker.health} /></td><td>${worker.name} <span class="quiet small">${worker.server_uuid ? t.servers.ofServer : t.servers.external}</span></td><td class="fit"><${Meter} part=${worker.running} of=${worker.capacity} colour="f-running" />${worker.running} / ${worker.capacity}</td>
      <td>${list(worker.namespaces)}</td><td><details><summary>${worker.handlers?.length ?? t.all}</summary>${list(worker.handlers)}</details></td><td><${Ago} at=${worker.heartbeat_at} /></td>
      <td><${Action} label=${t.servers.drainWorker} of=${worker.name} kind=${t.servers.kindOfWorker} sentence=${t.servers.drainSentence} isDangerous withReason=${false} isOffered=${worker.allowed_actions?.includes("drain")} onDone=${workers.reload} send=${(_, key) => change("DELETE", `v1/workers/${worker.worker_uuid}`, undefined, key)} /></td></tr>`)}<//>`}<//>`)}<//><//>`;
}

export default function ServersPage({ params }) {
  const sought = (params.get("q") ?? "").toLowerCase();
  return html`<${PageHead} title=${t.pages.servers} beside=${html`<input type="search" class="seek" name="q" size="36" aria-label=${t.servers.find} placeholder=${t.servers.find} value=${params.get("q") ?? ""} onInput=${(e) => setParams({ q: e.target.value, page: null, workers: null })} />`} />
    <${Servers} params=${params} sought=${sought} /><${Workers} params=${params} sought=${sought} />`;
}
