// The graph of a template, with the steps of a task over it. dagre places the nodes; a change of a state moves nothing.
import { html, useEffect, useMemo, useState } from "./vendor/preact-htm.js";
import { t } from "./texts.js";
import { family, glyph, words } from "./ui.js";

const WIDTH = 204;
const HEIGHT = 50;
/** A graph that is wider than its place is drawn smaller, down to this; then it scrolls. */
const LEAST_SCALE = 0.75;
/** More are drawn only on demand. */
const MOST_NODES = 300;

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

function secondLine({ step, state, isGrown }) {
  if (state === "not_taken") return t.task.notTaken;
  if (state === "planned") return t.task.planned;
  if (!step) return "";
  const attempts = step.attempts > 1 || step.state === "waiting_for_retry" ? ` · ${t.task.attempt(step.attempts, step.max_attempts)}` : "";
  return `${words(state)}${attempts}${isGrown ? ` · ${t.task.grown}` : ""}`;
}

const path = (points) => points.map(({ x, y }, i) => `${i ? "L" : "M"}${x.toFixed(1)} ${y.toFixed(1)}`).join("");

export function Graph({ label, nodes, selected, onSelect }) {
  const [dagre, set] = useState(null);
  const [isWanted, want] = useState(false);
  const isTooBig = nodes.length > MOST_NODES && !isWanted;
  useEffect(() => {
    if (!isTooBig) import("./vendor/dagre.js").then(set);
  }, [isTooBig]);
  const shape = JSON.stringify(nodes.map(({ name, after }) => [name, after]));
  const layout = useMemo(() => {
    if (!dagre || isTooBig) return null;
    const graph = new dagre.Graph();
    graph.setGraph({ rankdir: "LR", nodesep: 18, ranksep: 46, marginx: 12, marginy: 12 });
    graph.setDefaultEdgeLabel(() => ({}));
    nodes.forEach(({ name }) => graph.setNode(name, { width: WIDTH, height: HEIGHT }));
    nodes.forEach(({ name, after }) => after.filter((parent) => graph.hasNode(parent)).forEach((parent) => graph.setEdge(parent, name)));
    dagre.layout(graph);
    return { places: new Map(nodes.map(({ name }) => [name, graph.node(name)])), edges: graph.edges().map((edge) => ({ ...edge, points: graph.edge(edge).points })), size: graph.graph() };
  }, [dagre, isTooBig, shape]);
  if (isTooBig) return html`<p>${t.task.bigGraph(nodes.length)} <button type="button" onClick=${() => want(true)}>${t.task.drawAnyway}</button></p>`;
  if (!layout) return html`<p class="quiet">${t.loading}</p>`;
  const states = new Map(nodes.map((node) => [node.name, node.state]));
  const onKey = (event, name) => {
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSelect(name);
    }
  };
  return html`<div class="canvas" tabindex="0" role="region" aria-label=${label}><svg class="graph" viewBox=${`0 0 ${layout.size.width} ${layout.size.height}`} width=${layout.size.width} style=${{ minWidth: `${LEAST_SCALE * layout.size.width}px` }} role="group" aria-label=${label}>
    ${layout.edges.map((edge) => html`<path class=${`edge ${states.get(edge.w) === "not_taken" ? "untaken" : ["complete", "resolved_manually"].includes(states.get(edge.v)) ? "done" : ""}`} d=${path(edge.points)} />`)}
    ${nodes.map((node) => {
      const { x, y } = layout.places.get(node.name);
      const second = secondLine(node);
      return html`<g key=${node.name} class=${`node f-${node.state ? family(node.state) : "waiting"} ${node.state === "planned" ? "planned" : ""}`} transform=${`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
        role="button" tabindex="0" aria-pressed=${selected === node.name ? "true" : "false"} data-step=${node.name} data-state=${node.state}
        onClick=${() => onSelect(node.name)} onKeyDown=${(event) => onKey(event, node.name)}>
        <rect class="ring" x="-4" y="-4" width=${WIDTH + 8} height=${HEIGHT + 8} rx="8" />
        <rect class="box" width=${WIDTH} height=${HEIGHT} rx="5" /><rect class="tint" width=${WIDTH} height=${HEIGHT} rx="5" />
        ${node.state && html`<text class="glyph" aria-hidden="true" x="10" y="21">${glyph(node.state)}</text>`}<text x=${node.state ? 28 : 10} y="21">${shorten(node.name, 22)}${shorten(node.name, 22) !== node.name && html`<title>${node.name}</title>`}</text>
        ${" "}<text class="second" x=${node.state ? 28 : 10} y="39">${shorten(second || node.type || "", 28)}</text></g>`;
    })}</svg></div>`;
}
