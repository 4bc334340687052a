// One row for each step: what it did from its creation to its end, attempt by attempt.
import { html, useMemo, useState } from "./dom.js";
import { useClock } from "./core.js";
import { t } from "./texts.js";
import { clockTime } from "./time.js";
import { gaps, scale } from "./timescale.js";
import { family, span, stretch, words } from "./ui/index.js";

const FIRST_ROWS = 60;
/** The bars of attempts are full ones. */
const OPACITIES = { waiting: 0.25, offered: 0.35, retry: 0.45, finishing: 0.6 };
const COLOURS = { waiting: "waiting", offered: "offered", running: "running", retry: "retry", finishing: "resolved" };

/** The stretches between the moves of each step: {name, segments: [{kind, from, to, attempt}], state}. A state of its end has no stretch. */
function rowsOf(history, now) {
  const rows = new Map();
  for (const entry of history) {
    if (entry.kind !== "step") continue;
    const at = new Date(entry.at).getTime();
    const row = rows.get(entry.step) ?? { name: entry.step, segments: [], state: null };
    rows.set(entry.step, row);
    const open = row.segments.at(-1);
    if (open && open.to === null) open.to = at;
    row.state = entry.to_state;
    const kind = stretch(entry.to_state);
    if (kind) row.segments.push({ kind, from: at, to: null, attempt: entry.attempt });
  }
  for (const row of rows.values()) row.segments.forEach((segment) => (segment.to ??= now));
  return [...rows.values()];
}

/** While one of these lasts, something is done or offered; else time passes. */
const BUSY = new Set(["offered", "running", "finishing"]);

/** How many steps the longest way to each has before it, by name: parents stand above what follows from them. */
function depths(nodes) {
  const found = new Map(nodes.map((node) => [node.name, 0]));
  const followers = new Map(nodes.map((node) => [node.name, []]));
  const left = new Map(nodes.map((node) => [node.name, node.after.filter((parent) => found.has(parent)).length]));
  nodes.forEach((node) => node.after.forEach((parent) => followers.get(parent)?.push(node.name)));
  const next = nodes.map((node) => node.name).filter((name) => left.get(name) === 0);
  for (let name = next.pop(); name !== undefined; name = next.pop()) {
    for (const follower of followers.get(name)) {
      found.set(follower, Math.max(found.get(follower), found.get(name) + 1));
      left.set(follower, left.get(follower) - 1);
      if (left.get(follower) === 0) next.push(follower);
    }
  }
  // What was added while the task ran has no edges here, and follows from what was there.
  nodes.filter((node) => node.isGrown && node.after.length === 0).forEach((node) => found.set(node.name, Infinity));
  return found;
}

/** nodes: those of the graph, for their order; fits(name): whether the step's row is shown. */
export function Timeline({ task, history, nodes, fits = () => true }) {
  const clock = useClock();
  const [open, unfold] = useState(new Set());
  const [shown, show] = useState(FIRST_ROWS);
  const now = task.completed_at ? new Date(task.completed_at).getTime() : Math.max(clock, new Date(task.created_at).getTime());
  const depth = useMemo(() => depths(nodes), [nodes]);
  const begun = (row) => row.segments.find((segment) => segment.kind !== "waiting")?.from ?? Infinity;
  const rows = rowsOf(history, now).filter((row) => fits(row.name)).sort((a, b) => (depth.get(a.name) ?? Infinity) - (depth.get(b.name) ?? Infinity) || begun(a) - begun(b) || 0);
  const begin = new Date(task.created_at).getTime();
  const end = Math.max(now, begin + 1, ...rows.flatMap((row) => row.segments.map((segment) => segment.to)));
  // Folds keep their names while a running task grows, so that one that was opened stays open.
  const found = gaps(rows.flatMap((row) => row.segments.filter((segment) => BUSY.has(segment.kind)).map((segment) => [segment.from, segment.to])), begin, end);
  const folds = found.filter((gap) => !open.has(gap.from));
  const x = scale(folds, begin, end);
  const toggle = (from) => unfold((old) => new Set(old.has(from) ? [...old].filter((other) => other !== from) : [...old, from]));
  if (rows.length === 0) return html`<p>${t.task.noneShown}</p>`;
  return html`<div class="row small">${Object.entries(t.task.legend).map(([kind, label]) => html`<span class=${`timeline-key f-${COLOURS[kind]}`}><svg aria-hidden="true" width="22" height="10"><rect width="22" height="10" fill="currentcolor" fill-opacity=${OPACITIES[kind]} /></svg> ${label}</span>`)}</div>
    <div class="timeline" role="group" aria-label=${t.task.timelineOf(task.name)}>
    <span></span><div class="row axis small"><span>${clockTime(begin)}</span><span>${span(end - begin)}</span><span>${clockTime(end)}</span></div>
    ${found.length > 0 && html`<span></span><div class="row gaps">${found.map((gap) => html`<button type="button" key=${gap.from} data-gap=${gap.to - gap.from} aria-pressed=${open.has(gap.from) ? "false" : "true"} onClick=${() => toggle(gap.from)}>${t.task.gap(span(gap.to - gap.from), open.has(gap.from))}</button>`)}</div>`}
    ${rows.slice(0, shown).map((row) => {
      const tries = row.segments.filter((segment) => segment.kind === "running");
      const sentence = `${row.name}: ${words(row.state)}. ${row.segments.map((segment) => `${t.task.legend[segment.kind]} ${span(segment.to - segment.from)}`).join(", ")}`;
      return html`<span key=${`${row.name} name`} class="one" title=${row.name}><span class=${`f-${family(row.state)}`}>${row.name}</span>${tries.length > 1 ? ` ×${tries.length}` : ""}</span>
      <svg key=${row.name} width="100%" height="22" role="img" aria-label=${sentence} data-row=${row.name}>${folds.map((fold) => html`<g class="fold" key=${fold.from}><rect fill="none" stroke="var(--edge)" stroke-dasharray="3 3" data-fold=${fold.to - fold.from} x=${`${x(fold.from)}%`} width=${`${x(fold.to) - x(fold.from)}%`} y="0" height="22"><title>${span(fold.to - fold.from)}</title></rect></g>`)}${row.segments.map((segment) => html`<g class=${`${segment.kind} f-${COLOURS[segment.kind]}`}>
        <rect data-kind=${segment.kind} fill="currentcolor" fill-opacity=${OPACITIES[segment.kind]} x=${`${x(segment.from)}%`} width=${`${Math.max(0.4, x(segment.to) - x(segment.from))}%`} y=${segment.kind === "running" ? 2 : 7} height=${segment.kind === "running" ? 18 : 8} rx="2">
          <title>${`${t.task.legend[segment.kind]} ${span(segment.to - segment.from)}${segment.attempt ? ` · ${segment.attempt}` : ""}`}</title></rect></g>`)}</svg>`;
    })}</div>
    ${rows.length > shown && html`<button type="button" onClick=${() => show(shown + FIRST_ROWS)}>${t.task.moreSteps(Math.min(FIRST_ROWS, rows.length - shown))}</button>`}`;
}
