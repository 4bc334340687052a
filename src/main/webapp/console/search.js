// One box for what the reader has: the value of a search attribute, an id or its beginning, the name of a template or a schedule, the title of an approval. What is
// found stands in groups below it while one types; Enter opens what is marked, or else what the text is understood as.
import { html, memo, useEffect, useRef, useState } from "./dom.js";
import { get, link, may, say } from "./core.js";
import { t } from "./texts.js";
import { Icon, State } from "./ui/index.js";

export const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** The beginning of an id: as many digits as tell it from a word. */
const BEGINNING = /^[0-9a-f]{4}[0-9a-f-]*$/i;
const PAUSE_MS = 250;
/** In each group. */
const MOST = 5;

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

/** The tasks whose ids begin so: a range of the list, which is in the order of the ids. */
async function ofBeginning(text) {
  const digits = text.toLowerCase().replaceAll("-", "");
  if (digits.length > 31) return null;
  const whole = digits.padEnd(32, "0");
  const cursor = [whole.slice(0, 8), whole.slice(8, 12), whole.slice(12, 16), whole.slice(16, 20), whole.slice(20)].join("-");
  const page = await isThere(may("tasks:list"), "v1/tasks", { order: "oldest", cursor, limit: MOST });
  return page && { tasks: page.tasks.filter((task) => task.task_uuid.replaceAll("-", "").startsWith(digits)) };
}

const ofTask = (task) => ({ href: link("tasks", task.task_uuid), state: task.state, label: `${task.namespace}/${task.name}`, more: Object.values(task.attributes ?? {}).slice(0, 2).join(" · ") || `…${task.task_uuid.slice(-6)}` });

/** [[group, entries], …]; groups without an entry are left out. */
async function suggest(text, templates) {
  const needle = text.toLowerCase();
  const [byValue, byId, schedules, approvals] = await Promise.all([
    may("tasks:context_read") ? isThere(may("tasks:list"), "v1/tasks", { attribute_value: text, limit: MOST, include: "attributes" }) : null,
    BEGINNING.test(text) ? ofBeginning(text) : null,
    isThere(may("schedules:read"), "v1/schedules", { name: text, limit: MOST }),
    isThere(may("approvals:read"), "v1/approvals", { title: text, limit: MOST }),
  ]);
  const names = new Map(templates.filter((one) => `${one.namespace}/${one.name}`.toLowerCase().includes(needle)).map((one) => [`${one.namespace}/${one.name}`, one]));
  return [
    ["tasks", [...(byValue?.tasks ?? []), ...(byId?.tasks ?? [])].map(ofTask)],
    ["templates", [...names].slice(0, MOST).map(([label, one]) => ({ href: link("templates", one.namespace, one.name), label }))],
    ["schedules", (schedules?.schedules ?? []).map((one) => ({ href: link("schedules", one.schedule_uuid), label: `${one.namespace}/${one.name}` }))],
    ["approvals", (approvals?.approvals ?? []).map((one) => ({ href: link("approvals", one.approval_uuid), label: one.title, state: one.state }))],
  ].filter(([, entries]) => entries.length > 0);
}

export const Search = memo(() => {
  const [text, set] = useState("");
  const [answer, tell] = useState(null);
  const [groups, show] = useState(null);
  const [at, go] = useState(-1);
  const templates = useRef(null);
  const form = useRef(null);
  const entries = (groups ?? []).flatMap(([, found]) => found);
  const sought = text.trim();
  useEffect(() => {
    go(-1);
    show(null);
    if (sought.length < 2 || UUID.test(sought)) return undefined;
    let isWanted = true;
    const timer = setTimeout(async () => {
      try {
        templates.current ??= (await isThere(may("templates:read"), "v1/templates"))?.templates ?? [];
        const found = await suggest(sought, templates.current);
        if (isWanted) show(found);
      } catch {
        // Enter says what is wrong.
      }
    }, PAUSE_MS);
    return () => {
      isWanted = false;
      clearTimeout(timer);
    };
  }, [sought]);
  useEffect(() => {
    const onClick = (event) => !form.current?.contains(event.target) && show(null);
    addEventListener("click", onClick);
    return () => removeEventListener("click", onClick);
  }, []);
  const open = (entry) => {
    location.hash = entry.href;
    set("");
    show(null);
  };
  const submit = async (event) => {
    event.preventDefault();
    if (entries[at]) {
      open(entries[at]);
      return;
    }
    // What has this value or begins so is meant before a template is.
    if (entries.length > 0 && groups[0][0] === "tasks" && !UUID.test(sought)) {
      open(entries[0]);
      return;
    }
    show(null);
    tell(t.loading);
    try {
      tell((await find(text)) ?? t.find.nothing);
    } catch (refused) {
      tell(refused.message);
    }
  };
  const onKey = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && entries.length > 0) {
      event.preventDefault();
      go((at + step + entries.length) % entries.length);
    } else if (event.key === "Escape" && groups) {
      event.preventDefault();
      show(null);
    }
  };
  let n = -1;
  return html`<form class="find" role="search" ref=${form} onSubmit=${submit}><${Icon} name="search" /><input type="search" name="find" role="combobox" aria-label=${t.find.label} placeholder=${t.find.placeholder} autocomplete="off" aria-autocomplete="list"
      aria-expanded=${groups && entries.length > 0 ? "true" : "false"} aria-controls="find-list" aria-activedescendant=${at >= 0 ? `find-${at}` : undefined}
      value=${text} onKeyDown=${onKey} onInput=${(event) => { set(event.target.value); tell(null); }} />
    ${groups && entries.length > 0 && html`<ul class="palette" id="find-list" role="listbox" aria-label=${t.find.label}>${groups.map(([group, found]) => html`<li class="head-of" role="presentation" key=${group}>${t.pages[group]}</li>${found.map((entry) => {
      n++;
      const index = n;
      return html`<li key=${entry.href} id=${`find-${index}`} role="option" data-hit=${group} aria-selected=${index === at ? "true" : "false"} onClick=${() => open(entry)}>${entry.state && html`<${State} of=${entry.state} /> `}${entry.label} <span class="quiet small">${entry.more}</span></li>`;
    })}`)}</ul>`}
    ${answer && text && html`<span class="small quiet" data-found>${answer}</span>`}</form>`;
});
