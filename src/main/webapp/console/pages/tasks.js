// The list of tasks: filters in the address, pages by key, live states, and actions on all that match.
import { html, memo, useCallback, useEffect, useRef, useState } from "../dom.js";
import { Bulk } from "../bulk.js";
import { change, countBy, get, link, may, mayEverywhere, query, Refusal, setParams, useLoad, useParts, useSettled, useThrottled } from "../core.js";
import { Chips, EmptyHint } from "../chips.js";
import { useStream } from "../live.js";
import { MOST_SELECTED, SelectionBar } from "../selection.js";
import { t } from "../texts.js";
import { fromInput, stamp, toInput, zoneName } from "../time.js";
import { Action, Ago, Empty, ENDED, Field, Live, Loaded, Menu, Meter, PageHead, Pages, Panel, Said, span, State, Tab, Table, TabList, TASK_STATES, Time, Toolbar, words } from "../ui/index.js";

const PAGE = 50;
/** So many rows are drawn at a stretch. */
const PART = 10;
/** A list is often read twice at first, because its stream begins after it: it is counted when it stays. */
const SETTLED_MS = 200;
/** Steps move without the task: what has not ended is read again. */
const EVERY = 5_000;
const TEXTS = ["namespace", "name", "name_prefix", "name_not", "version", "failed_step", "error_type", "error_signature", "tag", "attribute", "initiator", "source_system", "correlation_id", "parent_correlation_id"];
const LABELS = { state: t.tasks.state, state_not: t.tasks.isNot, sla_breached: t.tasks.sla, roots: t.tasks.roots, created_after: t.tasks.createdAfter, created_before: t.tasks.createdBefore, name_prefix: t.tasks.prefix, name_not: t.tasks.templateNot, namespace: t.tasks.namespace, name: t.tasks.template, version: t.tasks.version, tag: t.tasks.tag, attribute: t.tasks.attribute, failed_step: t.tasks.failedStep, error_type: t.tasks.errorType, error_signature: t.tasks.errorSignature,
  initiator: t.tasks.initiator, source_system: t.tasks.sourceSystem, correlation_id: t.tasks.correlation, parent_correlation_id: t.tasks.parentCorrelation };
const TIMES = { created_after: t.tasks.createdAfter, created_before: t.tasks.createdBefore };
const FILTERS = ["state", "state_not", ...TEXTS, ...Object.keys(TIMES), "sla_breached", "roots"];
/** What a view keeps besides the filters. */
const SHAPE = ["order", "column"];
const COLUMNS = { cause: t.tasks.cause, why: t.tasks.why, progress: t.tasks.progress, created: t.tasks.created, duration: t.tasks.duration, initiator: t.tasks.initiator, priority: t.tasks.priority, tags: t.task.tags };
const SHOWN = ["cause", "progress", "duration"];
/** The tabs above the list; what has no task in the filter has no tab. */
const TABS = { running: ["steps_in_process", "enqueuing_steps", "evaluating_results", "initializing", "pending"], waiting: ["waiting_for_dependencies", "waiting_for_retry"], blocked: ["blocked_by_failures"], complete: ["complete"], failed: ["error"], ended: ["cancelled", "resolved_manually"] };

function useFilter(params) {
  const filter = {};
  for (const name of FILTERS) {
    const all = params.getAll(name).filter(Boolean);
    if (all.length) filter[name] = all.join(",");
  }
  return filter;
}

/** What is typed counts when the typing pauses; the address always has what the list shows. */
function TextFilter({ name, value }) {
  const [text, set] = useState(value);
  const timer = useRef(null);
  useEffect(() => set(value), [value]);
  const update = (event) => {
    const next = event.target.value;
    set(next);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setParams({ [name]: next.trim(), cursor: null }), 400);
  };
  return html`<${Field} label=${LABELS[name]} hint=${name === "attribute" ? t.tasks.attributeHint : null}><input type="search" name=${name} value=${text} onInput=${update} /><//>`;
}

const clear = () => setParams(Object.fromEntries([...FILTERS, "cursor"].map((name) => [name, null])));

function Filters({ filter }) {
  const picked = (name) => (filter[name] ?? "").split(",").filter(Boolean);
  return html`<${Menu} name="filters" icon="filter" label=${t.tasks.filters} large fromLeft>
    ${[["state", t.tasks.state], ["state_not", t.tasks.isNot]].map(([name, label]) => html`<fieldset class="panel" key=${name}><legend>${label}</legend><div class="row">${TASK_STATES.map((state) => html`<label key=${state}><input type="checkbox" name=${name} value=${state} checked=${picked(name).includes(state)}
      onChange=${(e) => setParams({ [name]: (e.target.checked ? [...picked(name), state] : picked(name).filter((other) => other !== state)).join(","), cursor: null })} /> ${words(state)}</label>`)}</div></fieldset>`)}
    <div class="filters">${TEXTS.map((name) => html`<${TextFilter} key=${name} name=${name} value=${filter[name] ?? ""} />`)}
      ${Object.entries(TIMES).map(([name, label]) => html`<${Field} key=${name} label=${`${label} (${zoneName()})`}><input type="datetime-local" name=${name} value=${toInput(filter[name])}
        onChange=${(e) => setParams({ [name]: fromInput(e.target.value), cursor: null })} /><//>`)}
      <${Field} label=${t.tasks.sla}><select value=${filter.sla_breached ?? ""} onChange=${(e) => setParams({ sla_breached: e.target.value, cursor: null })}>
        <option value="">${t.all}</option><option value="true">${t.schedules.yes}</option><option value="false">${t.schedules.no}</option></select><//>
      <${Field} label=${t.tasks.roots}><select name="roots" value=${filter.roots ?? ""} onChange=${(e) => setParams({ roots: e.target.value, cursor: null })}>
        <option value="">${t.all}</option><option value="true">${t.tasks.rootsOnly}</option><option value="false">${t.tasks.withParent}</option></select><//></div><//>`;
}

/** Counts after every change of `deps` and of `at`, the time at which the list was read: after it, so that the server answers the list first. */
function useCounts(count, deps, at) {
  const last = useRef(null);
  return useLoad(async (signal) => {
    if (at) last.current = await count(signal);
    return last.current;
  }, [...deps, at], 15_000);
}

/**
 * How many match, and as tabs how many there are in each group of states, whatever state is chosen; then the saved views. A state that no group has as it is
 * chosen stands among the filters.
 */
function StateTabs({ filter, attributes, at, views, now }) {
  const { state, state_not: unwanted, ...rest } = filter;
  const counts = useCounts((signal) => countBy({ ...rest, attribute: attributes }, TABS, signal), [JSON.stringify(rest)], at);
  const tab = (key, states) => html`<${Tab} key=${key} href=${link("tasks", { ...rest, attribute: attributes, ...(states && { state: states.join(",") }) })} data=${key}
    isCurrent=${!unwanted && (state ?? "") === (states?.join(",") ?? "")}>${t.tasks.tabs[key]} <span class="small quiet">${counts.data ? t.atLeast(counts.data[key]) : "…"}</span><//>`;
  return html`<${TabList} label=${t.tasks.state}>${tab("all", null)}${Object.entries(TABS).filter(([key, states]) => counts.data?.[key].count > 0 || states.join(",") === state).map(([key, states]) => tab(key, states))}
    ${views.map((view) => html`<${Tab} key=${view.view_uuid} href=${`#/tasks${view.query ? `?${view.query}` : ""}`} hint=${view.namespace ? t.views.sharedBy(view) : t.views.views} isCurrent=${view.query === now && now}>★ ${view.name}<//>`)}<//>`;
}

/** How many match the filter as it is. */
function Count({ filter, attributes, at }) {
  const count = useCounts((signal) => get("v1/tasks:count", { ...filter, attribute: attributes }, signal), [JSON.stringify(filter)], at);
  return count.data && html`<span class="small quiet" data-count=${count.data.count}>${t.tasks.count(count.data)}${count.data.counted_since && html` ${t.tasks.countedSince} <${Time} at=${count.data.counted_since} />`}</span>`;
}

/** Views are kept on the server: own ones, and those that are shared in a namespace. Here they are made and deleted. */
function Views({ views, now, onChange }) {
  return html`<${Menu} name="views" className="views" icon="view" label=${t.views.views}>
    ${views.length === 0 && html`<p class="quiet">${t.views.none}</p>`}
    <ul class="palette">${views.map((view) => html`<li key=${view.view_uuid} class="row"><a href=${`#/tasks${view.query ? `?${view.query}` : ""}`} aria-current=${view.query === now ? "true" : undefined}>${view.name}</a>${view.namespace && html` <span class="quiet small">${t.views.sharedBy(view)}</span>`}
      ${(view.mine || may("tasks:act", view.namespace)) && html`<${Action} label=${t.views.remove} of=${view.name} kind=${t.views.kind} sentence=${t.views.removeSentence(view.name)} isDangerous withReason=${false} onDone=${onChange} send=${(_, key) => change("DELETE", `v1/views/${view.view_uuid}`, undefined, key)} />`}</li>`)}</ul>
    <${Action} label=${t.views.save} sentence=${t.views.saveSentence} withReason=${false} onDone=${onChange}
      fields=${[{ name: "name", label: t.name, required: true }, ...(may("tasks:act") ? [{ name: "namespace", label: t.views.share, hint: t.views.shareHint, value: "" }] : [])]}
      send=${(values, key) => change("POST", "v1/views", { page: "tasks", name: values.name.trim(), ...(now && { query: now }), ...(values.namespace && { namespace: values.namespace.trim() }) }, key)} /><//>`;
}

/** What tells this task from others of its template: its search attributes, or the beginning of its id. */
const Key = ({ of: task }) => {
  const attributes = Object.entries(task.attributes ?? {});
  return attributes.length > 0 ? html`<strong class="one" title=${attributes.map(([name, value]) => `${name}: ${value}`).join(", ")}>${attributes.slice(0, 2).map(([, value]) => value).join(" · ")}</strong>` : html`<span class="quiet mono">…${task.task_uuid.slice(-6)}</span>`;
};

const CELLS = {
  cause: (task) => task.failure && html`<span class="f-failed" title=${task.failure.message}><strong>${task.failure.step}</strong> <${Said} text=${task.failure.message ?? task.failure.error_type} /></span>`,
  why: (task) => task.why && html`<span class="small" data-why=${task.task_uuid}>${task.why}</span>`,
  progress: (task) => html`<${Meter} part=${task.completed_steps} of=${task.total_steps} colour=${task.failed_steps > 0 ? "f-blocked" : "f-complete"} />${task.completed_steps.toLocaleString()} / ${task.total_steps.toLocaleString()}${task.failed_steps > 0 && html` <span class="f-failed">${task.failed_steps} ${t.tasks.failedSteps}</span>`}`,
  created: (task) => html`<${Time} at=${task.created_at} />`,
  duration: (task) => (task.completed_at ? html`<span title=${stamp(task.created_at)}>${span(new Date(task.completed_at) - new Date(task.created_at))}</span>` : html`<${Ago} at=${task.created_at} />`),
  initiator: (task) => task.initiator,
  priority: (task) => task.priority,
  tags: (task) => (task.tags ?? []).join(", "),
};

/**
 * Rows as they were read again: those that an event touched, and now and then those that have not ended. Returns the rows by task, and what notes that some
 * were touched. rows: those that are shown, by task; at: when all of them were loaded, after which nothing older counts.
 */
function useRowsAgain(rows, at, include) {
  const [again, set] = useState({});
  const touched = useRef(new Set());
  const isReading = useRef(false);
  const current = useRef(at);
  current.current = at;
  const readSoon = useThrottled(async () => {
    if (isReading.current || touched.current.size === 0) return;
    const uuids = [...touched.current].slice(0, PAGE);
    uuids.forEach((uuid) => touched.current.delete(uuid));
    isReading.current = true;
    try {
      const { tasks } = await get("v1/tasks", { task_uuid: uuids.join(","), limit: PAGE, include });
      if (current.current === at) set((old) => ({ ...old, ...Object.fromEntries(tasks.map((task) => [task.task_uuid, task])) }));
      if (touched.current.size > 0) readSoon();
    } catch (refused) {
      if (!(refused instanceof Refusal)) throw refused;
      // The next round reads them.
      uuids.forEach((uuid) => touched.current.add(uuid));
    } finally {
      isReading.current = false;
    }
  }, 200);
  const touch = (uuids) => {
    uuids.forEach((uuid) => touched.current.add(uuid));
    readSoon();
  };
  useEffect(() => {
    touched.current.clear();
    set({});
  }, [at]);
  useEffect(() => {
    const timer = setInterval(() => !document.hidden && touch([...rows.current.values()].filter((task) => !ENDED.has(task.state)).map((task) => task.task_uuid)), EVERY);
    return () => clearInterval(timer);
  }, []);
  return [again, touch];
}

/** What was read again and says the same is the same: its row is not drawn again. */
const asShown = (shown, task) => (shown && JSON.stringify(shown) === JSON.stringify(task) ? shown : task);

/** What the rows need besides: only what is shown is asked for, and only by whoever may see it somewhere. */
const included = (columns) => [may("tasks:context_read") && "attributes", columns.includes("cause") && may("steps:read") && "failure", columns.includes("why") && "why"].filter(Boolean).join(",") || null;

const CLASSES = { progress: "fit", duration: "fit", created: "fit", cause: "one" };

/** zone: in which its times are shown. */
const Row = memo(({ task, columns, isLeft, isSelected, mayAct, onSelect }) => html`<tr class=${isLeft ? "left" : ""} data-task=${task.task_uuid}>${mayAct && html`<td class="fit"><input type="checkbox" data-select aria-label=${t.select.row(`${task.namespace}/${task.name}`)} checked=${isSelected} onChange=${(e) => onSelect([task.task_uuid], e.target.checked)} /></td>`}<td class="id"><${State} of=${task.state} /></td>
  <td><div class="which"><a class="one" href=${link("tasks", task.task_uuid)} title=${`${task.namespace}/${task.name} · ${task.version} · ${task.task_uuid}`}>${task.namespace}/${task.name}</a> <${Key} of=${task} />${task.sla_breached_at && html` <span class="f-retry small">${t.tasks.sla}</span>`}</div></td>
  ${columns.split(",").filter(Boolean).map((name) => html`<td key=${name} class=${CLASSES[name] ?? ""} data-label=${COLUMNS[name]}>${CELLS[name](task)}</td>`)}</tr>`);

export default function Tasks({ params }) {
  const filter = useFilter(params);
  const cursor = params.get("cursor");
  const order = params.get("order");
  const columns = params.getAll("column").length ? params.getAll("column").filter((name) => COLUMNS[name]) : SHOWN;
  const seesStream = filter.namespace ? may("tasks:read", filter.namespace) : mayEverywhere("tasks:read");
  const mayAct = may("tasks:act", filter.namespace);
  // What was selected stays selected, and while something is, the list changes in its cells only.
  const [selected, setSelected] = useState(new Set());
  const select = useCallback((uuids, isOn) => setSelected((old) => new Set(isOn ? [...old, ...uuids].slice(0, MOST_SELECTED) : [...old].filter((uuid) => !uuids.includes(uuid)))), []);
  useEffect(() => setSelected(new Set()), [JSON.stringify(filter)]);
  const frozen = useRef(null);
  const address = JSON.stringify([filter, order, cursor, included(columns)]);
  const rows = useRef(new Map());
  const load = async (signal) => {
    const loaded = await get("v1/tasks", { ...filter, attribute: params.getAll("attribute"), order, cursor, limit: PAGE, include: included(columns) }, signal);
    return { ...loaded, tasks: loaded.tasks.map((task) => asShown(rows.current.get(task.task_uuid), task)) };
  };
  const page = useLoad(async (signal) => (frozen.current?.address === address ? frozen.current : { ...(await load(signal)), address }),
    [JSON.stringify(filter), order, cursor, included(columns)], seesStream ? 0 : 10_000);
  const counted = useSettled(page.data?.address === address ? page.at : null, SETTLED_MS);
  frozen.current = selected.size > 0 ? page.data : null;
  const loadAnew = () => {
    setSelected(new Set());
    frozen.current = null;
    page.reload();
  };
  // Rows stay where they are: what an event touches is read again, all cells at once, and new tasks wait until the reader asks for them.
  const [fresh, setFresh] = useState(new Set());
  const pending = useRef([]);
  const [again, touch] = useRowsAgain(rows, page.at, included(columns));
  const apply = useThrottled(() => {
    const events = pending.current;
    pending.current = [];
    // Most moves are of tasks on other pages.
    touch(events.filter((e) => e.from_state && rows.current.has(e.task_uuid)).map((e) => e.task_uuid));
    const made = events.filter((e) => !e.from_state).map((e) => e.task_uuid);
    if (made.length > 0) setFresh((old) => new Set([...old, ...made].slice(-1000)));
  }, 300);
  const stream = useStream(seesStream ? { namespace: filter.namespace, name: filter.name, version: filter.version } : null, (event) => {
    if (event.type === "again") {
      if (selected.size === 0) page.reload();
      else touch([...rows.current.keys()]);
      return;
    }
    pending.current.push(event);
    if (pending.current.length > 5000) pending.current.splice(0, 2500);
    apply();
  });
  useEffect(() => setFresh(new Set()), [page.at]);
  const shown = page.data?.tasks.map((task) => again[task.task_uuid] ?? task) ?? [];
  const drawn = useParts(shown.length, PART, page.data?.address);
  rows.current = new Map(shown.map((task) => [task.task_uuid, task]));
  const added = [...fresh].filter((id) => !rows.current.has(id)).length;
  const wanted = filter.state?.split(",");
  const unwanted = filter.state_not?.split(",");
  const views = useLoad((signal) => get("v1/views", {}, signal), []);
  const mine = (views.data?.views ?? []).filter((view) => view.page === "tasks");
  const now = query(Object.fromEntries([...FILTERS, ...SHAPE].map((name) => [name, params.getAll(name)]))).slice(1);
  const attributes = params.getAll("attribute");
  return html`<${PageHead} title=${t.pages.tasks} beside=${html`<${Live} of=${seesStream ? stream : { state: "polling" }} /><${Count} filter=${filter} attributes=${attributes} at=${counted} />`}>
      ${added > 0 && !cursor && order !== "oldest" && html`<button type="button" class="new main" onClick=${loadAnew}>${t.tasks.newOnes(added)}</button>`}${mayAct && html`<${Bulk} filter=${filter} onDone=${page.reload} />`}<//>
    <${StateTabs} filter=${filter} attributes=${attributes} at=${counted} views=${mine} now=${now} />
    <${Panel} flat><${Toolbar} end=${html`<${Menu} name="columns" icon="columns" label=${t.tasks.choose}><select name="order" aria-label=${t.tasks.order} value=${order ?? ""} onChange=${(e) => setParams({ order: e.target.value, cursor: null })}><option value="">${t.tasks.newest}</option><option value="oldest">${t.tasks.oldest}</option></select>
          ${Object.entries(COLUMNS).map(([name, label]) => html`<label key=${name}><input type="checkbox" checked=${columns.includes(name)}
          onChange=${(e) => setParams({ column: Object.keys(COLUMNS).filter((other) => (other === name ? e.target.checked : columns.includes(other))) })} /> ${label}</label>`)}<//>
        <${Views} views=${mine} now=${now} onChange=${views.reload} />`}>
        <${Filters} filter=${filter} /><${Chips} filter=${filter} labels=${LABELS} />${Object.keys(filter).length > 0 && html`<button type="button" class="link small" onClick=${clear}>${t.tasks.clear}</button>`}<//>
    <${SelectionBar} selected=${selected} namespace=${filter.namespace} onClear=${() => setSelected(new Set())} onDone=${loadAnew} />
    <${Loaded} of=${page}>${({ tasks, next }) => html`
      ${tasks.length === 0 ? (Object.keys(filter).length ? html`<${Empty} icon="tasks" title=${t.tasks.none}><${EmptyHint} filter=${filter} attributes=${attributes} labels=${LABELS} /><//>`
          : html`<${Empty} icon="tasks" title=${t.overview.noTask}><p class="quiet">${t.overview.first}</p><pre>${t.overview.firstCommand}</pre>${may("tasks:create") && html`<p><a class="button main" href=${link("templates")}>${t.overview.firstForm}</a></p>`}<//>`)
      : html`<${Table} label=${t.pages.tasks} head=${[...(mayAct ? [html`<input type="checkbox" data-select-all aria-label=${t.select.all} checked=${tasks.every((task) => selected.has(task.task_uuid))} onChange=${(e) => select(tasks.map((task) => task.task_uuid), e.target.checked)} />`] : []), t.tasks.state, t.tasks.task, ...columns.map((name) => COLUMNS[name])]}>${shown.slice(0, drawn).map((task) => html`<${Row} key=${task.task_uuid} task=${task} columns=${columns.join()} zone=${zoneName()} mayAct=${mayAct} onSelect=${select} isSelected=${selected.has(task.task_uuid)}
        isLeft=${!!((wanted && !wanted.includes(task.state)) || unwanted?.includes(task.state))} />`)}<//>`}
      <${Pages} first=${cursor && (() => setParams({ cursor: null }))} next=${next && link("tasks", { ...filter, attribute: attributes, order, column: params.getAll("column"), cursor: next })} />`}<//><//>`;
}
