// Concurrency policies: who holds a slot, who waits, and the limit.
import { html } from "../dom.js";
import { change, get, link, may, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Facts, Loaded } from "../ui.js";

const Entries = ({ of, title }) => of?.length > 0 && html`<h3>${title}</h3><ul>${of.map((entry) => html`<li><a href=${link("tasks", entry.task_uuid)}>${entry.key ?? entry.step ?? entry.task_uuid}</a> <span class="quiet small"><${Ago} at=${entry.since} /></span></li>`)}</ul>`;

export default function Policies() {
  const policies = useLoad((signal) => get("v1/concurrency-policies", { entries: 10 }, signal), [], 5_000);
  const set = (policy) => ({ limit, reason }, key) =>
    change("PUT", `v1/concurrency-policies/${policy.policy_uuid}/limit`, { limit: limit === "" ? null : Number(limit), requested_by: shared.me.name, reason }, key);
  return html`<h1>${t.pages.policies}</h1><${Loaded} of=${policies}>${({ policies: all }) => html`${all.length === 0 && html`<p>${t.policies.none}</p>`}
    <div class="panels">${all.map((policy) => html`<section class="panel" key=${policy.policy_uuid} data-policy=${policy.policy_uuid}><h2>${policy.namespace}/${policy.name}${policy.step ? ` · ${policy.step}` : ""}</h2>
      <${Facts} of=${[[t.policies.limit, html`<strong>${policy.limit}</strong>${policy.set_by && html` <span class="quiet small">${t.policies.setBy(policy)}</span>`}`], [t.policies.holding, String(policy.holding)], [t.policies.waiting, String(policy.waiting)],
        [t.policies.counts, policy.counts], [t.policies.key, policy.key]]} />
      <${Action} label=${t.policies.change} of=${t.policies.limitOf(policy)} kind=${t.policies.kind} sentence=${t.policies.sentence} isAllowed=${may("policies:update", policy.namespace)} onDone=${policies.reload} send=${set(policy)}
        fields=${[{ name: "limit", label: t.policies.limit, kind: "number", value: String(policy.limit) }]} />
      <${Entries} of=${policy.holders} title=${t.policies.holding} /><${Entries} of=${policy.waiters} title=${t.policies.waiting} /></section>`)}</div>`}<//>`;
}
