// The namespace that all pages show: it is in the address, and goes along from page to page.
import { html } from "./dom.js";
import { get, link, may, setParams, share, shared, useLoad, useRoute, useShared } from "./core.js";
import { t } from "./texts.js";

/** The chosen one, or an empty text for all. Pages without one in their address, such as that of a task, leave it as it is. */
export function useNamespace() {
  return useShared("namespace").namespace;
}

/** The namespaces that the reader can name: those of templates, and those of grants. */
function known(templates) {
  const granted = [...(shared.me?.granted.values() ?? [])].flat().filter(Boolean);
  return [...new Set([...(templates?.templates ?? []).map((template) => template.namespace), ...granted])].sort();
}

/** narrows: whether the page that is shown takes the namespace at once. */
export function Namespaces({ narrows }) {
  const { params, parts } = useRoute();
  const current = useNamespace();
  const templates = useLoad((signal) => (may("templates:read") ? get("v1/templates", {}, signal) : Promise.resolve(null)), [], 300_000);
  const named = params.get("namespace");
  // What the address says counts from then on.
  if (parts.length < 2 && narrows && (named ?? "") !== current && !named?.includes(",")) queueMicrotask(() => share({ namespace: named ?? "" }));
  const choose = (event) => {
    const namespace = event.target.value;
    share({ namespace });
    if (narrows && parts.length < 2) setParams({ namespace, cursor: null });
    else if (narrows) location.hash = link(parts[0], namespace ? { namespace } : {});
  };
  const names = known(templates.data);
  return html`<select class="inline" name="of-all" aria-label=${t.namespaceOfAll} value=${current} onChange=${choose}><option value="">${t.allNamespaces}</option>
    ${current && !names.includes(current) && html`<option value=${current}>${current}</option>`}${names.map((name) => html`<option key=${name} value=${name}>${name}</option>`)}</select>`;
}
