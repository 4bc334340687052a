// Decisions that wait for a user: the inbox, and those that were decided.
import { html, useRef, useState } from "../dom.js";
import { change, get, link, say, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { stamp } from "../time.js";
import { Ago, Empty, ErrorNote, Loaded, PageHead, Pages, Panel, State, Table, Time, Toolbar } from "../ui/index.js";

const STATES = Object.keys(t.approvals.states);
const TEXTS = { namespace: t.tasks.namespace, title: t.approvals.titlePart, claimed_by: t.approvals.claimedBy, task_uuid: t.approvals.ofTask };

/** A change that needs no words: sent at once, and a refusal stands beside the button. */
export function Direct({ label, send, onDone }) {
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const isSent = useRef(false);
  const press = async () => {
    if (isSent.current) return;
    isSent.current = true;
    busy(true);
    setError(null);
    try {
      await send();
      say(t.done);
    } catch (refused) {
      setError(refused);
    }
    isSent.current = false;
    busy(false);
    onDone();
  };
  return html`<button type="button" disabled=${isBusy} onClick=${press}>${label}</button>${error && html`<${ErrorNote} error=${error} />`}`;
}

/** Who may take it: the names of roles and users. */
export const candidates = ({ roles, users }) => [...roles.toSorted().map((role) => t.approvals.role(role)), ...users.toSorted()].join(", ");

/** What the caller may do with it at present; `may` comes with the approval. */
export const Claims = ({ approval, onDone }) => ["claim", "unclaim"].filter((action) => approval.may.includes(action)).map((action) => html`<${Direct} key=${action} label=${t.approvals.actions[action]} onDone=${onDone}
  send=${() => change("POST", `v1/approvals/${approval.approval_uuid}/${action}`)} />`);

export default function Approvals({ params }) {
  const states = (params.get("state") || "open").split(",");
  const filter = { state: states.join(","), mine: params.get("mine"), cursor: params.get("cursor") };
  for (const name of Object.keys(TEXTS)) filter[name] = params.get(name);
  const page = useLoad((signal) => get("v1/approvals", { ...filter, limit: 50 }, signal), [JSON.stringify(filter)], 15_000);
  const turn = (state, isOn) => setParams({ state: STATES.filter((one) => (one === state ? isOn : states.includes(one))).join(","), cursor: null });
  return html`<${PageHead} title=${t.pages.approvals} />
    <${Panel} flat><${Toolbar}>${STATES.map((state) => html`<label key=${state}><input type="checkbox" name="state" value=${state} checked=${states.includes(state)} onChange=${(e) => turn(state, e.target.checked)} /> ${t.approvals.states[state]}</label>`)}
      <label><input type="checkbox" name="mine" checked=${filter.mine === "true"} onChange=${(e) => setParams({ mine: e.target.checked ? "true" : null, cursor: null })} /> ${t.approvals.mine}</label>
      ${Object.entries(TEXTS).map(([name, label]) => html`<input type="search" key=${name} name=${name} aria-label=${label} placeholder=${label} value=${filter[name] ?? ""} onChange=${(e) => setParams({ [name]: e.target.value.trim(), cursor: null })} />`)}<//>
    <${Loaded} of=${page}>${({ approvals, next }) => html`${approvals.length === 0 ? html`<${Empty} icon="approvals" title=${t.approvals.none}><button type="button" onClick=${() => setParams({ state: null, mine: null, cursor: null, ...Object.fromEntries(Object.keys(TEXTS).map((name) => [name, null])) })}>${t.tasks.clear}</button><//>`
      : html`<${Table} label=${t.pages.approvals} head=${[t.tasks.state, t.approvals.what, t.approvals.due, t.approvals.who, t.task.act]}>${approvals.map((one) => html`<tr key=${one.approval_uuid} data-approval=${one.approval_uuid}>
        <td><${State} of=${one.state} /></td>
        <td><a href=${link("approvals", one.approval_uuid)}>${one.title}</a> <span class="quiet small">${one.namespace}/${one.name} · ${one.step}</span></td>
        <td>${one.state === "open" ? html`<${Ago} at=${one.due_at} />` : html`<${Time} at=${one.ended_at} />`}${one.escalated_at && html` <span class="f-retry small">${t.approvals.escalated}</span>`}</td>
        <td>${one.decided_by ? t.approvals.decided(one.decided_by) : one.claimed_by ? t.approvals.claimed(one.claimed_by, one.claim_ends_at && stamp(one.claim_ends_at)) : candidates(one.candidates)}</td>
        <td><${Claims} approval=${one} onDone=${page.reload} /></td></tr>`)}<//>`}
      <${Pages} first=${filter.cursor && (() => setParams({ cursor: null }))} next=${next && link("approvals", { ...filter, cursor: next })} />`}<//><//>`;
}
