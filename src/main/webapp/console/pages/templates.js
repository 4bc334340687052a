// The templates: one row for each name, with its versions.
import { html } from "../dom.js";
import { get, link, may, setParams, useLoad } from "../core.js";
import { t } from "../texts.js";
import { Field, Loaded, Table, Time } from "../ui.js";

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
  const templates = useLoad((signal) => get("v1/templates", {}, signal), [], 30_000);
  return html`<div class="row spread"><h1>${t.pages.templates}</h1>${may("templates:validate") && html`<a class="button" href=${link("templates", "new")}>${t.templates.newOne}</a>`}</div>
    <${Loaded} of=${templates}>${({ templates: all }) => {
      const namespaces = [...new Set(all.map((template) => template.namespace))].sort();
      const shown = grouped(all.filter((template) => !namespace || template.namespace === namespace));
      return all.length === 0 ? html`<p>${t.templates.none}</p>` : html`<div class="filters"><${Field} label=${t.tasks.namespace}><select name="namespace" value=${namespace} onChange=${(e) => setParams({ namespace: e.target.value })}>
          <option value="">${t.all}</option>${namespaces.map((name) => html`<option value=${name}>${name}</option>`)}</select><//></div>
        <${Table} label=${t.pages.templates} head=${[t.tasks.template, t.templates.latest, t.templates.steps, t.templates.description, t.templates.registered]}>${shown.map(([latest, ...older]) => html`<tr key=${`${latest.namespace}/${latest.name}`}>
          <td><a href=${link("templates", latest.namespace, latest.name)}>${latest.namespace}/${latest.name}</a></td><td>${latest.version}${older.length > 0 && html` <span class="quiet">+${older.length}</span>`}</td>
          <td>${latest.total_steps}</td><td>${latest.description}</td><td><${Time} at=${latest.created_at} /></td></tr>`)}<//>`;
    }}<//>`;
}
