// One action on all tasks that match a filter: a dry run says how many, and the run is for exactly that set.
import { html, useState } from "./dom.js";
import { change, get, link, may, say, shared, useLoad } from "./core.js";
import { t } from "./texts.js";
import { Action, Ago, Dialog, ErrorNote, Field, Loaded, Said, State, words } from "./ui/index.js";

/** Refusals that are shown at a time. */
const PAGE = 50;
/** What a bulk action can filter by; with one state. */
const BULK = ["namespace", "name", "version", "state", "initiator", "source_system", "correlation_id", "parent_correlation_id", "created_after", "created_before", "failed_step",
  "error_type", "error_signature"];

/** Closes what is investigated, and changes no task. */
export const CLOSE = "close_dead_letters";

/** The filter in words, one part for each. */
const inWords = (filter) => Object.entries(t.bulk.filters).filter(([name]) => filter[name]).map(([name, say]) => say(name === "state" ? words(filter[name]) : filter[name])).join(", ");

/** First what would happen, then the action, for exactly that set. */
export function Bulk({ filter, onDone }) {
  const [isOpen, open] = useState(false);
  return html`<button type="button" aria-haspopup="dialog" onClick=${() => open(true)}>${t.tasks.bulk}</button>${isOpen && html`<${BulkDialog} filter=${filter} label=${t.tasks.bulk} onDone=${onDone} onClose=${() => open(false)} />`}`;
}

/** action: only this one. Whoever opens it keeps it, whatever becomes of the list that it was opened from. */
export function BulkDialog({ filter, label, action, onDone, onClose }) {
  const unusable = Object.keys(filter).filter((name) => !BULK.includes(name) || (name === "state" && filter.state.includes(",")));
  const usable = Object.keys(filter).length > 0 && unusable.length === 0;
  return html`<${Dialog} title=${label} onClose=${onClose}>
      ${usable ? html`<${BulkForm} filter=${filter} only=${action} onDone=${onDone} onClose=${onClose} />`
        : html`<p>${unusable.length ? t.tasks.bulkOther(unusable.join(", ")) : t.tasks.bulkFilters}</p><button type="button" onClick=${onClose}>${t.close}</button>`}<//>`;
}

/** An action that servers do in parts: it goes on when the dialog is closed, and each refusal is shown with its task. */
function BulkProgress({ token, onDone }) {
  const [isOver, over] = useState(false);
  const [cursor, go] = useState(null);
  const action = useLoad(async (signal) => {
    const found = await get(`v1/bulk-actions/${token}`, {}, signal);
    if (found.state !== "running" && !isOver) {
      over(true);
      say(t.tasks.ran(found.results));
      onDone();
    }
    return found;
  }, [token, isOver], isOver ? 0 : 1_000);
  const refused = useLoad((signal) => get(`v1/bulk-actions/${token}/tasks`, { outcome: "refused", limit: PAGE, cursor }, signal), [token, cursor, isOver, action.data?.results.refused]);
  return html`<${Loaded} of=${action}>${(found) => html`<p role="status" data-bulk=${found.state} class=${found.results.refused > 0 ? "note warn" : ""}>${t.tasks.bulkStates[found.state]} ${t.tasks.ran(found.results)} ${found.rest > 0 && t.tasks.bulkRest(found.rest)}</p>
      <progress max=${Math.max(1, found.count)} value=${found.count - found.rest} aria-label=${t.tasks.bulk}></progress>
      ${found.state === "running" && html`<${Action} label=${t.tasks.bulkStop} sentence=${t.tasks.bulkStopSentence} withReason=${false} isDangerous onDone=${action.reload} send=${(_, key) => change("DELETE", `v1/bulk-actions/${token}`, undefined, key)} />`}`}<//>
    <${Loaded} of=${refused}>${({ tasks, next }) => tasks.length > 0 && html`<ul class="refusals">${tasks.map((one) => html`<li key=${one.task_uuid}><a class="mono" href=${link("tasks", one.task_uuid)}>${one.task_uuid}</a> <${Said} text=${one.message} /> <code>${one.code}</code></li>`)}</ul>
      <div class="row">${cursor && html`<button type="button" onClick=${() => go(null)}>${t.first}</button>`}${next && html`<button type="button" onClick=${() => go(next)}>${t.tasks.moreRefusals}</button>`}</div>`}<//>`;
}

/** How many match now, and when they were counted. */
function Matching({ filter }) {
  const count = useLoad((signal) => get("v1/tasks:count", filter, signal), [JSON.stringify(filter)]);
  return html`<${Loaded} of=${count}>${(found) => html`<p data-matching=${found.count}><strong>${t.tasks.count(found)}</strong> <span class="quiet small">${t.tasks.counted} <${Ago} at=${count.at.toISOString()} /></span></p>`}<//>`;
}

/** What is not as it was at the dry run before: by state, and by task where both samples are the whole set. */
function Difference({ before, now }) {
  const moved = Object.keys({ ...before.by_state, ...now.by_state }).map((state) => [state, before.by_state[state] ?? 0, now.by_state[state] ?? 0]).filter(([, from, to]) => from !== to);
  const isWhole = [before, now].every((preview) => preview.count === preview.sample.length);
  const lists = isWhole ? [["came", now.sample, before.sample], ["gone", before.sample, now.sample]].map(([name, of, other]) => [name, of.filter((uuid) => !other.includes(uuid))]).filter(([, uuids]) => uuids.length > 0) : [];
  return html`<div class="note warn" role="alert" data-difference=${`${before.count} ${now.count}`}><strong>${t.tasks.changed(before.count, now.count)}</strong>
    ${moved.length > 0 && html`<ul>${moved.map(([state, from, to]) => html`<li key=${state}>${words(state)}: ${from.toLocaleString()} → ${to.toLocaleString()}</li>`)}</ul>`}
    ${lists.map(([name, uuids]) => html`<p>${t.tasks.changedBy[name]}</p><ul>${uuids.map((uuid) => html`<li key=${uuid} data-difference-of=${name}><a class="mono" href=${link("tasks", uuid)}>${uuid}</a></li>`)}</ul>`)}
    ${moved.length === 0 && lists.length === 0 && html`<p>${t.tasks.changedOthers}</p>`}</div>`;
}

function BulkForm({ filter, only, onDone, onClose }) {
  const actions = (only ? [only] : [...Object.keys(t.tasks.actions), CLOSE]).filter((action) => (action === CLOSE ? may("dlq:update", filter.namespace) : !["cancel", "compensate"].includes(action) || may("tasks:cancel", filter.namespace)));
  const [action, setAction] = useState(actions[0]);
  const [resolution, setResolution] = useState("manually_resolved");
  const named = (name) => (name === CLOSE ? t.bulk.close : t.tasks.actions[name]);
  const [reason, setReason] = useState("");
  const [preview, setPreview] = useState(null);
  const [before, setBefore] = useState(null);
  const [result, setResult] = useState(null);
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const attempt = async (what) => {
    busy(true);
    setError(null);
    try {
      await what();
    } catch (refused) {
      setError(refused);
      setPreview(null);
    }
    busy(false);
  };
  const dryRun = (event) => {
    event.preventDefault();
    attempt(async () => setPreview(await counted()));
  };
  const counted = async () => ({ ...(await change("POST", "v1/bulk-actions", { action_type: action, requested_by: shared.me.name, reason, filter, ...(action === CLOSE && { resolution_status: resolution }) })), countedAt: new Date().toISOString() });
  const run = () => attempt(async () => {
    let done;
    try {
      done = await change("POST", `v1/bulk-actions/${preview.token}/run`);
    } catch (refused) {
      if (refused.problem?.code !== "set-has-changed") throw refused;
      // Nothing was done: the set of now is shown beside the one that was looked at, and runs only if it is confirmed.
      const now = await counted();
      setError(refused);
      setBefore(preview);
      setPreview(now);
      return;
    }
    setResult(done);
    if (!done.background) say(t.tasks.ran(done.results));
    onDone();
  });
  if (result?.background) return html`<${BulkProgress} token=${preview.token} onDone=${onDone} /><button type="button" onClick=${onClose}>${t.close}</button>`;
  if (result) return html`<p role="status" class=${result.refusals.length > 0 ? "note warn" : ""}>${t.tasks.ran(result.results)}</p>
    ${result.refusals.length > 0 && html`<ul class="refusals">${result.refusals.map((one) => html`<li key=${one.task_uuid}><a class="mono" href=${link("tasks", one.task_uuid)}>${one.task_uuid}</a> <${Said} text=${one.message} /> <code>${one.code}</code></li>`)}</ul>`}<button type="button" onClick=${onClose}>${t.close}</button>`;
  return html`<p>${t.tasks.bulkHint}</p><p data-filter><strong>${t.bulk.all(inWords(filter))}</strong></p>
    ${!preview && html`<${Matching} filter=${filter} />`}
    ${error && html`<${ErrorNote} error=${error} />`}
    ${before && preview && html`<${Difference} before=${before} now=${preview} />`}
    ${preview ? html`<p><strong>${t.tasks.dryCount(preview.count)}</strong> ${preview.background && t.tasks.inBackground} <span class="quiet small" data-counted=${preview.countedAt}>${t.tasks.counted} <${Ago} at=${preview.countedAt} /></span></p>
      <p class="row">${Object.entries(preview.by_state).map(([state, n]) => html`<span key=${state}><${State} of=${state} /> ${n.toLocaleString()}</span>`)}</p>
      ${preview.sample.length > 0 && html`<h3>${t.tasks.sample}</h3><ul>${preview.sample.map((id) => html`<li><a class="mono" href=${link("tasks", id)}>${id}</a></li>`)}</ul>`}
      <div class="row">${preview.count > 0 && html`<button type="button" class="danger" disabled=${isBusy} onClick=${run}>${action === CLOSE ? t.bulk.closeThese(preview.count) : t.tasks.run(named(action), preview.count)}</button>`}
        <button type="button" onClick=${onClose}>${t.action.keep}</button></div>`
    : html`<form onSubmit=${dryRun}><${Field} label=${t.tasks.action}><select name="action" value=${action} onChange=${(e) => setAction(e.target.value)}>${actions.map((name) => html`<option value=${name}>${named(name)}</option>`)}</select><//>
      ${action === CLOSE && html`<p>${t.bulk.closeSentence}</p><${Field} label=${t.dead.status}><select name="resolution_status" value=${resolution} onChange=${(e) => setResolution(e.target.value)}>${["manually_resolved", "permanently_failed", "cancelled"].map((name) => html`<option value=${name}>${t.dead.statuses[name]}</option>`)}</select><//>`}
      <${Field} label=${t.reason}><input name="reason" required maxlength="1000" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>
      <div class="row"><button class="main" disabled=${isBusy}>${t.tasks.dryRun}</button><button type="button" onClick=${onClose}>${t.action.keep}</button></div></form>`}`;
}
