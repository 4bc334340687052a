// One schedule: its next fire times, what became of the others, backfills, and a form that creates or changes it.
import { html, useRef, useState } from "../dom.js";
import { change, get, link, may, query, say, setParams, shared, useLoad } from "../core.js";
import { asError, useDocument } from "../schemaform.js";
import { inWords } from "../cron.js";
import { t } from "../texts.js";
import { fromInput, stamp, stampThere, zoneName } from "../time.js";
import { Action, Ago, Copy, Dialog, ErrorNote, Facts, Field, Json, Loaded, PageHead, Panel, Said, span, State, Table, Time, Toolbar, Violations, words, wrongAt } from "../ui/index.js";
import { Condition, timing } from "./schedules.js";

const OUTCOMES = ["started", "queued", "skipped", "missed", "failed"];
/** What is sent as a number, and what as it is; an empty field is the default of the server. */
const NUMBERS = ["every_seconds", "jitter_seconds", "catch_up_seconds", "pause_after_failures", "priority"];
const TEXTS = ["template_version", "time_member", "source_system", "cron", "zone", "starts_at", "ends_at", "overlap", "catch_up"];
const CHOICES = { overlap: ["skip", "queue_one", "allow", "cancel_previous"], catch_up: ["last", "all"] };
const SHOWN = ["cron", "every_seconds", "zone", "starts_at", "ends_at", "overlap", "catch_up", "catch_up_seconds", "jitter_seconds", "pause_after_failures", "template_version", "time_member", "tags", "priority", "source_system"];

const TIMES = new Set(["starts_at", "ends_at"]);
const SPANS = new Set(["every_seconds", "jitter_seconds", "catch_up_seconds"]);

/** A setting in words; what is sent stands under the pointer. */
function setting(name, value) {
  if (value === null || value === undefined || value === "" || value.length === 0) return null;
  if (CHOICES[name]) return html`<span title=${value}>${t.schedules.choices[value] ?? value}</span>`;
  if (TIMES.has(name)) return html`<${Time} at=${value} />`;
  if (SPANS.has(name)) return value > 0 ? span(1000 * value) : null;
  if (name === "cron") return inWords(value) ? html`${inWords(value)} <code class="quiet small">${value}</code>` : html`<code>${value}</code>`;
  if (name === "pause_after_failures") return value > 0 ? t.schedules.afterFailures(value) : null;
  return Array.isArray(value) ? value.join(", ") : value;
}

// ---- Create and change

/** The context, by the form of the template's input schema; `into` gets the function that reads it. */
function Context({ schema, source, initial, error, into }) {
  const context = useDocument({ schema, source, initial, pointer: "context", label: t.templates.context });
  into.current = context.read;
  return context.fields(error);
}

/** A version of the template: the given one, or the highest release, which comes first. */
async function schemaOf(namespace, template, version, signal) {
  if (!namespace || !template || !may("templates:read", namespace)) return {};
  const { templates } = await get("v1/templates", { namespace }, signal);
  const all = templates.filter((one) => one.namespace === namespace && one.name === template);
  const chosen = version || all.map((one) => one.version).sort((a, b) => b.localeCompare(a, undefined, { numeric: true }))[0];
  if (!all.some((one) => one.version === chosen)) return { isUnknown: true };
  const { configuration, source } = await get(`v1/templates/${[namespace, template, chosen].map(encodeURIComponent).join("/")}`, {}, signal);
  return { schema: configuration.input_schema, source };
}

/** When it would fire, in words and as times, while it is typed. */
function Upcoming({ values }) {
  const asked = Object.fromEntries(["cron", "every_seconds", "zone", "starts_at", "ends_at"].map((name) => [name, values[name]]).filter(([, value]) => value));
  const found = useLoad((signal) => (asked.cron || asked.every_seconds ? get("v1/schedules/upcoming", { ...asked, count: 5 }, signal) : Promise.resolve(null)), [JSON.stringify(asked)]);
  const words = asked.cron ? inWords(asked.cron) : asked.every_seconds && t.schedules.every(span(1000 * asked.every_seconds));
  return html`${words && html`<p data-words><strong>${asked.cron ? t.cron.of(words, asked.zone ?? "UTC") : words}</strong></p>`}
    ${found.error ? found.error.status === 400 && html`<${Violations} error=${found.error} />` : found.data?.fire_times.length > 0 && html`<p class="small quiet">${t.cron.next}</p><ol class="small" data-preview>${found.data.fire_times.map((at) => html`<li key=${at}><${Time} at=${at} />${asked.zone && html` <span class="quiet">${stampThere(at, asked.zone)}</span>`}</li>`)}</ol>`}`;
}

/** Names to choose from while one types; any other may be entered all the same. */
function Choices({ id, namespace }) {
  const templates = useLoad((signal) => (may("templates:read") ? get("v1/templates", { namespace }, signal) : Promise.resolve(null)), [namespace]);
  return html`<datalist id=${`${id}-template`}>${[...new Set((templates.data?.templates ?? []).map((one) => one.name))].sort().map((name) => html`<option key=${name} value=${name} />`)}</datalist>
    <datalist id=${`${id}-zone`}>${["UTC", ...(Intl.supportedValuesOf?.("timeZone") ?? [])].map((name) => html`<option key=${name} value=${name} />`)}</datalist>`;
}

function Form({ schedule, namespace: given, template: of, onDone, onClose }) {
  const [values, set] = useState(() => Object.fromEntries(["namespace", "name", "template", "tags", ...TEXTS, ...NUMBERS].map((name) => [name, String((name === "tags" ? schedule?.tags?.join(", ") : schedule?.[name]) ?? "")])
    .map(([name, value]) => [name, value || (schedule ? "" : { namespace: given, template: of }[name]) || ""])));
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const isSent = useRef(false);
  // Of what the fields were filled from: the page is loaded again beside the form, and the fields are not.
  const [version] = useState(schedule?.version);
  // Until the fields are drawn, and where they cannot be, what the schedule has.
  const context = useRef(() => schedule?.context ?? {});
  const found = useLoad((signal) => schemaOf(values.namespace, values.template, values.template_version, signal), [values.namespace, values.template, values.template_version]);
  const submit = async (event) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    busy(true);
    setError(null);
    try {
      const body = { template: values.template, context: context.current(), ...(reason.trim() && { reason: reason.trim() }), requested_by: shared.me.name };
      for (const name of TEXTS) if (values[name]) body[name] = values[name];
      for (const name of NUMBERS) if (values[name] !== "") body[name] = Number(values[name]);
      const tags = values.tags.split(",").map((tag) => tag.trim()).filter(Boolean);
      if (tags.length > 0) body.tags = tags;
      const saved = schedule ? await change("PUT", `v1/schedules/${schedule.schedule_uuid}`, { ...body, version })
        : await change("POST", "v1/schedules", { ...body, namespace: values.namespace, name: values.name });
      say(t.done);
      onDone(saved);
      return;
    } catch (refused) {
      setError(asError(refused, t.templates.context));
    }
    isSent.current = false;
    busy(false);
  };
  const field = (name, isRequired) => {
    const update = (event) => set((old) => ({ ...old, [name]: event.target.value.trim() }));
    // The fire times follow what is typed, in which a space at the end has another word after it.
    const typed = (event) => set((old) => ({ ...old, [name]: event.target.value }));
    const isTyped = ["cron", "every_seconds"].includes(name);
    const label = `${t.schedules.fields[name]}${isRequired ? " *" : ""}`;
    return html`<${Field} key=${name} label=${label} hint=${t.schedules.hints[name]} wrong=${wrongAt(error, name, label)}>${CHOICES[name]
      ? html`<select name=${name} value=${values[name]} onChange=${update}><option value="">${t.templates.unset}</option>${CHOICES[name].map((one) => html`<option value=${one}>${t.schedules.choices[one]}</option>`)}</select>`
      : html`<input name=${name} type=${NUMBERS.includes(name) ? "number" : "text"} required=${isRequired} list=${["template", "zone"].includes(name) ? `choices-${name}` : undefined} value=${values[name]} onInput=${isTyped ? typed : undefined} onChange=${update} />`}<//>`;
  };
  return html`<form class="panel" onSubmit=${submit}>${schedule && html`<h2>${t.schedules.change}</h2>`}
    <div class="filters">${!schedule && html`${field("namespace", true)}${field("name", true)}`}${field("template", true)}${field("template_version")}</div>
    ${found.data?.isUnknown && html`<p class="f-retry">${t.schedules.unknownTemplate}</p>`}
    <${Choices} id="choices" namespace=${values.namespace} /><div class="filters">${["cron", "zone", "every_seconds"].map((name) => field(name))}</div><${Upcoming} values=${values} />
    <div class="filters">${["starts_at", "ends_at", "jitter_seconds", "overlap", "catch_up", "catch_up_seconds", "pause_after_failures", "time_member", "tags", "priority", "source_system"].map((name) => field(name))}</div>
    <${Loaded} of=${found}>${({ schema, source }) => html`<${Context} key=${JSON.stringify(schema ?? null)} schema=${schema} source=${source} initial=${schedule?.context} error=${error} into=${context} />`}<//>
    <${Field} label=${t.reason}><input name="reason" required=${!!schedule} maxlength="1000" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>
    ${error && html`<${ErrorNote} error=${error} />`}
    <div class="row"><button class="main" disabled=${isBusy}>${t.schedules.save}</button>${onClose && html`<button type="button" onClick=${onClose}>${t.action.keep}</button>`}</div></form>`;
}

// ---- Backfills

/** First what would be done, then the backfill of exactly that period. */
function Backfill({ path, onDone }) {
  const [isOpen, open] = useState(false);
  return html`<button type="button" onClick=${() => open(true)}>${t.schedules.backfill}</button>
    ${isOpen && html`<${Dialog} title=${t.schedules.backfill} onClose=${() => open(false)}><${BackfillForm} path=${path} onDone=${onDone} onClose=${() => open(false)} /><//>`}`;
}

function BackfillForm({ path, onDone, onClose }) {
  const [values, set] = useState({ from: "", to: "", overlap: "one_by_one", reason: "" });
  const [preview, setPreview] = useState(null);
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const isSent = useRef(false);
  const send = async (isDry) => {
    if (isSent.current) return;
    isSent.current = true;
    busy(true);
    setError(null);
    try {
      const answer = await change("POST", `${path}/backfills`, { from: fromInput(values.from), to: fromInput(values.to), overlap: values.overlap, reason: values.reason.trim(), requested_by: shared.me.name, ...(isDry && { dry_run: true }) });
      if (isDry) setPreview(answer);
      else {
        say(t.done);
        onDone();
        onClose();
        return;
      }
    } catch (refused) {
      setError(refused);
      setPreview(null);
    }
    isSent.current = false;
    busy(false);
  };
  const update = (name) => (event) => set((old) => ({ ...old, [name]: event.target.value }));
  return html`${error && html`<${ErrorNote} error=${error} />`}
    ${preview ? html`<p><strong data-start=${preview.start}>${t.schedules.would(preview)}</strong></p>
      <ul class="hits">${preview.fires.slice(0, 50).map((fire) => html`<li key=${fire.fire_at}><${Time} at=${fire.fire_at} /> ${t.schedules.wouldDo[fire.would]}</li>`)}</ul>
      <div class="row">${preview.start > 0 && html`<button type="button" class="main" disabled=${isBusy} onClick=${() => send(false)}>${t.schedules.start(preview.start)}</button>`}<button type="button" onClick=${() => setPreview(null)}>${t.schedules.backToForm}</button><button type="button" onClick=${onClose}>${t.action.keep}</button></div>`
    : html`<form onSubmit=${(event) => { event.preventDefault(); send(true); }}><p>${t.schedules.backfillSentence}</p>
      ${["from", "to"].map((name) => html`<${Field} key=${name} label=${`${t.schedules[name]} (${zoneName()})`}><input type="datetime-local" name=${name} required value=${values[name]} onInput=${update(name)} /><//>`)}
      <${Field} label=${t.schedules.fields.overlap}><select name="overlap" value=${values.overlap} onChange=${update("overlap")}>${["one_by_one", "allow"].map((one) => html`<option value=${one}>${t.schedules.choices[one]}</option>`)}</select><//>
      <${Field} label=${t.reason}><input name="reason" required maxlength="1000" value=${values.reason} onInput=${update("reason")} /><//>
      <div class="row"><button class="main" disabled=${isBusy}>${t.tasks.dryRun}</button><button type="button" onClick=${onClose}>${t.action.keep}</button></div></form>`}`;
}

function Backfills({ path, mayStart, mayCancel, onDone }) {
  const found = useLoad((signal) => get(`${path}/backfills`, {}, signal), [path], 5_000);
  const done = () => { found.reload(); onDone(); };
  return html`<${Panel} title=${t.schedules.backfills}>${mayStart && html`<${Backfill} path=${path} onDone=${done} />`}
    <${Loaded} of=${found}>${({ backfills }) => (backfills.length === 0 ? html`<p>${t.schedules.noBackfills}</p>`
      : html`<${Table} label=${t.schedules.backfills} head=${[t.tasks.state, t.schedules.from, t.schedules.to, t.schedules.doneUntil, t.schedules.started, t.schedules.present, t.retention.by, t.task.act]}>${backfills.map((one) => html`<tr key=${one.backfill_uuid} data-backfill=${one.backfill_uuid}>
        <td><${State} of=${one.state} /></td><td><${Time} at=${one.from} /></td><td><${Time} at=${one.to} /></td><td><${Time} at=${one.done_until} /></td><td>${one.started}</td><td>${one.present}</td><td>${one.created_by}: ${one.reason}${one.failure && html` <${Json} value=${one.failure} name="failure" />`}</td>
        <td>${one.state === "running" && html`<${Action} label=${t.schedules.cancelBackfill} of=${t.schedules.between(stamp(one.from), stamp(one.to))} keep=${t.task.keepRunning} sentence=${t.schedules.cancelBackfillSentence} isDangerous isAllowed=${mayCancel} onDone=${done}
          send=${({ reason }, key) => change("DELETE", `${path}/backfills/${one.backfill_uuid}${query({ requested_by: shared.me.name, reason })}`, undefined, key)} />`}</td></tr>`)}<//>`)}<//><//>`;
}

// ---- Fire times

/** The same moment in the reader's zone and, where it differs, in the schedule's. */
function Fire({ at, zone }) {
  const isElsewhere = zone !== zoneName();
  return html`<${Time} at=${at} />${isElsewhere && html` <span class="quiet small">${stampThere(at, zone)}</span>`}`;
}

function Fires({ path, params }) {
  const [outcome, cursor] = [params.get("outcome"), params.get("cursor")];
  const found = useLoad((signal) => get(`${path}/fires`, { outcome, cursor, limit: 50 }, signal), [path, outcome, cursor], 5_000);
  return html`<${Panel} title=${t.schedules.fires}>
    <${Toolbar}><select name="outcome" class="inline" aria-label=${t.schedules.outcome} value=${outcome ?? ""} onChange=${(e) => setParams({ outcome: e.target.value, cursor: null })}><option value="">${t.all}</option>${OUTCOMES.map((one) => html`<option value=${one}>${words(one)}</option>`)}</select><//>
    <${Loaded} of=${found}>${({ fires, next }) => html`${fires.length === 0 ? html`<p>${t.schedules.noFires}</p>` : html`<${Table} label=${t.schedules.fires} head=${[t.schedules.fireTime, t.schedules.outcome, t.schedules.origin, t.tasks.task, t.schedules.why]}>${fires.map((fire) => html`<tr key=${`${fire.fire_at} ${fire.origin}`} data-fire=${fire.outcome}>
        <td><${Time} at=${fire.fire_at} />${fire.until_at && html` – <${Time} at=${fire.until_at} />`}${fire.count && html` <span class="quiet small">${t.schedules.times(fire.count)}</span>`}</td><td><${State} of=${fire.outcome} /></td><td><span title=${fire.origin}>${t.schedules.origins[fire.origin] ?? fire.origin}</span></td>
        <td>${fire.task_uuid && html`<a href=${link("tasks", fire.task_uuid)}>${t.tasks.open}</a> ${fire.task_state && html`<${State} of=${fire.task_state} />`}`}</td><td><span title=${fire.reason}><${Said} text=${fire.message ?? t.schedules.reasons[fire.reason] ?? fire.reason ?? ""} /></span></td></tr>`)}<//>`}
      <div class="row">${cursor && html`<button type="button" onClick=${() => setParams({ cursor: null })}>${t.first}</button>`}${next && html`<button type="button" onClick=${() => setParams({ cursor: next })}>${t.more}</button>`}</div>`}<//><//>`;
}

// ---- The page

function Whole({ schedule: one, path, params, reload }) {
  const [isEdited, edit] = useState(false);
  const can = (action) => one.allowed_actions?.includes(action);
  // A change replaces the context as well: who does not see it cannot keep it.
  const mayEdit = can("update") && one.context !== undefined;
  const act = (action, more = () => ({})) => (values, key) => change("POST", `${path}/${action}`, { requested_by: shared.me.name, reason: values.reason, ...more(values) }, key);
  const common = { onDone: reload };
  return html`<${PageHead} title=${html`${one.name} <span class="quiet small">${one.namespace}</span>`} beside=${html`<div class="row" data-paused=${one.paused ? "true" : "false"}><${Condition} of=${one} /> <span>${timing(one)}</span></div>`}><div class="row actions">
      <${Action} ...${common} label=${t.schedules.pause} of=${one.name} kind=${t.schedules.kind} sentence=${t.schedules.pauseSentence} isOffered=${can("pause")} send=${act("pause")} />
      <${Action} ...${common} label=${t.schedules.resume} of=${one.name} kind=${t.schedules.kind} sentence=${t.schedules.resumeSentence} isOffered=${can("resume")} fields=${[{ name: "catch_up", label: t.schedules.catchUp, kind: "check" }]} send=${act("resume", (values) => ({ catch_up: values.catch_up }))} />
      <${Action} ...${common} label=${t.schedules.trigger} title=${t.schedules.triggerOf(one.name)} sentence=${t.schedules.triggerSentence} isOffered=${can("trigger")} send=${act("trigger")} />
      ${mayEdit && !isEdited && html`<button type="button" onClick=${() => edit(true)}>${t.schedules.change}</button>`}
      <${Action} label=${t.schedules.remove} of=${one.name} kind=${t.schedules.kind} sentence=${t.schedules.removeSentence} isDangerous isOffered=${can("delete")} onDone=${() => { location.hash = link("schedules"); }}
        send=${({ reason }, key) => change("DELETE", path + query({ requested_by: shared.me.name, reason }), undefined, key)} /></div><//>
    <div class="row small"><span class="mono">${one.schedule_uuid}</span><${Copy} text=${one.schedule_uuid} />
      ${may("templates:read", one.namespace) && html`<a href=${link("templates", one.namespace, one.template)}>${one.template}</a>`}
      ${may("tasks:list", one.namespace) && html`<a href=${link("tasks", { namespace: one.namespace, initiator: `schedule:${one.name}` })}>${t.schedules.tasks}</a>`}</div>
    ${one.pause_reason && html`<p class="note warn">${t.schedules.pausedBy(one.paused_by)}: ${one.pause_reason}</p>`}
    ${one.last_failure && one.failures_in_a_row > 0 && html`<div class="note bad"><strong>${t.schedules.inARow(one.failures_in_a_row)}</strong><${Json} value=${one.last_failure} name="failure" /></div>`}
    ${one.declines?.length > 0 && html`<div class="note warn" data-declines=${one.declines.length}><strong>${t.schedules.declinedBy(one.declines.length)}</strong><ul>${one.declines.map((each) => html`<li key=${each.server_uuid}>${each.server}: <${Said} text=${each.message} /></li>`)}</ul></div>`}
    ${can("update") && one.context === undefined && html`<p class="quiet">${t.schedules.noContext}</p>`}
    ${isEdited && html`<${Form} schedule=${one} onDone=${() => { edit(false); reload(); }} onClose=${() => edit(false)} />`}
    <div class="panels"><${Panel} title=${t.schedules.upcoming}>${one.paused ? html`<p>${t.schedules.nothingWhilePaused}</p>` : one.next_fire_times.length === 0 ? html`<p>${t.schedules.over}</p>` : html`<ul>${one.next_fire_times.map((at) => html`<li key=${at} data-upcoming=${at}><${Fire} at=${at} zone=${one.zone} /></li>`)}</ul>`}<//>
      <${Panel} title=${t.schedules.settings}><${Facts} of=${SHOWN.map((name) => [t.schedules.labels[name] ?? t.schedules.fields[name], setting(name, one[name])])} />
        <${Facts} of=${[[t.schedules.counts, t.schedules.countsOf(one)], [t.schedules.queued, one.queued_fire_at && html`<${Ago} at=${one.queued_fire_at} />`], [t.schedules.savedBy, html`${one.updated_by} <${Time} at=${one.updated_at} />`]]} /><//></div>
    ${one.context !== undefined && html`<${Panel} title=${t.templates.context}><${Json} value=${one.context} name="context" label=${t.templates.context} /><//>`}
    <${Fires} path=${path} params=${params} />
    <${Backfills} path=${path} mayStart=${can("backfill")} mayCancel=${can("delete")} onDone=${reload} />`;
}

export default function Schedule({ parts: [, uuid], params }) {
  const path = `v1/schedules/${encodeURIComponent(uuid)}`;
  const isNew = uuid === "new";
  const found = useLoad((signal) => (isNew ? Promise.resolve({}) : get(path, { upcoming: 10 }, signal)), [path], isNew ? 0 : 10_000);
  if (isNew) {
    return html`<${PageHead} title=${t.schedules.create} /><${Form} namespace=${params.get("namespace")} template=${params.get("template")} onDone=${(made) => { location.hash = link("schedules", made.schedule_uuid); }} />`;
  }
  return html`<${Loaded} of=${found}>${(one) => html`<${Whole} schedule=${one} path=${path} params=${params} reload=${found.reload} />`}<//>`;
}
