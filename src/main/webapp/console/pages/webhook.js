// One webhook: how far it is, its deliveries and dead letters, and a form that creates or changes it.
import { html, useRef, useState } from "../dom.js";
import { change, get, link, may, query, say, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Copy, ErrorNote, Facts, Field, Fold, Loaded, PageHead, Panel, Secret, State, Table, Text, Time, Toolbar, wrongAt } from "../ui/index.js";
import { name } from "./webhooks.js";

const STATES = ["pending", "in_flight", "delivered", "dead", "discarded"];
const NUMBERS = ["timeout_seconds", "max_in_flight", "max_attempts", "backoff_seconds", "backoff_cap_seconds", "pause_after_hours"];
const TEXTS = ["url", "description", "template"];

// ---- Create and change

/** An empty field is left out, so that the server takes its default. */
function Form({ webhook, onDone, onClose }) {
  const [values, set] = useState(() => Object.fromEntries(["namespace", "name", "from", "event_types", ...TEXTS, ...NUMBERS]
    .map((key) => [key, String((key === "event_types" ? webhook?.event_types?.join(", ") : webhook?.[key]) ?? "")])));
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const isSent = useRef(false);
  // Of what the fields were filled from: the page is loaded again beside the form, and the fields are not.
  const [version] = useState(webhook?.version);
  const submit = async (event) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    busy(true);
    setError(null);
    try {
      const body = { ...(reason.trim() && { reason: reason.trim() }), requested_by: shared.me.name };
      for (const key of TEXTS) if (values[key].trim()) body[key] = values[key].trim();
      for (const key of NUMBERS) if (values[key] !== "") body[key] = Number(values[key]);
      const types = values.event_types.split(",").map((type) => type.trim()).filter(Boolean);
      if (types.length > 0) body.event_types = types;
      const saved = webhook ? await change("PUT", `v1/webhooks/${webhook.webhook_uuid}`, { ...body, version })
        : await change("POST", "v1/webhooks", { ...body, name: values.name.trim(), ...(values.namespace.trim() && { namespace: values.namespace.trim() }), ...(values.from.trim() && { from: values.from.trim() }) });
      say(t.done);
      onDone(saved);
      return;
    } catch (refused) {
      setError(refused);
    }
    isSent.current = false;
    busy(false);
  };
  const field = (key, isRequired) => html`<${Field} key=${key} label=${`${t.webhooks.fields[key]}${isRequired ? " *" : ""}`} hint=${t.webhooks.hints[key]} wrong=${wrongAt(error, key, t.webhooks.fields[key])}>
    <input name=${key} type=${NUMBERS.includes(key) ? "number" : "text"} required=${isRequired} value=${values[key]} onInput=${(event) => set((old) => ({ ...old, [key]: event.target.value }))} /><//>`;
  return html`<form class="panel" onSubmit=${submit}><h2>${webhook ? t.webhooks.change : t.webhooks.create}</h2>
    <div class="filters">${!webhook && html`${field("namespace")}${field("name", true)}`}${field("url", true)}${field("event_types")}${field("template")}${!webhook && field("from")}${field("description")}</div>
    <div class="filters">${NUMBERS.map((key) => field(key))}</div>
    <${Field} label=${t.reason}><input name="reason" required maxlength="1000" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>
    ${error && html`<${ErrorNote} error=${error} />`}
    <div class="row"><button class="main" disabled=${isBusy}>${t.webhooks.save}</button>${onClose && html`<button type="button" onClick=${onClose}>${t.cancel}</button>`}</div></form>`;
}

/** Of an answer that made one: a request that was repeated is answered without it. */
const secretOf = (saved) => (saved.secret ? { sentence: t.webhooks.secretIs(saved.secret), text: saved.secret } : { sentence: t.webhooks.secretLost });

// ---- Deliveries

function Deliveries({ webhook, path, params, onDone }) {
  const [state, cursor] = [params.get("state"), params.get("cursor")];
  const found = useLoad((signal) => get(`${path}/deliveries`, { state, cursor, limit: 50 }, signal), [path, state, cursor], 5_000);
  const act = (delivery, action) => ({ reason }, key) => change("POST", `${path}/deliveries/${delivery.delivery_uuid}/${action}`, { requested_by: shared.me.name, reason }, key);
  const done = () => { found.reload(); onDone(); };
  return html`<${Panel} title=${t.webhooks.deliveries}>
    <${Toolbar}><select name="state" class="inline" aria-label=${t.tasks.state} value=${state ?? ""} onChange=${(e) => setParams({ state: e.target.value, cursor: null })}><option value="">${t.all}</option>${STATES.map((one) => html`<option value=${one}>${t.webhooks.states[one]}</option>`)}</select><//>
    <${Loaded} of=${found}>${({ deliveries, next }) => html`${deliveries.length === 0 ? html`<p>${t.webhooks.noDeliveries}</p>`
      : html`<${Table} label=${t.webhooks.deliveries} head=${[t.tasks.state, t.webhooks.event, t.tasks.task, t.webhooks.attempts, t.webhooks.answer, t.webhooks.lastAttempt, t.task.act]}>${deliveries.map((one) => html`<tr key=${one.delivery_uuid} data-delivery=${one.delivery_uuid}>
        <td><${State} of=${one.state} />${one.due_at && one.attempts > 0 && html` <span class="quiet small"><${Ago} at=${one.due_at} /></span>`}</td><td>${one.event_type} <span class="quiet small"><${Time} at=${one.event_at} /></span></td>
        <td>${one.task_uuid && (may("tasks:read", webhook.namespace) ? html`<a href=${link("tasks", one.task_uuid)}>${t.tasks.open}</a>` : html`<span class="mono small">${one.task_uuid}</span>`)}</td><td>${one.attempts}</td>
        <td>${one.last_status} ${one.last_error}${one.last_response && html`<${Fold} summary=${t.webhooks.response}>${() => html`<${Text} text=${one.last_response} name=${one.delivery_uuid} label=${`${t.webhooks.response} ${one.delivery_uuid}`} />`}<//>`}</td>
        <td><${Time} at=${one.last_attempt_at} /></td>
        <td class="row"><${Action} label=${t.webhooks.retry} title=${t.webhooks.retryOf(one)} sentence=${t.webhooks.retrySentence} isOffered=${one.allowed_actions?.includes("retry")} onDone=${done} send=${act(one, "retry")} />
          <${Action} label=${t.webhooks.discard} of=${t.webhooks.delivery(one)} kind=${t.webhooks.kindOfDelivery} sentence=${t.webhooks.discardSentence} isDangerous isOffered=${one.allowed_actions?.includes("discard")} onDone=${done} send=${act(one, "discard")} /></td></tr>`)}<//>`}
      <div class="row">${cursor && html`<button type="button" onClick=${() => setParams({ cursor: null })}>${t.first}</button>`}${next && html`<button type="button" onClick=${() => setParams({ cursor: next })}>${t.more}</button>`}</div>`}<//><//>`;
}

// ---- The page

function Whole({ webhook: one, path, params, reload }) {
  const [isEdited, edit] = useState(false);
  const [secret, show] = useState(null);
  const can = (action) => one.allowed_actions?.includes(action);
  const act = (action, more = () => ({})) => (values, key) => change("POST", `${path}/${action}`, { requested_by: shared.me.name, reason: values.reason, ...more(values) }, key);
  const common = { onDone: reload };
  return html`<${PageHead} title=${html`${one.name} <span class="quiet small">${one.namespace ?? t.webhooks.everywhere}</span>`} beside=${html`<div class="row" data-state=${one.state}><${State} of=${one.state} /> <span>${one.url}</span></div>`}><div class="row actions">
      <${Action} ...${common} label=${t.webhooks.pause} of=${one.name} kind=${t.webhooks.kind} sentence=${t.webhooks.pauseSentence} isOffered=${can("pause")} send=${act("pause")} />
      <${Action} ...${common} label=${t.webhooks.resume} of=${one.name} kind=${t.webhooks.kind} sentence=${t.webhooks.resumeSentence} isOffered=${can("resume")} send=${act("resume")} />
      <${Action} ...${common} label=${t.webhooks.ping} title=${t.webhooks.pingTo(one.name)} sentence=${t.webhooks.pingSentence} isOffered=${can("ping")} send=${act("ping")} />
      <${Action} ...${common} label=${t.webhooks.replay} title=${t.webhooks.replayTo(one.name)} sentence=${t.webhooks.replaySentence} isOffered=${can("replay")} fields=${[{ name: "from", label: t.webhooks.fields.from, hint: t.webhooks.replayHint, required: true }]}
        send=${act("replay", (values) => ({ from: values.from.trim() }))} />
      <${Action} label=${t.webhooks.rotate} title=${t.webhooks.rotateOf(one.name)} sentence=${t.webhooks.rotateSentence} isOffered=${can("rotate_secret")} fields=${[{ name: "overlap_seconds", label: t.webhooks.overlap, hint: t.webhooks.overlapHint, kind: "number", value: "86400", required: true }]}
        send=${act("rotate-secret", (values) => ({ overlap_seconds: Number(values.overlap_seconds) }))} onDone=${(saved) => { show(secretOf(saved)); reload(); }} />
      ${can("update") && !isEdited && html`<button type="button" onClick=${() => edit(true)}>${t.webhooks.change}</button>`}
      <${Action} label=${t.webhooks.remove} of=${one.name} kind=${t.webhooks.kind} sentence=${t.webhooks.removeSentence} isDangerous isOffered=${can("delete")} onDone=${() => { location.hash = link("webhooks"); }}
        send=${({ reason }, key) => change("DELETE", path + query({ requested_by: shared.me.name, reason }), undefined, key)} /></div><//>
    <div class="row small"><span class="mono">${one.webhook_uuid}</span><${Copy} text=${one.webhook_uuid} />
      <a href=${link("webhooks")}>${t.pages.webhooks}</a></div>
    ${secret && html`<${Secret} ...${secret} onClose=${() => show(null)} />`}
    ${one.pause_reason && html`<p class="note warn">${t.schedules.pausedBy(one.paused_by)}: ${one.pause_reason}</p>`}
    ${one.failures_in_a_row > 0 && html`<div class="note bad"><strong>${t.schedules.inARow(one.failures_in_a_row)}</strong> ${one.last_failure}</div>`}
    ${isEdited && html`<${Form} webhook=${one} onDone=${() => { edit(false); reload(); }} onClose=${() => edit(false)} />`}
    <div class="panels"><${Panel} title=${t.webhooks.progress}><${Facts} of=${[[t.webhooks.behind, String(one.behind)], [t.webhooks.waiting, String(one.open)], [t.webhooks.oldest, one.oldest_open_at && html`<${Ago} at=${one.oldest_open_at} />`], [t.webhooks.position, String(one.position)],
        [t.webhooks.counts, t.webhooks.countsOf(one)], [t.webhooks.lastDelivered, one.last_delivered_at && html`<${Ago} at=${one.last_delivered_at} />`], [t.webhooks.waitUntil, one.wait_until && html`<${Ago} at=${one.wait_until} />`]]} /><//>
      <${Panel} title=${t.schedules.settings}><${Facts} of=${[[t.webhooks.fields.description, one.description], [t.webhooks.types, one.event_types?.join(", ") ?? t.all], [t.webhooks.fields.template, one.template], ...NUMBERS.map((key) => [t.webhooks.fields[key], one[key]]),
        [t.webhooks.secretSince, one.secret_since && html`<${Time} at=${one.secret_since} />`], [t.webhooks.oldSecretUntil, one.old_secret_until && html`<${Time} at=${one.old_secret_until} />`], [t.schedules.savedBy, html`${one.updated_by} <${Time} at=${one.updated_at} />`]]} /><//></div>
    <${Deliveries} webhook=${one} path=${path} params=${params} onDone=${reload} />`;
}

/** The secret stays until the page is left, and is nowhere else. */
function New() {
  const [made, set] = useState(null);
  if (!made) return html`<${PageHead} title=${t.webhooks.create} /><${Form} onDone=${set} />`;
  return html`<h1>${name(made)}</h1><${Secret} ...${secretOf(made)} /><p><a class="button" href=${link("webhooks", made.webhook_uuid)}>${t.webhooks.open}</a></p>`;
}

function Existing({ uuid, params }) {
  const path = `v1/webhooks/${encodeURIComponent(uuid)}`;
  const found = useLoad((signal) => get(path, {}, signal), [path], 10_000);
  return html`<${Loaded} of=${found}>${(one) => html`<${Whole} webhook=${one} path=${path} params=${params} reload=${found.reload} />`}<//>`;
}

export default function Webhook({ parts: [, uuid], params }) {
  return uuid === "new" ? html`<${New} />` : html`<${Existing} uuid=${uuid} params=${params} />`;
}
