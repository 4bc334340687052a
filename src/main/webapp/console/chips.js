// The filters of the list as chips, and for an empty list the chip that leaves out most.
import { html } from "./dom.js";
import { get, setParams, useLoad } from "./core.js";
import { t } from "./texts.js";
import { words } from "./ui/index.js";

/** So many filters are tried without, each with a count. */
const MOST_TRIED = 8;

export const drop = (name) => setParams({ [name]: null, cursor: null });

const shown = (name, value) => (name.startsWith("state") ? value.split(",").map(words).join(", ") : value);

/** labels: {filter: text}. */
export function Chips({ filter, labels }) {
  const names = Object.keys(filter);
  return names.length > 0 && html`<span class="chips" role="group" aria-label=${t.tasks.chosen}>${names.map((name) => html`<button type="button" class="chip" title=${shown(name, filter[name])} key=${name} data-chip=${name} onClick=${() => drop(name)}>
    <span class="one">${t.tasks.chip(labels[name] ?? name, shown(name, filter[name]))}</span> <span aria-hidden="true">✕</span><span class="unseen">${t.tasks.dropChip}</span></button>`)}</span>`;
}

/** Which single filter, left out, shows most tasks. */
export function EmptyHint({ filter, attributes, labels }) {
  const found = useLoad(async (signal) => {
    const names = Object.keys(filter).slice(0, MOST_TRIED);
    const counts = await Promise.all(names.map((name) => {
      const { [name]: dropped, ...rest } = filter;
      return get("v1/tasks:count", { ...rest, attribute: name === "attribute" ? [] : attributes }, signal).then((answer) => ({ name, ...answer }));
    }));
    return { best: counts.filter((one) => one.count > 0).sort((a, b) => b.count - a.count)[0] ?? null };
  }, [JSON.stringify(filter)]);
  const best = found.data?.best;
  return best && html`<p data-hint=${best.name}>${t.tasks.hint(labels[best.name] ?? best.name, filter[best.name])} <button type="button" class="main" onClick=${() => drop(best.name)}>${t.tasks.hintDrop(best)}</button></p>`;
}
