// Places of the nodes of a graph, and which of them belong together. Nothing here touches the page, so that a worker can do it.

export const WIDTH = 204;
export const HEIGHT = 50;

/** The place that a graph usually has; the direction depends on the graph alone, so that nothing turns around when a window does. */
const USUAL = { width: 740, height: 520 };
/** Both directions are tried for no more nodes. */
const MOST_TRIED = 120;

/** nodes: [{name, after: [names]}]. Returns what can be sent between threads: {places: [[name, {x, y}]], edges: [{v, w, points}], size, isDown}. */
export function place(dagre, nodes) {
  const across = placed(dagre, nodes, false);
  const fits = ({ width, height }) => Math.min(1, USUAL.width / width, USUAL.height / height);
  if (fits(across.size) === 1 || nodes.length > MOST_TRIED) return across;
  const down = placed(dagre, nodes, true);
  return fits(down.size) > fits(across.size) ? down : across;
}

function placed(dagre, nodes, isDown) {
  const graph = new dagre.Graph();
  graph.setGraph({ rankdir: isDown ? "TB" : "LR", nodesep: 18, ranksep: isDown ? 36 : 46, marginx: 12, marginy: 12 });
  graph.setDefaultEdgeLabel(() => ({}));
  nodes.forEach(({ name }) => graph.setNode(name, { width: WIDTH, height: HEIGHT }));
  nodes.forEach(({ name, after }) => after.filter((parent) => graph.hasNode(parent)).forEach((parent) => graph.setEdge(parent, name)));
  dagre.layout(graph);
  const { width, height } = graph.graph();
  return {
    places: nodes.map(({ name }) => [name, { x: graph.node(name).x, y: graph.node(name).y }]),
    edges: graph.edges().map(({ v, w }) => ({ v, w, points: graph.edge({ v, w }).points.map(({ x, y }) => ({ x, y })) })),
    size: { width, height },
    isDown,
  };
}

/** The nodes that fit, each after its nearest ancestors that fit. */
export function only(nodes, fits) {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const known = new Map();
  const nearest = (name) => {
    if (known.has(name)) return known.get(name);
    known.set(name, []);
    const node = byName.get(name);
    const found = !node ? [] : fits(node) ? [name] : [...new Set(node.after.flatMap(nearest))];
    known.set(name, found);
    return found;
  };
  return nodes.filter(fits).map((node) => ({ ...node, after: [...new Set(node.after.flatMap(nearest))] }));
}

/** The nodes within so many edges of one, the nearest first, at most so many. */
export function around(nodes, name, edges, most) {
  const next = new Map(nodes.map((node) => [node.name, []]));
  nodes.forEach((node) => node.after.filter((parent) => next.has(parent)).forEach((parent) => {
    next.get(parent).push(node.name);
    next.get(node.name).push(parent);
  }));
  const found = new Set(next.has(name) ? [name] : []);
  let edge = [...found];
  for (let i = 0; i < edges; i++) {
    edge = edge.flatMap((one) => next.get(one)).filter((one) => !found.has(one));
    for (const one of edge) if (found.size < most) found.add(one);
    edge = [...new Set(edge)].filter((one) => found.has(one));
  }
  return nodes.filter((node) => found.has(node.name)).map((node) => ({ ...node, after: node.after.filter((parent) => found.has(parent)) }));
}
