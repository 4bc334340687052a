// How long finished tasks are kept, and what would be purged now.
import { html } from "../dom.js";
import { change, get, mayEverywhere, shared, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Action, Ago, Loaded, PageHead, Panel, Stat, Stats, Table, Time, words } from "../ui/index.js";

const STATES = ["", "complete", "error", "cancelled", "resolved_manually"];
const place = (policy) => [policy.namespace ?? t.access.allNamespaces, policy.name].filter(Boolean).join("/");
const days = (n) => (n === null || n === undefined ? t.retention.forever : t.retention.days(n));

function Change({ onDone }) {
  return html`<${Action} label=${t.retention.set} sentence=${t.retention.setSentence} isAllowed=${mayEverywhere("policies:update")} onDone=${onDone}
    fields=${[{ name: "namespace", label: t.tasks.namespace, hint: t.access.namespaceHint }, { name: "name", label: t.tasks.template }, { name: "state", label: t.tasks.state, kind: "select", options: STATES }, { name: "keep_days", label: t.retention.keep, kind: "number", hint: t.retention.keepHint }]}
    send=${(values, key) => change("PUT", "v1/retention/policy", { ...(values.namespace && { namespace: values.namespace }), ...(values.name && { name: values.name }), ...(values.state && { state: values.state }),
      keep_days: values.keep_days === "" ? null : Number(values.keep_days), requested_by: shared.me.name, reason: values.reason }, key)} />`;
}

export default function Retention() {
  const retention = useLoad((signal) => get("v1/retention", {}, signal), [], 60_000);
  const preview = useLoad((signal) => get("v1/retention/preview", {}, signal), []);
  return html`<${PageHead} title=${t.pages.retention} />
    <${Loaded} of=${retention}>${(found) => html`<${Stats}><${Stat} label=${t.retention.oldest} value=${found.oldest_task_at ? html`<${Ago} at=${found.oldest_task_at} />` : "–"} /><${Stat} label=${t.retention.purged} value=${found.purged_tasks.toLocaleString()} hint=${found.last_purged_at && html`${t.retention.last} <${Ago} at=${found.last_purged_at} />`} />
        <${Stat} label=${t.retention.history} value=${`${found.history.oldest_month ?? "–"} – ${found.history.last_month ?? "–"}`} /><//>
      <${Panel} flat title=${t.retention.policies}><div class="row"><${Change} onDone=${() => { retention.reload(); preview.reload(); }} /></div>
      ${found.policies.length === 0 ? html`<p>${t.retention.none}</p>` : html`<${Table} label=${t.retention.policies} head=${[t.retention.of, t.tasks.state, t.retention.keep, t.retention.by, t.reason]}>${found.policies.map((policy) => html`<tr key=${`${place(policy)} ${policy.state}`}>
        <td>${place(policy)}</td><td>${policy.state ? words(policy.state) : t.all}</td><td>${days(policy.keep_days)}</td><td>${policy.set_by} <span class="quiet small"><${Time} at=${policy.set_at} /></span></td><td>${policy.reason}</td></tr>`)}<//>`}<//>`}<//>
    <${Panel} flat title=${t.retention.preview}><${Loaded} of=${preview}>${(found) => html`<p>${t.retention.wouldPurge(found.tasks, found.is_more)}</p>
      ${found.by_template.length > 0 && html`<${Table} label=${t.retention.preview} head=${[t.tasks.template, t.tasks.state, t.retention.keep, t.failures.tasks]}>${found.by_template.map((row) => html`<tr><td>${row.namespace}/${row.name} <span class="quiet small">${row.version}</span></td><td>${words(row.state)}</td><td>${days(row.keep_days)}</td><td>${row.tasks.toLocaleString()}</td></tr>`)}<//>`}`}<//><//>`;
}
