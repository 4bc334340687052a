// The tasks above and below a task: the path to the first parent, failures of children, and a child inside the page of its parent.
import { html, useEffect, useState } from "./dom.js";
import { get, link, may, useLoad } from "./core.js";
import { Graph, nodesOf } from "./graph.js";
import { t } from "./texts.js";
import { ENDED, Loaded, State } from "./ui/index.js";

const MOST_LEVELS = 8;
/** How far failures are looked for, in levels and in requests. */
const LEVELS_BELOW = 4;
const MOST_REQUESTS = 20;
/** A child is drawn inside the page when it is no larger, and only so deep. */
const MOST_NODES = 40;
const MOST_DEPTH = 2;
const EVERY = 5_000;

const FAILED = new Set(["blocked_by_failures", "error"]);

// ---- Above

async function pathTo(task, signal) {
  const found = [];
  let above = task.parent_task_uuid;
  while (above && found.length < MOST_LEVELS) {
    const parent = await get(`v1/tasks/${above}`, {}, signal).catch(() => null);
    // A parent that the reader may not see still has its place.
    found.unshift(parent ?? { task_uuid: above });
    above = parent?.parent_task_uuid;
  }
  return { found, isCut: !!above };
}

/** From the first parent to this task. */
export function Ancestors({ task }) {
  const above = useLoad((signal) => (task.parent_task_uuid ? pathTo(task, signal) : Promise.resolve(null)), [task.task_uuid]);
  if (!above.data) return null;
  return html`<nav class="path small" aria-label=${t.task.path}><ol class="row">${above.data.isCut && html`<li>…</li>`}${above.data.found.map((one) => html`<li key=${one.task_uuid}><a href=${link("tasks", one.task_uuid)} data-ancestor=${one.task_uuid}>${one.name ?? one.task_uuid.slice(0, 8)}</a></li>`)}<li aria-current="page">${task.name}</li></ol></nav>`;
}

// ---- Below

/** The children of a task, each with isFailed: it has failed, or one below it has. */
async function childrenOf(uuid, signal, budget, level = 0) {
  budget.requests--;
  const { children } = await get(`v1/tasks/${uuid}/children`, { limit: 100 }, signal);
  const found = [];
  for (const child of children) {
    let isFailed = FAILED.has(child.state);
    if (!isFailed && !ENDED.has(child.state) && child.children > 0 && level < LEVELS_BELOW && budget.requests > 0) {
      isFailed = (await childrenOf(child.task_uuid, signal, budget, level + 1)).some((one) => one.isFailed);
    }
    found.push({ ...child, isFailed });
  }
  return found;
}

/** The latest child of each step that has one: {step: {task_uuid, state, isFailed, …}}. */
export function useChildren(task, configuration) {
  const hasChildren = (configuration?.steps ?? []).some((step) => step.task);
  const found = useLoad((signal) => (hasChildren ? childrenOf(task.task_uuid, signal, { requests: MOST_REQUESTS }) : Promise.resolve([])), [task?.task_uuid, task?.updated_at, hasChildren], hasChildren && !ENDED.has(task.state) ? EVERY : 0);
  return Object.fromEntries((found.data ?? []).map((child) => [child.step, child]));
}

// ---- Inside

function Inside({ uuid, depth }) {
  const [selected, select] = useState(null);
  const loaded = useLoad(async (signal) => {
    const task = await get(`v1/tasks/${uuid}`, {}, signal);
    const steps = may("steps:read", task.namespace) ? (await get(`v1/tasks/${uuid}/workflow_steps`, {}, signal)).steps : task.steps ?? [];
    const template = may("templates:read", task.namespace) ? await get(`v1/templates/${[task.namespace, task.name, task.version].map(encodeURIComponent).join("/")}`, {}, signal) : null;
    return { task, steps, configuration: template?.configuration };
  }, [uuid], EVERY);
  const below = useChildren(loaded.data?.task, loaded.data?.configuration);
  return html`<${Loaded} of=${loaded}>${({ task, steps, configuration }) => {
    const nodes = marked(nodesOf(configuration, steps, task.decisions ?? [], ENDED.has(task.state)), below);
    return html`<div class="row"><${State} of=${task.state} /> <strong>${task.name}</strong> <span>${task.completed_steps} / ${task.total_steps}</span> <a href=${link("tasks", uuid)}>${t.task.openAsPage}</a></div>
      ${nodes.length > MOST_NODES ? html`<p>${t.task.tooLarge}</p>` : html`<${Graph} isSmall label=${t.task.graphOf(task.name)} nodes=${nodes} selected=${selected} onSelect=${select} />`}
      ${selected && below[selected] && depth < MOST_DEPTH && html`<${Child} step=${selected} child=${below[selected]} depth=${depth + 1} />`}`;
  }}<//>`;
}

/** The child of the selected step. */
export function Child({ step, child, depth = 1 }) {
  const [isOpen, open] = useState(false);
  useEffect(() => open(false), [child.task_uuid]);
  return html`<section class="panel child" aria-label=${t.task.childOf(step)} data-inside=${child.task_uuid}><h2>${t.task.childOf(step)}</h2>
    <div class="row"><${State} of=${child.state} /> <a href=${link("tasks", child.task_uuid)}>${child.namespace}/${child.name}</a> <button type="button" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => open(!isOpen)}>${isOpen ? t.task.inlineHide : t.task.inline}</button></div>
    ${isOpen && html`<${Inside} uuid=${child.task_uuid} depth=${depth} />`}</section>`;
}

/** The nodes, those of steps with a child marked. */
export const marked = (nodes, children) => nodes.map((node) => (children[node.name] ? { ...node, childUuid: children[node.name].task_uuid, hasFailureBelow: children[node.name].isFailed } : node));
