// One approval: what is shown to those who decide, the form of the decision, and what happened.
import { html, useRef, useState } from "../dom.js";
import { change, get, link, may, say, useLoad } from "../core.js";
import { asError, useDocument } from "../schemaform.js";
import { t } from "../texts.js";
import { Action, Ago, ErrorNote, Facts, Field, Json, Loaded, PageHead, Panel, State, Time } from "../ui/index.js";
import { candidates, Claims } from "./approvals.js";

function Decide({ approval, onDone }) {
  const values = useDocument({ schema: approval.form, pointer: "values", label: t.approvals.values });
  const [comment, setComment] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const isSent = useRef(false);
  const decide = async (approved) => {
    if (isSent.current) return;
    isSent.current = true;
    busy(true);
    setError(null);
    try {
      // A rejection needs no values: what is filled in goes along only with an approval.
      const sent = approved && approval.form ? { values: values.read() } : {};
      await change("POST", `v1/approvals/${approval.approval_uuid}/decide`, { approved, ...sent, ...(comment.trim() && { comment: comment.trim() }) });
      say(t.done);
    } catch (refused) {
      setError(asError(refused, t.approvals.values));
    }
    isSent.current = false;
    busy(false);
    onDone();
  };
  return html`<${Panel} title=${t.approvals.decision}><form onSubmit=${(event) => { event.preventDefault(); decide(true); }}>
    ${approval.form && values.fields(error)}
    <${Field} label=${t.approvals.comment}><input name="comment" maxlength="1000" value=${comment} onInput=${(e) => setComment(e.target.value)} /><//>
    ${error && html`<${ErrorNote} error=${error} />`}
    <div class="row"><button class="main" disabled=${isBusy}>${t.approvals.approve}</button><button type="button" class="danger" disabled=${isBusy} onClick=${() => decide(false)}>${t.approvals.reject}</button></div></form><//>`;
}

export default function Approval({ parts: [, uuid] }) {
  const path = `v1/approvals/${encodeURIComponent(uuid)}`;
  const found = useLoad((signal) => get(path, {}, signal), [path], 10_000);
  return html`<${Loaded} of=${found}>${(one) => html`<${PageHead} title=${html`${one.title} <span class="quiet small">${one.namespace}/${one.name} · ${one.step}</span>`} beside=${html`<div class="row" data-state=${one.state}><${State} of=${one.state} />${may("tasks:read", one.namespace) && html`<a href=${link("tasks", one.task_uuid, { step: one.step })}>${t.approvals.task}</a>`}<a href=${link("approvals")}>${t.pages.approvals}</a></div>`}><div class="row actions"><${Claims} approval=${one} onDone=${found.reload} />
      <${Action} label=${t.approvals.actions.delegate} of=${one.title} kind=${t.approvals.kind} sentence=${t.approvals.delegateSentence} withReason=${false} isOffered=${one.may.includes("delegate")} onDone=${found.reload}
        fields=${[{ name: "to", label: t.approvals.to, required: true }, { name: "note", label: t.approvals.note }]}
        send=${(values, key) => change("POST", `${path}/delegate`, { to: values.to.trim(), ...(values.note.trim() && { note: values.note.trim() }) }, key)} /></div><//>
    ${one.description && html`<p>${one.description}</p>`}
    <${Facts} of=${[[t.approvals.due, one.state === "open" && one.due_at ? html`<${Ago} at=${one.due_at} /> · <${Time} at=${one.due_at} />` : null], [t.approvals.escalatedAt, one.escalated_at && html`<${Time} at=${one.escalated_at} />`],
      [t.approvals.candidates, candidates(one.candidates)], [t.approvals.fourEyes, one.four_eyes ? t.approvals.fourEyesSentence : null], [t.approvals.claimedBy, one.claimed_by], [t.approvals.claimEnds, one.claim_ends_at && html`<${Ago} at=${one.claim_ends_at} /> · <${Time} at=${one.claim_ends_at} />`], [t.approvals.assignedBy, one.assigned_by],
      [t.approvals.decidedBy, one.decided_by], [t.approvals.comment, one.comment], [t.task.ended, one.ended_at && html`<${Time} at=${one.ended_at} />`]]} />
    ${Object.keys(one.shown).length > 0 && html`<${Panel} title=${t.approvals.shown}><${Facts} of=${Object.entries(one.shown).map(([name, value]) => [name, typeof value === "object" && value !== null ? html`<${Json} value=${value} name=${name} />` : String(value)])} /><//>`}
    ${one.may.includes("decide") && html`<${Decide} key=${one.approval_uuid} approval=${one} onDone=${found.reload} />`}
    ${one.values && html`<${Panel} title=${t.approvals.values}><${Json} value=${one.values} name="values" label=${t.approvals.values} /><//>`}
    <${Panel} title=${t.approvals.events}><ol class="story">${one.events.map((event) => html`<li data-event=${event.event}><span class="quiet small"><${Time} at=${event.at} /></span><div>${t.approvals.event(event)}</div></li>`)}</ol><//>`}<//>`;
}
