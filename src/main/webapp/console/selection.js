// Rows that were selected one by one: what is done to them is done to exactly these, with a verdict for each.
import { html, useRef, useState } from "./dom.js";
import { change, link, may, newKey, query, Refusal, say, shared } from "./core.js";
import { t } from "./texts.js";
import { Dialog, ErrorNote, Field, Said } from "./ui/index.js";

/** Each is a request of its own. */
export const MOST_SELECTED = 200;
/** Of a server that is busy, of what is before it, or because of the caller: the others would be refused too. */
const PASSING = [0, 401, 429, 502, 503, 504];
const NEEDS_CANCEL = ["cancel", "compensate"];

const request = (action, uuid, reason, key) => (action === "cancel"
  ? change("DELETE", `v1/tasks/${uuid}${query({ reason, requested_by: shared.me.name })}`, undefined, key)
  : change("PATCH", `v1/tasks/${uuid}`, { action_type: action, requested_by: shared.me.name, reason }, key));

function Form({ uuids, namespace, onDone, onClose }) {
  const actions = Object.keys(t.tasks.actions).filter((action) => !NEEDS_CANCEL.includes(action) || may("tasks:cancel", namespace));
  const [action, setAction] = useState(actions[0]);
  const [reason, setReason] = useState("");
  const [verdicts, setVerdicts] = useState(null);
  const [error, setError] = useState(null);
  const [done, count] = useState(null);
  const isSent = useRef(false);
  // The same request for the same task has the same key, also when the run is sent again after a lost connection.
  const keys = useRef(new Map());
  const run = async (event) => {
    event.preventDefault();
    if (isSent.current) return;
    isSent.current = true;
    setError(null);
    const found = [];
    try {
      for (const uuid of uuids) {
        const name = `${action} ${uuid} ${reason}`;
        if (!keys.current.has(name)) keys.current.set(name, newKey());
        try {
          await request(action, uuid, reason.trim(), keys.current.get(name));
          found.push({ uuid });
        } catch (refused) {
          if (!(refused instanceof Refusal) || PASSING.includes(refused.status)) throw refused;
          found.push({ uuid, message: refused.message, code: refused.problem.code ?? String(refused.status) });
        }
        count(found.length);
      }
      setVerdicts(found);
      say(t.select.ran(found.filter((one) => !one.code).length, found.filter((one) => one.code).length));
      onDone();
    } catch (refused) {
      setError(refused);
      count(null);
    }
    isSent.current = false;
  };
  if (verdicts) {
    const refused = verdicts.filter((one) => one.code);
    return html`<p role="status" class=${refused.length > 0 ? "note warn" : ""} data-ran=${verdicts.length - refused.length} data-refused=${refused.length}>${t.select.ran(verdicts.length - refused.length, refused.length)}</p>
      ${refused.length > 0 && html`<ul class="refusals">${refused.map((one) => html`<li key=${one.uuid}><a class="mono" href=${link("tasks", one.uuid)}>${one.uuid}</a> <${Said} text=${one.message} /> <code>${one.code}</code></li>`)}</ul>`}
      <button type="button" onClick=${onClose}>${t.close}</button>`;
  }
  return html`<form onSubmit=${run}><p>${t.select.sentence(uuids.length)}</p>
    <${Field} label=${t.tasks.action}><select name="action" value=${action} onChange=${(e) => setAction(e.target.value)}>${actions.map((name) => html`<option value=${name}>${t.tasks.actions[name]}</option>`)}</select><//>
    <${Field} label=${t.reason}><input name="reason" required maxlength="1000" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>
    ${error && (error.status === 0 ? html`<p class="note warn" role="alert">${t.action.lost}</p>` : html`<${ErrorNote} error=${error} />`)}
    ${done !== null && html`<progress max=${uuids.length} value=${done} aria-label=${t.select.selected(uuids.length)}></progress>`}
    <div class="row"><button class="danger" disabled=${done !== null}>${t.tasks.run(t.tasks.actions[action], uuids.length)}</button><button type="button" onClick=${onClose}>${t.action.keep}</button></div></form>`;
}

/** The bar above the list while rows are selected. The set is what was selected, whatever moves meanwhile. */
export function SelectionBar({ selected, namespace, onClear, onDone }) {
  const [taken, take] = useState(null);
  return html`${selected.size > 0 && html`<div class="note row" role="group" aria-label=${t.select.label} data-selected=${selected.size}><strong>${t.select.selected(selected.size)}</strong> <span class="quiet small">${t.select.still}</span>
      <button type="button" onClick=${() => take([...selected])}>${t.select.act}</button><button type="button" onClick=${onClear}>${t.select.clear}</button></div>`}
    ${taken && html`<${Dialog} title=${t.select.act} onClose=${() => take(null)}><${Form} uuids=${taken} namespace=${namespace} onDone=${onDone} onClose=${() => take(null)} /><//>`}`;
}
