// One box for what the reader has: a UUID, a correlation id, or the name of a template. It says what it understood.
import { html, useState } from "./dom.js";
import { get, link, may, say } from "./core.js";
import { t } from "./texts.js";

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

async function isThere(isAllowed, path, params) {
  if (!isAllowed) return null;
  try {
    return await get(path, params);
  } catch (refused) {
    if ([400, 403, 404].includes(refused.status)) return null;
    throw refused;
  }
}

/** What this UUID names: [the page's address, in words], or null. Ids of tasks and of correlations look alike, and a task is the more exact answer. */
async function ofUuid(id) {
  if (await isThere(may("tasks:read"), `v1/tasks/${id}`)) return [link("tasks", id), t.find.task];
  if ((await isThere(may("tasks:list"), "v1/tasks", { correlation_id: id, limit: 1 }))?.tasks.length) return [link("tasks", { correlation_id: id }), t.find.correlation];
  if (await isThere(may("approvals:read"), `v1/approvals/${id}`)) return [link("approvals", id), t.find.approval];
  if (await isThere(may("schedules:read"), `v1/schedules/${id}`)) return [link("schedules", id), t.find.schedule];
  if (await isThere(may("webhooks:read"), `v1/webhooks/${id}`)) return [link("webhooks", id), t.find.webhook];
  const letter = await isThere(may("dlq:read"), `v1/dlq/entry/${id}`);
  return letter ? [link("tasks", letter.task_uuid), t.find.deadLetter] : null;
}

function ofName(name) {
  const [namespace, rest] = name.includes("/") ? name.split("/", 2) : [null, name];
  return [link("tasks", { namespace, name_prefix: rest }), t.find.name(name)];
}

/** Goes where the text leads, and returns what it was understood as; null when nothing is found. */
export async function find(text) {
  const sought = text.trim();
  if (!sought) return null;
  const found = UUID.test(sought) ? await ofUuid(sought.toLowerCase()) : ofName(sought);
  say(found ? found[1] : t.find.nothing);
  if (found) location.hash = found[0];
  return found?.[1] ?? null;
}

export function Search() {
  const [text, set] = useState("");
  const [answer, tell] = useState(null);
  const submit = async (event) => {
    event.preventDefault();
    tell(t.loading);
    try {
      tell((await find(text)) ?? t.find.nothing);
    } catch (refused) {
      tell(refused.message);
    }
  };
  return html`<form class="row find" role="search" onSubmit=${submit}><input type="search" name="find" aria-label=${t.find.label} placeholder=${t.find.placeholder} value=${text} onInput=${(event) => { set(event.target.value); tell(null); }} />
    ${answer && text && html`<span class="small quiet" data-found>${answer}</span>`}</form>`;
}
