// Concurrency policies: who holds a slot, who waits, and the limit.
import { html } from "../dom.js";
import { change, get, link, may, setParams, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Empty, Loaded, Meter, PageHead, Panel, Part, Table, Toolbar } from "../ui/index.js";

const Entries = ({ of, n, title }) => (of?.length > 0 ? html`<details><summary>${n.toLocaleString()}</summary><ul aria-label=${title}>${of.map((entry) => html`<li key=${`${entry.task_uuid} ${entry.step}`}><a href=${link("tasks", entry.task_uuid)} title=${entry.task_uuid}>${entry.key ?? entry.step ?? entry.task_uuid}</a> <span class="quiet small"><${Ago} at=${entry.since} /></span></li>`)}</ul></details>` : n.toLocaleString());

export default function Policies({ params }) {
  const policies = useLoad((signal) => get("v1/concurrency-policies", { entries: 10 }, signal), [], 5_000);
  const namespace = params.get("namespace") ?? "";
  const sought = (params.get("q") ?? "").toLowerCase();
  const set = (policy) => ({ limit, reason }, key) =>
    change("PUT", `v1/concurrency-policies/${policy.policy_uuid}/limit`, { limit: limit === "" ? null : Number(limit), requested_by: shared.me.name, reason }, key);
  return html`<${PageHead} title=${t.pages.policies} /><${Loaded} of=${policies}>${({ policies: all }) => {
    const found = all.filter((policy) => (!namespace || policy.namespace === namespace) && `${policy.namespace}/${policy.name} ${policy.step ?? ""} ${policy.key ?? ""}`.toLowerCase().includes(sought))
      .sort((a, b) => b.waiting - a.waiting || b.holding - a.holding);
    return html`<${Panel} flat><${Toolbar}><input type="search" name="q" size="30" aria-label=${t.policies.find} placeholder=${t.policies.find} value=${params.get("q") ?? ""} onInput=${(e) => setParams({ q: e.target.value, page: null })} /><//>
      ${found.length === 0 ? html`<${Empty} icon="policies" title=${t.policies.none} />` : html`<${Part} of=${found} params=${params}>${(shown) => html`<${Table} label=${t.pages.policies} head=${[t.tasks.template, t.policies.limit, t.policies.holding, t.policies.waiting, t.policies.counts, t.task.act]}>${shown.map((policy) => html`<tr key=${policy.policy_uuid} data-policy=${policy.policy_uuid}>
        <td><a href=${link("templates", policy.namespace, policy.name)}>${policy.namespace}/${policy.name}</a>${policy.step && html` · <strong>${policy.step}</strong>`}</td>
        <td><${Meter} part=${policy.holding} of=${policy.limit} colour=${policy.holding >= policy.limit ? "f-retry" : "f-running"} /><strong>${policy.limit}</strong>${policy.set_by && html` <span class="quiet small">${t.policies.setBy(policy)}</span>`}</td>
        <td><${Entries} of=${policy.holders} n=${policy.holding} title=${t.policies.holding} /></td><td><${Entries} of=${policy.waiters} n=${policy.waiting} title=${t.policies.waiting} /></td>
        <td>${policy.counts}${policy.key && html` <code>${policy.key}</code>`}</td>
        <td class="fit"><${Action} label=${t.policies.change} of=${t.policies.limitOf(policy)} kind=${t.policies.kind} sentence=${t.policies.sentence} isAllowed=${may("policies:update", policy.namespace)} onDone=${policies.reload} send=${set(policy)}
          fields=${[{ name: "limit", label: t.policies.limit, kind: "number", value: String(policy.limit) }]} /></td></tr>`)}<//>`}<//>`}<//>`;
  }}<//>`;
}
