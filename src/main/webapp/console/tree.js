// The tasks around a task: its children and theirs, what it was forked from, and its forks.
import { html, useState } from "./dom.js";
import { get, link, useLoad } from "./core.js";
import { t } from "./texts.js";
import { Ago, Loaded, Panel, State, Table, Time } from "./ui/index.js";

const PAGE = 50;

/** A child; its own children are loaded when they are asked for. */
function Child({ child, every }) {
  const [isOpen, open] = useState(false);
  return html`<li data-child=${child.task_uuid}><div class="row">${child.children > 0 && html`<button type="button" aria-expanded=${isOpen ? "true" : "false"} onClick=${() => open(!isOpen)}>${t.tree.children(child.children)}</button>`}
      <${State} of=${child.state} /><a href=${link("tasks", child.task_uuid)}>${child.namespace}/${child.name}</a><span class="quiet small">${t.tree.of(child)} · <${Ago} at=${child.completed_at ?? child.created_at} /></span></div>
    ${isOpen && html`<${Children} uuid=${child.task_uuid} every=${every} />`}</li>`;
}

function Children({ uuid, every, at }) {
  const [cursor, go] = useState(null);
  const found = useLoad((signal) => get(`v1/tasks/${uuid}/children`, { limit: PAGE, cursor }, signal), [uuid, cursor, at], every);
  return html`<${Loaded} of=${found}>${({ children, next }) => html`${children.length === 0 && !cursor ? html`<p>${t.tree.noChildren}</p>`
    : html`<ul class="tree">${children.map((child) => html`<${Child} key=${`${child.task_uuid} ${child.step_uuid}`} child=${child} every=${every} />`)}</ul>`}
    <div class="row">${cursor && html`<button type="button" onClick=${() => go(null)}>${t.tree.firstChildren}</button>`}${next && html`<button type="button" onClick=${() => go(next)}>${t.tree.nextChildren}</button>`}</div>`}<//>`;
}

function Forks({ uuid, every }) {
  const [cursor, go] = useState(null);
  const found = useLoad((signal) => get(`v1/tasks/${uuid}/forks`, { limit: PAGE, cursor }, signal), [uuid, cursor], every);
  return html`<${Loaded} of=${found}>${({ forks, next }) => html`${forks.length === 0 ? html`<p>${t.tree.noForks}</p>`
    : html`<${Table} label=${t.tree.forks} head=${[t.tasks.state, t.tasks.task, t.tree.from, t.tree.copied, t.tree.forkedAt]}>${forks.map((fork) => html`<tr key=${fork.task_uuid} data-fork=${fork.task_uuid}><td><${State} of=${fork.state} /></td>
      <td><a class="mono" href=${link("tasks", fork.task_uuid)}>${fork.task_uuid}</a></td><td>${fork.from_steps.join(", ")}</td><td>${fork.copied_steps}</td><td><${Time} at=${fork.forked_at} /></td></tr>`)}<//>`}
    <div class="row">${cursor && html`<button type="button" onClick=${() => go(null)}>${t.first}</button>`}${next && html`<button type="button" onClick=${() => go(next)}>${t.more}</button>`}</div>`}<//>`;
}

/** Forks and children go on when the task itself has ended, so that they are always loaded again. */
export const Tree = ({ task }) => html`<${Panel} title=${t.tree.ofChildren}><${Children} uuid=${task.task_uuid} every=${3_000} at=${task.updated_at} /><//>
  <${Panel} title=${t.tree.forks}><${Forks} uuid=${task.task_uuid} every=${5_000} /><//>`;

/** The link from a fork back to the task that it was made from. */
export function ForkedFrom({ uuid }) {
  const found = useLoad((signal) => get(`v1/tasks/${uuid}/forks`, { limit: 1 }, signal), [uuid]);
  const source = found.data?.forked_from;
  return source && html`<a href=${link("tasks", source.task_uuid)} data-source=${source.task_uuid}>${t.tree.forkedFrom(source)}</a>`;
}
