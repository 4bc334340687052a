// The graph of a template, with the steps of a task over it. dagre places the nodes in a worker; a change of a state moves nothing.
import { Component, html, useEffect, useLayoutEffect, useMemo, useRef, useState } from "./dom.js";
import { useParts } from "./core.js";
import { useKeys } from "./keys.js";
import { around, HEIGHT, WIDTH } from "./layout.js";
import { t } from "./texts.js";
import { family, glyph, Icon, words } from "./ui/index.js";

/** A graph that is larger than its place is drawn smaller, down to this; then it scrolls. One inside another has no room for less. */
const LEAST_FITTED = { page: 0.2, small: 0.55 };
/** What stands in a node, and in letters of which size, so that they can be read at a scale. The first that fits: two lines, or the name alone. */
const DETAILS = [{ from: 0.65, size: 13, second: 11, lengths: [22, 34], x: 28 }, { from: 0.38, size: 19, second: 15, lengths: [15, 20], x: 36 }, { from: 0, size: 46, lengths: [7], x: 50 }];
/** So many nodes are drawn at a stretch. */
const PART = 30;
const SCALES = { least: 0.1, most: 2, step: 1.25 };
const MARGIN = 16;
/** From so many nodes on there is a small picture of the whole, unless the whole is in view. */
const WITH_MAP = 40;
const RUNNING = new Set(["in_progress", "enqueued"]);
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

function secondLine({ step, state, isGrown, hasFailureBelow, mark }) {
  if (hasFailureBelow) return t.task.failureBelow;
  if (state === "not_taken") return t.task.notTaken;
  if (state === "planned") return t.task.planned;
  if (!step) return "";
  if (mark) return `${words(state)} · ${mark}`;
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

/** Families differ by their frame as well as by their colour. */
const FRAMES = { running: { "stroke-width": 2 }, failed: { "stroke-width": 3 }, retry: { "stroke-dasharray": "2 2" }, untaken: { "stroke-dasharray": "6 4" }, planned: { "stroke-dasharray": "6 4" } };

function edgeOf(from, to) {
  if ([from, to].includes("not_taken")) return { class: "edge untaken", stroke: "var(--s-untaken)", "stroke-dasharray": "5 4" };
  return ["complete", "resolved_manually"].includes(from) ? { class: "edge done", stroke: "var(--edge)", "stroke-width": 2 } : { class: "edge", stroke: "var(--edge)" };
}

/** The neighbour in this direction: along an edge, or the next one beside it. */
function neighbour(key, name, nodes, { places, isDown }) {
  const [back, on, before] = isDown ? ["ArrowUp", "ArrowDown", "ArrowLeft"] : ["ArrowLeft", "ArrowRight", "ArrowUp"];
  if (key === back) return nodes.find((node) => node.name === name).after.find((parent) => places.has(parent));
  if (key === on) return nodes.find((node) => node.after.includes(name))?.name;
  const [along, beside] = isDown ? ["y", "x"] : ["x", "y"];
  const here = places.get(name);
  const sign = key === before ? -1 : 1;
  return [...places].filter(([, other]) => Math.abs(other[along] - here[along]) < 1 && sign * (other[beside] - here[beside]) > 0).sort(([, a], [, b]) => sign * (a[beside] - b[beside]))[0]?.[0];
}

/** How large the place of a graph is, and which part of the graph it shows. */
function useView(box, size) {
  const [view, set] = useState(null);
  const look = () => {
    const { clientWidth: width, clientHeight: height, scrollLeft: left, scrollTop: top } = box.current;
    set((old) => (old && old.width === width && old.height === height && old.left === left && old.top === top ? old : { width, height, left, top }));
  };
  useLayoutEffect(() => {
    // It tells the size at first, too, when the page is laid out anyway.
    const resized = new ResizeObserver(look);
    resized.observe(box.current);
    return () => resized.disconnect();
  }, [size.width, size.height]);
  return [view, look];
}

/** All nodes of one colour are one path. */
function smallOf(nodes, places) {
  const byFamily = new Map();
  nodes.forEach((node) => {
    const { x, y } = places.get(node.name);
    const of = node.state ? family(node.state) : "waiting";
    byFamily.set(of, `${byFamily.get(of) ?? ""}M${x - WIDTH / 2} ${y - HEIGHT / 2}h${WIDTH}v${HEIGHT}h${-WIDTH}z`);
  });
  return [...byFamily].map(([of, d]) => html`<path key=${of} class=${`f-${of}`} d=${d} />`);
}

/** Wheel, keys and buttons change the scale; the pointer moves what is shown. */
function Zoomed({ label, size, isSmall, nodes, places, selected, children }) {
  const box = useRef(null);
  const [chosen, choose] = useState(null);
  const [follows, follow] = useState(false);
  const [view, look] = useView(box, size);
  const fitted = view ? Math.max(isSmall ? LEAST_FITTED.small : LEAST_FITTED.page, Math.min(1, (view.width - MARGIN) / size.width, isSmall ? 1 : (view.height - MARGIN) / size.height)) : 1;
  const scale = chosen ?? fitted;
  const anchor = useRef(null);
  const zoom = (factor, x = (view?.width ?? 0) / 2, y = (view?.height ?? 0) / 2) => {
    const next = Math.min(SCALES.most, Math.max(SCALES.least, scale * factor));
    // What is under the pointer stays there.
    anchor.current = { x, y, left: (box.current.scrollLeft + x) / scale, top: (box.current.scrollTop + y) / scale };
    choose(next);
  };
  useLayoutEffect(() => {
    if (!anchor.current) return;
    box.current.scrollLeft = anchor.current.left * scale - anchor.current.x;
    box.current.scrollTop = anchor.current.top * scale - anchor.current.y;
    anchor.current = null;
    look();
  }, [scale]);
  const latest = useRef(zoom);
  latest.current = zoom;
  useEffect(() => {
    const onWheel = (event) => {
      event.preventDefault();
      const { left, top } = box.current.getBoundingClientRect();
      latest.current(event.deltaY < 0 ? SCALES.step : 1 / SCALES.step, event.clientX - left, event.clientY - top);
    };
    const element = box.current;
    if (!isSmall) element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
  const moveTo = (x, y) => {
    box.current.scrollLeft = x * scale - box.current.clientWidth / 2;
    box.current.scrollTop = y * scale - box.current.clientHeight / 2;
  };
  // A graph that is larger than its place begins at what is selected or runs or failed, or else at its first step.
  const hasBegun = useRef(false);
  useLayoutEffect(() => {
    if (!view || hasBegun.current || isSmall) return;
    hasBegun.current = true;
    const first = nodes.find((node) => node.name === selected) ?? nodes.find((node) => [...RUNNING, "error"].includes(node.state)) ?? nodes.find((node) => !node.after.some((parent) => places.has(parent)));
    if (first) moveTo(places.get(first.name).x, places.get(first.name).y);
  }, [view]);
  const running = nodes.filter((node) => RUNNING.has(node.state)).map((node) => node.name)[0];
  useEffect(() => {
    if (!follows || !running || !places.has(running)) return;
    const { x, y } = places.get(running);
    moveTo(x, y);
  }, [follows, running]);
  const grab = (event) => {
    if (event.button !== 0 || event.pointerType === "touch" || event.target.closest(".node")) return;
    const from = { x: event.clientX + box.current.scrollLeft, y: event.clientY + box.current.scrollTop };
    follow(false);
    const move = (moved) => {
      box.current.scrollLeft = from.x - moved.clientX;
      box.current.scrollTop = from.y - moved.clientY;
    };
    const drop = () => {
      removeEventListener("pointermove", move);
      removeEventListener("pointerup", drop);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", drop);
  };
  const fit = () => choose(null);
  useKeys(isSmall ? {} : { "+": () => zoom(SCALES.step), "-": () => zoom(1 / SCALES.step), 0: fit });
  const hasMap = !isSmall && nodes.length >= WITH_MAP && view && (size.width * scale > view.width + 1 || size.height * scale > view.height + 1);
  const small = useMemo(() => (hasMap ? smallOf(nodes, places) : null), [!!hasMap, places, nodes.map((node) => node.state).join()]);
  const onMap = (event) => {
    const { left, top, width, height } = event.currentTarget.getBoundingClientRect();
    const ratio = Math.max(size.width / width, size.height / height);
    moveTo((event.clientX - left - (width - size.width / ratio) / 2) * ratio, (event.clientY - top - (height - size.height / ratio) / 2) * ratio);
    look();
  };
  return html`<div class="graph-box">${!isSmall && html`<div class="zoom group" role="group" aria-label=${t.graph.view}>${RUNNING.size > 0 && running && html`<button type="button" aria-pressed=${follows ? "true" : "false"} title=${t.graph.followHint} onClick=${() => follow(!follows)}>${t.graph.follow}</button>`}
      <button type="button" aria-label=${t.graph.smaller} title=${`${t.graph.smaller} (-)`} onClick=${() => zoom(1 / SCALES.step)}><${Icon} name="minus" /></button><button type="button" aria-label=${t.graph.larger} title=${`${t.graph.larger} (+)`} onClick=${() => zoom(SCALES.step)}><${Icon} name="plus" /></button>
      <button type="button" data-fit aria-label=${t.graph.fit} title=${`${t.graph.fit} (0)`} onClick=${fit}><${Icon} name="fit" /></button></div>`}
    <div class=${`canvas ${isSmall ? "" : "grab"}`} tabindex="0" role="region" aria-label=${label} data-scale=${scale.toFixed(2)} ref=${box} onScroll=${look} onPointerDown=${grab}>${children(view ? scale : null)}</div>
    ${hasMap && html`<svg class="mini" width="176" height="112" fill="currentcolor" data-map viewBox=${`0 0 ${size.width} ${size.height}`} aria-hidden="true" onClick=${onMap}>${small}<rect fill="var(--accent)" fill-opacity=".15" stroke="var(--accent)" vector-effect="non-scaling-stroke" x=${view.left / scale} y=${view.top / scale} width=${Math.min(size.width, view.width / scale)} height=${Math.min(size.height, view.height / scale)} /></svg>`}</div>`;
}

const SILENT = new Set(["complete", "resolved_manually", "pending", "waiting_for_dependencies", "planned", "not_taken"]);

/** The name alone. States that matter keep their sign, the others their frame and colour. */
function brief({ name, state, hasFailureBelow }, { size, lengths: [length], x }) {
  const hasMark = hasFailureBelow || (state && !SILENT.has(state));
  const y = 25 + size * 0.35;
  return html`${hasMark && html`<text class="glyph" aria-hidden="true" x="8" y=${y}>${hasFailureBelow ? "▲" : glyph(state)}</text>`}<text x=${hasMark ? x : 10} y=${y}>${shorten(name, hasMark ? length - 1 : length)}<title>${name}</title></text>`;
}

function full(node, { size, second: small, lengths: [length, longest], x: beside }) {
  const second = secondLine(node);
  const x = node.state ? beside : 10;
  const y = size > 13 ? 22 : 21;
  return html`${node.state && html`<text class="glyph" aria-hidden="true" x="10" y=${y}>${glyph(node.state)}</text>`}<text x=${x} y=${y}>${shorten(node.name, length)}${shorten(node.name, length) !== node.name && html`<title>${node.name}</title>`}</text>
    ${" "}<text class="second" font-size=${small} x=${x} y=${small > 11 ? 42 : 39}>${shorten(second || node.type || "", longest)}${second.length > longest && html`<title>${second}</title>`}</text>${node.hasFailureBelow && html`<text class="mark f-blocked" aria-hidden="true" x=${WIDTH - 22} y=${y}>▲</text>`}`;
}

/** Drawn again only when something of it has changed: a page of 300 nodes is rendered with every move. */
class Node extends Component {
  shouldComponentUpdate(next) {
    return next.signature !== this.props.signature;
  }

  render({ node, x, y, isSelected, detail }) {
    return html`<g class=${`node f-${node.state ? family(node.state) : "waiting"} ${node.state === "planned" ? "planned" : ""} ${node.hasFailureBelow ? "below" : ""}`} transform=${`translate(${x - WIDTH / 2} ${y - HEIGHT / 2})`}
        role="button" tabindex="0" aria-label=${detail.second ? undefined : `${node.name}, ${secondLine(node) || node.type || ""}`} font-size=${detail.size} aria-pressed=${isSelected ? "true" : "false"} data-step=${node.name} data-state=${node.state} data-below=${node.hasFailureBelow ? "failed" : undefined}>
        <rect class="ring" fill="none" stroke-width="3" x="-4" y="-4" width=${WIDTH + 8} height=${HEIGHT + 8} rx="8" />
        <rect class="box" stroke="currentcolor" ...${FRAMES[node.state === "planned" ? "planned" : family(node.state)]} width=${WIDTH} height=${HEIGHT} rx="5" /><rect class="tint" fill="currentcolor" fill-opacity=".1" width=${WIDTH} height=${HEIGHT} rx="5" />${node.childUuid && html`<rect class="inner" fill="none" stroke="currentcolor" pointer-events="none" x="3" y="3" width=${WIDTH - 6} height=${HEIGHT - 6} rx="3" />`}
        ${detail.second ? full(node, detail) : brief(node, detail)}</g>`;
  }
}

/** All edges that look alike are one path. */
function pathsOf(edges, states) {
  const paths = new Map();
  edges.forEach((edge) => {
    const looks = edgeOf(states.get(edge.v), states.get(edge.w));
    const same = paths.get(looks.class) ?? paths.set(looks.class, { looks, ways: [] }).get(looks.class);
    same.ways.push(path(edge.points));
  });
  return [...paths.values()].map(({ looks, ways }) => html`<path key=${looks.class} fill="none" ...${looks} d=${ways.join("")} />`);
}

function Drawing({ label, nodes, selected, isSmall, onSelect }) {
  const layout = useLayout(JSON.stringify(nodes.map(({ name, after }) => [name, after])));
  const drawn = useParts(layout?.places ? nodes.length : 0, PART, null, 0);
  const states = nodes.map((node) => node.state).join();
  const edges = useMemo(() => layout?.edges && pathsOf(layout.edges, new Map(nodes.map((node) => [node.name, node.state]))), [layout, states]);
  if (!layout) return html`<p class="quiet">${nodes.length > MOST_NODES ? t.task.placing(nodes.length) : t.loading}</p>`;
  if (layout.fault !== undefined) return html`<p class="note bad" role="alert">${t.task.notPlaced} ${layout.fault}</p>`;
  const nameOf = (event) => event.target.closest(".node")?.dataset.step;
  const onClick = (event) => nameOf(event) !== undefined && onSelect(nameOf(event));
  const onKey = (event) => {
    const name = nameOf(event);
    if (name === undefined) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      onSelect(name);
    } else if (event.key.startsWith("Arrow")) {
      event.preventDefault();
      const next = neighbour(event.key, name, nodes, layout);
      if (next) event.currentTarget.querySelector(`.node[data-step="${CSS.escape(next)}"]`)?.focus();
    }
  };
  return html`<${Zoomed} label=${label} size=${layout.size} nodes=${nodes} places=${layout.places} isSmall=${isSmall} selected=${selected}>${(scale) => {
    // How large its place is, is known after it was drawn empty.
    if (scale === null) return html`<svg class="graph" width="1" height="1" aria-hidden="true"></svg>`;
    const detail = DETAILS.find(({ from }) => scale >= from);
    return html`<svg class="graph" viewBox=${`0 0 ${layout.size.width} ${layout.size.height}`} width=${Math.round(layout.size.width * scale)} height=${Math.round(layout.size.height * scale)} role="group" aria-label=${label} data-drawn=${Math.min(drawn, nodes.length)} onClick=${onClick} onKeyDown=${onKey}>
    ${drawn > 0 && edges}${nodes.slice(0, drawn).map((node) => {
      const { x, y } = layout.places.get(node.name);
      const isSelected = selected === node.name;
      const signature = [x, y, isSelected, detail.from, node.state, node.hasFailureBelow, node.childUuid, node.type, secondLine(node)].join();
      return html`<${Node} key=${node.name} ...${{ signature, node, x, y, isSelected, detail }} />`;
    })}</svg>`;
  }}<//>`;
}

/** A large graph shows what is around one step; all of it is drawn on demand, with the number said before. */
export function Graph({ label, nodes, selected, isSmall, onSelect }) {
  const [isWanted, want] = useState(false);
  if (nodes.length <= MOST_NODES || isWanted) return html`<${Drawing} label=${label} nodes=${nodes} selected=${selected} isSmall=${isSmall} onSelect=${onSelect} />`;
  const centre = selected && nodes.some((node) => node.name === selected) ? selected : (nodes.find((node) => ["error", "in_progress"].includes(node.state)) ?? nodes[0]).name;
  const shown = around(nodes, centre, NEIGHBOURS.edges, NEIGHBOURS.most);
  return html`<p data-around=${centre}>${t.task.bigGraph(nodes.length, shown.length, centre)} <button type="button" onClick=${() => want(true)}>${t.task.drawAnyway}</button></p>
    <${Drawing} label=${label} nodes=${shown} selected=${selected} isSmall=${isSmall} onSelect=${onSelect} />`;
}
