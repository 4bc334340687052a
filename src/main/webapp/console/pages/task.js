// One task: why it waits, its graph, timeline, steps, story and data, and what an operator can do about it.
import { html, useEffect, useMemo, useRef, useState } from "../dom.js";
import { change, get, link, may, mayEverywhere, parseExact, query, setParams, shared, useLoad, useThrottled } from "../core.js";
import { Batch } from "../batch.js";
import { Ancestors, Child, marked, useChildren } from "../child.js";
import { Document, MOST_BYTES, ofStep } from "../documents.js";
import { Graph, MOST_NODES, nodesOf } from "../graph.js";
import { useKeys } from "../keys.js";
import { only } from "../layout.js";
import { useStream } from "../live.js";
import { documentOf, fieldsOf } from "../schemaform.js";
import { t } from "../texts.js";
import { clockTime, withTimes } from "../time.js";
import { Timeline } from "../timeline.js";
import { ForkedFrom, Tree } from "../tree.js";
import { Ended, Why } from "../why.js";
import { Action, Ago, Copy, ENDED, ErrorNote, Facts, Fold, Guard, Json, Live, Loaded, Meter, PageHead, Panel, Said, span, State, Table, Tabs, Time, words } from "../ui/index.js";

const TABS = Object.entries(t.task.tabs);
const ROWS = 100;
/** An unfinished task is loaded again: soon enough that a step without a worker is seen within ten seconds; one of many steps less often. */
const EVERY = 5_000;
const EVERY_LARGE = 15_000;
/** Task, steps and what they wait for are three reads; while they do not agree, the task has moved between them. */
const MOST_READS = 3;

/** Nothing where no handler ran. */
const tookOf = (of) => of.execution_time_ms != null && `${span(of.execution_time_ms)}${of.is_time_measured ? ` ${t.task.measured}` : ""}`;

function json(text) {
  try {
    return parseExact(text);
  } catch (wrong) {
    throw new Error(t.task.notJson(wrong.message));
  }
}

// ---- Actions

function TaskActions({ task, onDone }) {
  const path = `v1/tasks/${task.task_uuid}`;
  const act = (action) => ({ reason }, key) => change("PATCH", path, { action_type: action, requested_by: shared.me.name, reason }, key);
  const [retry, resolve, fail, compensate, cancel, erase] = ["retry", "resolve", "fail", "compensate", "cancel", "erase"].map((action) => t.task.actions[action]);
  const can = (action) => task.allowed_actions.includes(action);
  const isAllowed = may("tasks:act", task.namespace);
  const named = { of: t.task.named(task), kind: t.task.kind };
  const common = { ...named, onDone, isAllowed, onConflict: onDone, now: words(task.state) };
  return html`<div class="row actions">
    <${Action} ...${common} label=${retry[0]} isMain sentence=${retry[1]} isOffered=${can("retry")} send=${act("retry")} />
    <${Action} ...${common} label=${resolve[0]} sentence=${resolve[1]} isOffered=${can("resolve")} send=${act("resolve")} />
    <${Action} ...${common} label=${fail[0]} sentence=${fail[1]} isDangerous isOffered=${can("fail")} send=${act("fail")} />
    <${Action} ...${common} isAllowed=${isAllowed && may("tasks:cancel", task.namespace)} label=${compensate[0]} sentence=${compensate[1]} isDangerous isOffered=${can("compensate")} send=${act("compensate")} />
    <${Action} ...${named} keep=${t.task.keepRunning} onDone=${onDone} isAllowed=${may("tasks:cancel", task.namespace)} label=${cancel[0]} sentence=${cancel[1]} isDangerous isOffered=${can("cancel")}
      send=${({ reason }, key) => change("DELETE", path + query({ reason, requested_by: shared.me.name }), undefined, key)} />
    <${Action} ...${common} isAllowed=${may("tasks:erase", task.namespace)} label=${erase[0]} sentence=${erase[1]} isDangerous isOffered=${ENDED.has(task.state) && !task.erased_at}
      fields=${[{ name: "children", label: t.task.eraseChildren, hint: t.task.eraseReason, kind: "check", value: true }]}
      send=${({ children, reason }, key) => change("POST", `${path}/erase`, { children, requested_by: shared.me.name, reason }, key)} /></div>`;
}

function StepActions({ task, step, isDecision, onDone }) {
  const path = `v1/tasks/${task.task_uuid}/workflow_steps/${step.step_uuid}`;
  const send = (action, by, more = () => ({})) => (values, key) =>
    change("PATCH", path, { action_type: action, [by]: shared.me.name, reason: values.reason, attempt: step.attempts, ...more(values) }, key);
  const [reset, newToken, complete, resolve] = ["reset_for_retry", "newToken", "complete_manually", "resolve_manually"].map((action) => t.task.stepActions[action]);
  const common = { of: step.name, kind: t.task.kindOfStep, isAllowed: may("steps:resolve", task.namespace), onDone, onConflict: onDone, now: step.attempts > 0 ? `${words(step.state)}, ${t.task.attempt(step.attempts, step.max_attempts)}` : words(step.state) };
  const can = (action) => step.allowed_actions?.includes(action);
  const fields = [{ name: "result", label: t.task.result, kind: "area", value: "{}" }, ...(isDecision ? [{ name: "decision", label: t.task.decision }] : [])];
  const completion = (values) => ({ completion_data: { result: json(values.result), ...(isDecision ? { decision: values.decision.split(",").map((name) => name.trim()).filter(Boolean) } : {}) } });
  return html`<div class="row actions">
    <${Action} ...${common} label=${reset[0]} sentence=${reset[1]} isOffered=${can("reset_for_retry")}
      fields=${[{ name: "newToken", label: newToken[0], hint: newToken[1], kind: "check" }]} send=${send("reset_for_retry", "reset_by", (values) => ({ new_idempotency_token: values.newToken }))} />
    <${Action} ...${common} label=${complete[0]} sentence=${complete[1]} isOffered=${can("complete_manually")} fields=${fields} send=${send("complete_manually", "completed_by", completion)} />
    <${Action} ...${common} label=${resolve[0]} sentence=${resolve[1]} isDangerous isOffered=${can("resolve_manually")} send=${send("resolve_manually", "resolved_by")} />
    <${Action} label=${t.tree.fork} title=${t.tree.forkOf(t.task.named(task), step.name)} sentence=${t.tree.forkSentence} isOffered=${task.allowed_actions.includes("fork")} onDone=${(made) => { location.hash = link("tasks", made.task_uuid); }}
      fields=${[{ name: "from", label: t.tree.forkFrom, hint: t.tree.forkFromHint, value: step.name, required: true }, { name: "context", label: t.task.context, hint: t.tree.contextHint, kind: "area" }]}
      send=${(values, key) => change("POST", `v1/tasks/${task.task_uuid}/forks`, { from: values.from.split(",").map((name) => name.trim()).filter(Boolean), requested_by: shared.me.name, reason: values.reason, ...(values.context.trim() && { context: json(values.context) }) }, key)} /></div>`;
}

// ---- What is sealed

const isSealed = (...documents) => documents.some((document) => JSON.stringify(document ?? null).includes('"$sealed":{"key":'));

/** Opens a task or a step for who looks at it; what it answers is shown until another page is. */
function Open({ task, path, kind, of, onDone }) {
  return html`<div class="row actions"><${Action} label=${t.task.open[0]} sentence=${t.task.open[1]} kind=${kind} of=${of} isOffered isAllowed=${may("documents:open", task.namespace)} onDone=${onDone}
    send=${({ reason }) => change("POST", `${path}/open`, { requested_by: shared.me.name, reason })} /></div>`;
}

function OpenStep({ task, step }) {
  const [opened, setOpened] = useState(null);
  if (!isSealed(step.result, step.error)) return null;
  return opened ? html`<h3>${t.task.opened}</h3><${Json} value=${{ result: opened.step.result, error: opened.step.error }} name=${`${step.name}-open`} label=${t.task.opened} />`
    : html`<${Open} task=${task} path=${`v1/tasks/${task.task_uuid}/workflow_steps/${step.step_uuid}`} kind=${t.task.kindOfStep} of=${step.name} onDone=${setOpened} />`;
}

// ---- Parts

function Attempts({ task, step }) {
  const audit = useLoad((signal) => get(`v1/tasks/${task.task_uuid}/workflow_steps/${step.step_uuid}/audit`, { max_document_bytes: MOST_BYTES }, signal), [step.step_uuid, step.attempts, step.state]);
  return html`<${Loaded} of=${audit}>${({ results }) => results.length > 0 && html`<h3>${t.task.attempts}</h3><ul>${results.map((result) => html`<li key=${result.sort_key}>
    <details><summary>${result.attempt > 0 && `${result.attempt}: `}${words(result.outcome)} <span class="quiet small">${tookOf(result)} · <${Time} at=${result.recorded_at} /></span></summary>
    <${Document} ...${ofStep(task, step, result.success ? "result" : "error", result)} params=${{ attempt: result.attempt }} name=${`${step.name}-${result.attempt}`} /></details></li>`)}</ul>`}<//>`;
}

/** Workers that are gone, and those that the caller may not list, have no name. */
function WorkerName({ uuid }) {
  const workers = useLoad((signal) => (mayEverywhere("system:servers_read") ? get("v1/workers", {}, signal) : Promise.resolve({ workers: [] })), []);
  const name = workers.data?.workers.find((worker) => worker.worker_uuid === uuid)?.name;
  return name ? html`<span title=${uuid}>${name}</span>` : html`<span class="mono">${uuid}</span>`;
}

function Inspector({ task, node, decision, onDone }) {
  if (!node) return html`<aside class="panel"><p class="quiet">${t.task.select}</p></aside>`;
  const { step } = node;
  return html`<aside class="panel" aria-label=${t.task.step}><h2>${node.name}</h2><p><${State} of=${node.state} /></p>
    ${decision?.decided_at && html`<p>${t.task.chosen(decision)}</p>`}
    <${Facts} of=${[[t.task.dependsOn, node.after.join(", ")]]} />
    ${step && html`<${Facts} of=${[
      [t.task.attempts, step.attempts > 0 && t.task.attempt(step.attempts, step.max_attempts)], [t.task.started, step.enqueued_at && html`<${Time} at=${step.enqueued_at} />`],
      [t.task.ended, step.completed_at && html`<${Time} at=${step.completed_at} />`], [t.task.took, step.completed_at && tookOf(step)],
      [t.task.retryAt, step.next_retry_at && step.state === "waiting_for_retry" && html`<${Ago} at=${step.next_retry_at} />`],
      [t.task.lease, step.state === "in_progress" && step.lease_expires_at && html`<${Ago} at=${step.lease_expires_at} />`],
      [t.task.server, step.leased_by && html`<${WorkerName} uuid=${step.leased_by} />`]].filter(([, value]) => value)} />
      <${StepActions} task=${task} step=${step} isDecision=${!!decision} onDone=${onDone} />
      ${step.document_bytes?.error && html`<h3>${t.task.stepError}</h3><${Document} ...${ofStep(task, step, "error")} name=${`${node.name}-error`} />`}
      ${step.document_bytes?.result && html`<h3>${t.task.stepResult}</h3><${Document} ...${ofStep(task, step, "result")} name=${node.name} />`}
      <${OpenStep} key=${step.step_uuid} task=${task} step=${step} />
      <${Attempts} key=${step.step_uuid} task=${task} step=${step} />`}</aside>`;
}

/** What tells this task from others of its template: the values of its search attributes. */
function Key({ task, template }) {
  const values = Object.values(template?.configuration.search_attributes ?? {}).map((path) => path.split(".").reduce((value, member) => value?.[member], task.context)).filter((value) => value !== undefined && value !== null && typeof value !== "object");
  return values.length > 0 && html`<span class="quiet" data-key>${values.slice(0, 2).map(String).join(" · ")}</span>`;
}

/** Offered where a step waits for a signal; the name is that for which it waits. */
function SendSignal({ task, template, waiting, onDone }) {
  const names = waiting.filter((step) => step.cause === "signal").map((step) => step.details?.signal).filter(Boolean);
  const schema = names.length > 0 ? template?.configuration.steps.find((step) => step.signal?.name === names[0])?.signal.schema : undefined;
  const asked = fieldsOf(schema);
  const payload = (values) => (asked && values.name.trim() === names[0] ? documentOf(schema, values) : json(values.payload ?? "{}"));
  return html`<${Action} label=${t.task.signal} title=${t.task.signalTo(t.task.named(task))} sentence=${t.task.signalSentence} withReason=${false} isOffered=${names.length > 0 && task.allowed_actions.includes("signal")} onDone=${onDone}
    fields=${[{ name: "name", label: t.task.signalName, required: true, value: names[0] ?? "" }, ...(asked ?? [{ name: "payload", label: t.task.payload, kind: "area", value: "{}" }]), { name: "signal_id", label: t.task.signalId, hint: t.task.signalIdHint }]}
    send=${(values, key) => change("POST", `v1/tasks/${task.task_uuid}/signals/${encodeURIComponent(values.name.trim())}`, { payload: payload(values), ...(values.signal_id && { signal_id: values.signal_id }) }, key)} />`;
}

/** Which steps are shown, in graph, timeline and table alike. */
const SHOWN = {
  all: () => true,
  failed: (node) => node.state === "error" || node.hasFailureBelow,
  open: (node) => !node.isOver && !["complete", "resolved_manually", "cancelled", "not_taken"].includes(node.state),
};
const shownOf = (params) => (SHOWN[params.get("show")] ? params.get("show") : "all");

function Show({ nodes, shown }) {
  return html`<div class="row show" role="group" aria-label=${t.task.showSteps}>${Object.entries(SHOWN).map(([name, fits]) => html`<button type="button" key=${name} data-show=${name} aria-pressed=${name === shown ? "true" : "false"}
    onClick=${() => setParams({ show: name === "all" ? null : name })}>${t.task.show[name]} ${nodes.filter(fits).length.toLocaleString()}</button>`)}</div>`;
}

function Steps({ nodes, selected }) {
  const [shown, show] = useState(ROWS);
  return html`<${Table} label=${t.task.tabs.steps} head=${[t.task.state, t.task.step, t.task.attempts, t.task.took, t.task.ended]}>${nodes.slice(0, shown).map((node) => html`<tr key=${node.name} data-row-step=${node.name}>
      <td><${State} of=${node.state} />${node.hasFailureBelow && html` <span class="f-blocked small">▲ ${t.task.failureBelow}</span>`}</td><td><button type="button" aria-pressed=${node.name === selected ? "true" : "false"} onClick=${() => setParams({ step: node.name })}>${node.name}</button></td>
      <td>${node.step?.attempts > 0 && `${node.step.attempts} / ${node.step.max_attempts}`}</td><td>${node.step?.completed_at && tookOf(node.step)}</td><td>${node.step?.completed_at && html`<${Time} at=${node.step.completed_at} />`}</td></tr>`)}<//>
    ${nodes.length > shown && html`<button type="button" onClick=${() => show(shown + ROWS)}>${t.task.moreSteps(Math.min(ROWS, nodes.length - shown))}</button>`}`;
}

function Story({ history, isEnded }) {
  const [isNewestFirst, turn] = useState(!isEnded);
  const [shown, show] = useState(ROWS);
  const entries = isNewestFirst ? [...history].reverse() : history;
  return html`<label><input type="checkbox" checked=${isNewestFirst} onChange=${(e) => turn(e.target.checked)} /> ${t.task.newestFirst}</label>
    <ol class="story">${entries.slice(0, shown).map((entry) => html`<li><span class="quiet small"><${Time} at=${entry.at} /></span><div>${withTimes(t.task.story[entry.kind]?.(entry) ?? entry.kind)}
      ${entry.actor && entry.kind !== "action" && html` <span class="quiet small">${t.task.by(entry.actor)}</span>`}
      ${(entry.error ?? entry.details) && html`<${Fold} summary=${html`<${Said} text=${entry.error?.message ?? entry.error?.type ?? t.task.tabs.data} />`}>${() => html`<${Json} value=${entry.error ?? entry.details} name="entry" />`}<//>`}</div></li>`)}</ol>
    ${entries.length > shown && html`<button type="button" onClick=${() => show(shown + ROWS)}>${t.more}</button>`}`;
}

function Data({ task, steps }) {
  const [opened, setOpened] = useState(null);
  const shownOfTask = (kind) => (opened ? html`<${Json} value=${opened[kind]} name=${kind} label=${t.task[kind]} />` : html`<${Document} ...${ofTask(kind)} name=${kind} label=${t.task[kind]} />`);
  const seesSteps = may("steps:read", task.namespace);
  const longResults = (steps ?? []).filter((step) => step.document_bytes?.result > MOST_BYTES);
  const ofTask = (kind) => ({ value: task[kind], bytes: task.document_bytes[kind], path: `v1/tasks/${task.task_uuid}/documents/${kind}` });
  const results = Object.fromEntries((steps ?? []).filter((step) => step.result !== null && step.result !== undefined).map((step) => [step.name, step.result]));
  return html`<${Facts} of=${[
      [t.task.submittedBy, task.submitted_by], [t.task.traceId, task.trace_id], [t.task.initiator, task.initiator], [t.task.sourceSystem, task.source_system], [t.task.requestReason, task.reason],
      [t.task.priority, task.priority], [t.task.tags, (task.tags ?? []).join(", ")], [t.task.created, html`<${Time} at=${task.created_at} />`], [t.task.updated, html`<${Time} at=${task.updated_at} />`],
      [t.task.completed, task.completed_at && html`<${Time} at=${task.completed_at} />`]]} />
    ${!opened && isSealed(task.context, task.output) && html`<${Open} task=${task} path=${`v1/tasks/${task.task_uuid}`} kind=${t.task.kind} of=${t.task.named(task)} onDone=${setOpened} />`}
    <h2>${t.task.context}</h2>${task.context === undefined ? html`<p class="quiet">${t.task.noContext}</p>` : shownOfTask("context")}
    ${task.output_error ? html`<h2>${t.task.output}</h2><${Json} value=${task.output_error} name="output" label=${t.task.output} />`
      : task.document_bytes.output ? html`<h2>${t.task.output}</h2>${shownOfTask("output")}` : null}
    <h2>${t.task.results}</h2>${seesSteps ? html`<${Json} value=${results} name="results" label=${t.task.results} />
      ${longResults.map((step) => html`<h3>${step.name}</h3><${Document} key=${step.step_uuid} ...${ofStep(task, step, "result")} name=${step.name} />`)}` : html`<p class="quiet">${t.task.noSteps}</p>`}`;
}

/** The counters of open batches as the sentences about them have them, so that what a page says of a batch is of one moment. */
function withCounts(batches, waiting) {
  const counted = new Map(waiting.filter((step) => step.cause === "batch").map((step) => [step.step_uuid, step.details]));
  return batches?.map((batch) => {
    if (!counted.has(batch.step_uuid)) return batch;
    const { total, created, in_flight, done, failed, cancelled } = counted.get(batch.step_uuid);
    return { ...batch, total, created, in_flight, done, failed, cancelled, waiting: total - in_flight - done - failed - cancelled };
  });
}

/** What the whole page shows: the task, its steps and, while it is unfinished, what they wait for. */
async function whole(path, signal) {
  const task = await get(path, { max_document_bytes: MOST_BYTES }, signal);
  const steps = may("steps:read", task.namespace) ? (await get(`${path}/workflow_steps`, { max_document_bytes: MOST_BYTES }, signal)).steps : task.steps ?? [];
  if (ENDED.has(task.state)) return { task, steps, why: null, isOfOneState: true };
  const why = await get(`${path}/diagnosis`, {}, signal);
  task.batches = withCounts(task.batches, why.waiting);
  const states = new Map(steps.map((step) => [step.step_uuid, step.state]));
  return { task, steps, why, isOfOneState: why.state === task.state && why.waiting.every((step) => (states.get(step.step_uuid) ?? step.state) === step.state) };
}

/** What stands on a node besides its state, by the step's name: what it waits for, or how much of a batch is done. */
function marksOf({ task, why }, moved) {
  const marks = {};
  for (const { name, state, cause, details = {} } of why?.waiting ?? []) {
    const said = moved[name] === undefined || moved[name] === state ? t.graph.waits[cause]?.(details, details.due_at && clockTime(details.due_at)) : null;
    if (said) marks[name] = said;
  }
  for (const batch of task.batches ?? []) if (batch.total > 0) marks[batch.step] = t.graph.batch(batch.done, batch.total);
  return marks;
}

// ---- The page

export default function Task({ parts: [, uuid], params }) {
  const wantedTab = TABS.some(([key]) => key === params.get("tab")) ? params.get("tab") : null;
  const path = `v1/tasks/${encodeURIComponent(uuid)}`;
  const [isEnded, setEnded] = useState(false);
  const [isLarge, setLarge] = useState(false);
  const loaded = useLoad(async (signal) => {
    let found;
    for (let read = 1; !found?.isOfOneState && read <= MOST_READS; read++) found = await whole(path, signal);
    setEnded(ENDED.has(found.task.state));
    setLarge(found.steps.length > MOST_NODES);
    return found;
  }, [path, isLarge], isEnded ? 0 : isLarge ? EVERY_LARGE : EVERY);
  const { namespace, name, version } = loaded.data?.task ?? {};
  const template = useLoad((signal) => (name && may("templates:read", namespace) ? get(`v1/templates/${[namespace, name, version].map(encodeURIComponent).join("/")}`, {}, signal) : Promise.resolve(null)), [namespace, name, version]);
  const needsHistory = wantedTab === "timeline" || wantedTab === "story";
  const history = useLoad((signal) => (needsHistory ? get(`${path}/history`, {}, signal) : Promise.resolve(null)), [path, needsHistory]);
  // A move is shown at once, and what else it changed as soon as it is loaded.
  const [moved, setMoved] = useState({});
  useEffect(() => setMoved({}), [loaded.at]);
  const reload = () => {
    loaded.reload();
    if (needsHistory) history.reload();
  };
  const soon = useThrottled(reload, 400);
  const moves = useRef({});
  const draw = useThrottled(() => {
    setMoved((old) => ({ ...old, ...moves.current }));
    moves.current = {};
  }, 100);
  const began = useRef(null);
  const stream = useStream(loaded.data && !isEnded ? { task: loaded.data.task.task_uuid, namespace: loaded.data.task.namespace } : null, (event) => {
    // What happened before the document was loaded is in the document.
    if (event.type !== "again" && began.current && new Date(event.at) <= began.current) return;
    if (event.type === "step") {
      moves.current[event.step] = event.to_state;
      draw();
    }
    soon();
  });
  useEffect(() => {
    const last = loaded.data?.task.updated_at;
    if (last) began.current = new Date(last);
  }, [loaded.data]);
  const children = useChildren(loaded.data?.task, template.data?.configuration);
  const nodes = useMemo(() => {
    if (!loaded.data) return [];
    const steps = loaded.data.steps.map((step) => (moved[step.name] ? { ...step, state: moved[step.name] } : step));
    const marks = marksOf(loaded.data, moved);
    return marked(nodesOf(template.data?.configuration, steps, loaded.data.task.decisions ?? [], ENDED.has(loaded.data.task.state)), children).map((node) => ({ ...node, isOver: ENDED.has(loaded.data.task.state), ...(marks[node.name] && { mark: marks[node.name] }) }));
  }, [loaded.data, template.data, moved, JSON.stringify(children)]);
  const shown = shownOf(params);
  const failed = nodes.filter(SHOWN.failed).map((node) => node.name);
  const selected = params.get("step") ?? nodes.find((node) => node.state === "error")?.name;
  const toFailed = (step) => failed.length > 0 && setParams({ step: failed[(failed.indexOf(selected) + step + failed.length) % failed.length] });
  useKeys({
    f: () => setParams({ show: { all: "failed", failed: "open", open: null }[shown] }),
    "[": () => toFailed(-1), "]": () => toFailed(1),
  });
  if (loaded.error?.status === 404 || loaded.error?.status === 400) return html`<h1>${uuid}</h1><p>${t.task.gone}</p><p><a href=${link("tasks")}>${t.task.back}</a></p>`;
  // A table of many steps is of more use than a part of their graph.
  const tab = wantedTab ?? (nodes.length > MOST_NODES ? "steps" : "graph");
  const drawn = shown === "all" ? nodes : only(nodes, SHOWN[shown]);
  const names = new Set(drawn.map((node) => node.name));
  return html`<${Loaded} of=${loaded}>${({ task, steps, why }) => html`
    <${Ancestors} key=${task.task_uuid} task=${task} />
    <${PageHead} title=${html`${task.name} <${Key} task=${task} template=${template.data} />`} beside=${html`<div class="row" data-state=${task.state}><${State} of=${task.state} /> <span><${Meter} part=${task.completed_steps} of=${task.total_steps} />${task.completed_steps.toLocaleString()} / ${task.total_steps.toLocaleString()}</span>
      <span class="quiet">${task.completed_at ? span(new Date(task.completed_at) - new Date(task.created_at)) : html`<${Ago} at=${task.created_at} />`}</span><${Live} of=${stream} /></div>`}><${TaskActions} task=${task} onDone=${reload} /><//>
    <div class="row small"><span class="quiet">${task.namespace} · ${task.version}</span><span class="mono">${task.task_uuid}</span><${Copy} text=${task.task_uuid} />${task.parent_task_uuid && html`<a href=${link("tasks", task.parent_task_uuid)}>${t.task.parent}</a>`}
      <${ForkedFrom} key=${task.task_uuid} uuid=${task.task_uuid} />
      ${task.replaces_task_uuid && html`<a href=${link("tasks", task.replaces_task_uuid)}>${t.task.replaces}</a>`}
      ${task.replaced_by_task_uuid && html`<a href=${link("tasks", task.replaced_by_task_uuid)}>${t.task.replacedBy}</a>`}
      ${may("tasks:list") && html`<a href=${link("tasks", { correlation_id: task.correlation_id })}>${t.task.correlation}</a><a href=${link("tasks", { parent_correlation_id: task.correlation_id })}>${t.task.children}</a>`}
      ${may("templates:read", task.namespace) && html`<a href=${link("templates", task.namespace, task.name, { version: task.version })}>${t.tasks.template}</a>`}
      ${task.sla_breached_at && html`<span class="f-retry">${t.task.slaBreached} <${Time} at=${task.sla_breached_at} /></span>`}</div>
    ${task.erased_at && html`<p class="note" data-erased>${t.task.erased} <${Time} at=${task.erased_at} /></p>`}
    ${task.compensation && html`<p class="note">${t.task.compensated(task.compensation)}</p>`}
    ${task.state === "error" && html`<${Ended} steps=${steps} />`}
    ${why && html`<section class=${`note ${task.failed_steps > 0 ? "bad" : ""}`} aria-label=${t.task.why}><${Guard}><${Why} task=${task} steps=${steps} found=${why} moved=${moved} actions=${(waiting) => html`<${SendSignal} task=${task} template=${template.data} waiting=${waiting} onDone=${reload} />`} /><//></section>`}
    <${Tabs} label=${task.name} current=${tab} of=${TABS.filter(([key]) => key !== "batches" || task.batches?.length > 0 || tab === "batches").map(([key, label]) => [key, label, link("tasks", uuid, { tab: key, step: params.get("step"), show: params.get("show") })])} />
    <${Guard} key=${tab}>${tab === "story" ? html`<${Panel}><${Loaded} of=${history}>${(found) => html`<${Story} history=${found.entries} isEnded=${ENDED.has(task.state)} />`}<//><//>`
      : tab === "batches" ? (task.batches.length === 0 ? html`<p>${t.task.noBatches}</p>` : task.batches.map((batch) => html`<${Batch} key=${batch.step_uuid} task=${task} batch=${batch} />`))
      : tab === "tree" ? html`<${Panel}><${Tree} task=${task} /><//>`
      : tab === "data" ? html`<${Panel}><${Data} task=${task} steps=${steps} /><//>`
      : html`<div class=${selected ? "split" : ""}><div><${Show} nodes=${nodes} shown=${shown} />
        ${drawn.length === 0 ? html`<p>${t.task.noneShown}</p>`
        : tab === "timeline" ? html`<${Panel}><${Loaded} of=${history}>${(found) => html`<${Timeline} task=${task} history=${found.entries} nodes=${nodes} fits=${shown === "all" ? undefined : (name) => names.has(name)} />`}<//><//>`
        : tab === "steps" ? html`<${Panel} flat><${Steps} nodes=${drawn} selected=${selected} /><//>`
        : html`${template.error && html`<${ErrorNote} error=${template.error} />`}${!may("templates:read", task.namespace) && html`<p class="quiet">${t.task.noGraph}</p>`}
          <${Graph} label=${t.task.graphOf(task.name)} nodes=${drawn} selected=${selected} onSelect=${(step) => setParams({ step })} />`}
        ${selected && children[selected] && html`<${Child} step=${selected} child=${children[selected]} />`}</div>
        <${Inspector} task=${task} node=${nodes.find((node) => node.name === selected)} decision=${(task.decisions ?? []).find((one) => one.step === selected)} onDone=${reload} /></div>`}<//>`}<//>`;
}
