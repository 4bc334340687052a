// The graph of a template, with the steps of a task over it. dagre places the nodes in a worker; a change of a state moves nothing.
import { html, useEffect, useState } from "./dom.js";
import { around, HEIGHT, WIDTH } from "./layout.js";
import { t } from "./texts.js";
import { family, glyph, words } from "./ui.js";

/** A graph that is wider than its place is drawn smaller, down to this; then it scrolls. */
const LEAST_SCALE = 0.75;
/** More are drawn only on demand, and without it those around one step. */
export const MOST_NODES = 300;
const NEIGHBOURS = { edges: 2, most: 60 };

const dependencies = (step) => step.dependencies ?? step.depends_on ?? [];

/**
 * All nodes: the template's steps, each with the task's step if it is there, and steps that the template does not have.
 * A step that is not there was either not chosen or is not created yet.
 */
export function nodesOf(configuration, steps, decisions, isEnded) {
  const found = new Map(steps.map((step) => [step.name, step]));
  const notChosen = new Set(decisions.flatMap((decision) => decision.not_chosen ?? []));
  const nodes = new Map();
  const visit = (definition, byName) => {
    const known = nodes.get(definition.name);
    if (known) return known;
    const step = found.get(definition.name);
    const node = { name: definition.name, after: dependencies(definition), step, type: definition.type ?? definition.step_type };
    nodes.set(definition.name, node);
    if (!step) {
      const parents = node.after.map((name) => byName.get(name)).filter(Boolean).map((parent) => visit(parent, byName));
      const isUntaken = isEnded || notChosen.has(node.name) || (parents.length > 0 && parents.every((parent) => parent.state === "not_taken"));
      node.state = isUntaken ? "not_taken" : "planned";
    } else {
      node.state = step.state;
    }
    return node;
  };
  const definitions = configuration?.steps ?? [];
  const byName = new Map(definitions.map((definition) => [definition.name, definition]));
  definitions.forEach((definition) => visit(definition, byName));
  steps.filter((step) => !nodes.has(step.name)).forEach((step) => nodes.set(step.name, { name: step.name, after: step.depends_on ?? [], step, state: step.state, isGrown: true }));
  return [...nodes.values()];
}

const shorten = (name, length) => (name.length <= length ? name : `${name.slice(0, length / 2)}…${name.slice(-(length / 2 - 1))}`);

function secondLine({ step, state, isGrown, hasFailureBelow }) {
  if (hasFailureBelow) return t.task.failureBelow;
  if (state === "not_taken") return t.task.notTaken;
  if (state === "planned") return t.task.planned;
  if (!step) return "";
  const attempts = step.attempts > 1 || step.state === "waiting_for_retry" ? ` · ${t.task.attempt(step.attempts, step.max_attempts)}` : "";
  return `${words(state)}${attempts}${isGrown ? ` · ${t.task.grown}` : ""}`;
}

const path = (points) => points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

// ---- The worker

let worker = null;
let asked = 0;
const waiting = new Map();

function placed(nodes) {
  if (!worker) {
    worker = new Worker(new URL("layout.worker.js", import.meta.url), { type: "module" });
    worker.onmessage = ({ data: { id, layout, fault } }) => {
      waiting.get(id)?.(layout ?? { fault });
      waiting.delete(id);
    };
    worker.onerror = (event) => {
      waiting.forEach((resolve) => resolve({ fault: event.message ?? "" }));
      waiting.clear();
      worker = null;
    };
  }
  const id = ++asked;
  return new Promise((resolve) => {
    waiting.set(id, resolve);
    worker.postMessage({ id, nodes });
  });
}

/** What is drawn: the places of these nodes, and while they are being computed nothing. */
function useLayout(shape) {
  const [found, set] = useState({ shape: null, layout: null });
  useEffect(() => {
    let isWanted = true;
    const nodes = JSON.parse(shape).map(([name, after]) => ({ name, after }));
    placed(nodes).then((layout) => isWanted && set({ shape, layout: layout.fault === undefined ? { ...layout, places: new Map(layout.places) } : layout }));
    return () => {
      isWanted = false;
    };
  }, [shape]);
  return found.shape === shape ? found.layout : null;
}

// ---- Drawing

/** The neighbour in this direction: along an edge, or the next one of the same column. */
function neighbour(key, name, nodes, places) {
  if (key === "ArrowLeft") return nodes.find((node) => node.name === name).after.find((parent) => places.has(parent));
  if (key === "ArrowRight") return nodes.find((node) => node.after.includes(name))?.name;
  const { x, y } = places.get(name);
  const sign = { ArrowUp: -1, ArrowDown: 1 }[key];
  return [...places].filter(([, other]) => Math.abs(other.x - x) < 1 && sign * (other.y - y) > 0).sort(([, a], [, b]) => sign * (a.y - b.y))[0]?.[0];
}

function Drawing({ label, nodes, selected, onSelect }) {
  const layout = useLayout(JSON.stringify(nodes.map(({ name, after }) => [name, after])));
  if (!layout) return html`<p class="quiet">${nodes.length > MOST_NODES ? t.task.placing(nodes.length) : t.loading}</p>`;
  if (layout.fault !== undefined) return html`<p class="note bad" role="alert">${t.task.notPlaced} ${layout.fault}</p>`;
  const states = new Map(nodes.map((node) => [node.name, node.state]));
  const onKey = (event, name) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSelect(name);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = neighbour(event.key, name, nodes, layout.places);
      if (next) event.currentTarget.parentNode.querySelector(`.node[data-step="${CSS.escape(next)}"]`)?.focus();
    }
  };
  return html`<div class="canvas" tabindex="0" role="region" aria-label=${label}><svg class="graph" viewBox=${`0 0 ${layout.size.width} ${layout.size.height}`} width=${layout.size.width} style=${{ minWidth: `${LEAST_SCALE * layout.size.width}px` }} role="group" aria-label=${label}>
    ${layout.edges.map((edge) => html`<path class=${`edge ${[edge.v, edge.w].some((name) => states.get(name) === "not_taken") ? "untaken" : ["complete", "resolved_manually"].includes(states.get(edge.v)) ? "done" : ""}`} d=${path(edge.points)} />`)}
    ${nodes.map((node) => {
      const { x, y } = layout.places.get(node.name);
      const second = secondLine(node);
      return html`<g key=${node.name} class=${`node f-${node.state ? family(node.state) : "waiting"} ${node.state === "planned" ? "planned" : ""} ${node.hasFailureBelow ? "below" : ""}`} transform=${`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
        role="button" tabindex="0" aria-pressed=${selected === node.name ? "true" : "false"} data-step=${node.name} data-state=${node.state} data-below=${node.hasFailureBelow ? "failed" : undefined}
        onClick=${() => onSelect(node.name)} onKeyDown=${(event) => onKey(event, node.name)}>
        <rect class="ring" x="-4" y="-4" width=${WIDTH + 8} height=${HEIGHT + 8} rx="8" />
        <rect class="box" width=${WIDTH} height=${HEIGHT} rx="5" /><rect class="tint" width=${WIDTH} height=${HEIGHT} rx="5" />${node.childUuid && html`<rect class="inner" x="3" y="3" width=${WIDTH - 6} height=${HEIGHT - 6} rx="3" />`}
        ${node.state && html`<text class="glyph" aria-hidden="true" x="10" y="21">${glyph(node.state)}</text>`}<text x=${node.state ? 28 : 10} y="21">${shorten(node.name, 22)}${shorten(node.name, 22) !== node.name && html`<title>${node.name}</title>`}</text>
        ${" "}<text class="second" x=${node.state ? 28 : 10} y="39">${shorten(second || node.type || "", 28)}</text>${node.hasFailureBelow && html`<text class="mark f-blocked" aria-hidden="true" x=${WIDTH - 22} y="21">▲</text>`}</g>`;
    })}</svg></div>`;
}

/** A large graph shows what is around one step; all of it is drawn on demand, with the number said before. */
export function Graph({ label, nodes, selected, onSelect }) {
  const [isWanted, want] = useState(false);
  if (nodes.length <= MOST_NODES || isWanted) return html`<${Drawing} label=${label} nodes=${nodes} selected=${selected} onSelect=${onSelect} />`;
  const centre = selected && nodes.some((node) => node.name === selected) ? selected : (nodes.find((node) => ["error", "in_progress"].includes(node.state)) ?? nodes[0]).name;
  const shown = around(nodes, centre, NEIGHBOURS.edges, NEIGHBOURS.most);
  return html`<p data-around=${centre}>${t.task.bigGraph(nodes.length, shown.length, centre)} <button type="button" onClick=${() => want(true)}>${t.task.drawAnyway}</button></p>
    <${Drawing} label=${label} nodes=${shown} selected=${selected} onSelect=${onSelect} />`;
}
