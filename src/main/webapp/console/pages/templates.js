// The templates: one row for each name, with its versions.
import { html } from "../dom.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Empty, Loaded, PageHead, Panel, Part, Table, Time, Toolbar } from "../ui/index.js";

/** Templates by namespace and name, the latest version first: the one that was registered last. */
export function grouped(templates) {
  const groups = new Map();
  for (const template of templates) {
    const key = `${template.namespace}/${template.name}`;
    groups.set(key, [...(groups.get(key) ?? []), template]);
  }
  return [...groups.values()].map((versions) => versions.sort((a, b) => b.created_at.localeCompare(a.created_at) || b.version.localeCompare(a.version, undefined, { numeric: true })));
}

export default function Templates({ params }) {
  const namespace = params.get("namespace") ?? "";
  const sought = (params.get("q") ?? "").toLowerCase();
  const templates = useLoad((signal) => get("v1/templates", {}, signal), [], 30_000);
  return html`<${PageHead} title=${t.pages.templates}>${may("templates:validate") && html`<a class="button main" href=${link("templates", "new")}>${t.templates.newOne}</a>`}<//>
    <${Loaded} of=${templates}>${({ templates: all }) => {
      const namespaces = [...new Set(all.map((template) => template.namespace))].sort();
      const found = grouped(all.filter((template) => (!namespace || template.namespace === namespace) && `${template.namespace}/${template.name} ${template.description ?? ""}`.toLowerCase().includes(sought)))
        .sort(([a], [b]) => `${a.namespace}/${a.name}`.localeCompare(`${b.namespace}/${b.name}`));
      return all.length === 0 ? html`<${Empty} icon="templates" title=${t.templates.none}>${may("templates:validate") && html`<a class="button main" href=${link("templates", "new")}>${t.templates.newOne}</a>`}<//>` : html`<${Panel} flat><${Toolbar}>
        <input type="search" name="q" aria-label=${t.templates.find} placeholder=${t.templates.find} value=${params.get("q") ?? ""} onInput=${(e) => setParams({ q: e.target.value, page: null })} />
        <select name="namespace" class="inline" aria-label=${t.tasks.namespace} value=${namespace} onChange=${(e) => setParams({ namespace: e.target.value, page: null })}><option value="">${t.allNamespaces}</option>${namespaces.map((name) => html`<option value=${name}>${name}</option>`)}</select>
        <span class="quiet small">${t.templates.count(found.length)}</span><//>
        <${Part} of=${found} params=${params}>${(shown) => html`<${Table} label=${t.pages.templates} head=${[t.tasks.template, t.templates.description, t.templates.latest, t.templates.steps, t.templates.registered, t.task.act]}>${shown.map(([latest, ...older]) => html`<tr key=${`${latest.namespace}/${latest.name}`}>
          <td><a href=${link("templates", latest.namespace, latest.name)}>${latest.namespace}/${latest.name}</a></td><td class="one quiet" title=${latest.description}>${latest.description}</td><td class="fit">${latest.version}${older.length > 0 && html` <span class="quiet" title=${older.map((one) => one.version).join(", ")}>+${older.length}</span>`}</td>
          <td>${latest.total_steps}</td><td class="fit"><${Time} at=${latest.created_at} /></td><td class="fit">${may("tasks:create", latest.namespace) && html`<a href=${link("templates", latest.namespace, latest.name, { tab: "submit" })}>${t.templates.submit}</a>`}</td></tr>`)}<//>`}<//><//>`;
    }}<//>`;
}
