// Places of the nodes of a graph, and which of them belong together. Nothing here touches the page, so that a worker can do it.

export const WIDTH = 204;
export const HEIGHT = 50;

/** The place that a graph usually has; the direction depends on the graph alone, so that nothing turns around when a window does. */
const USUAL = { width: 740, height: 520 };
/** Both directions are tried, and dagre is asked at all, for no more nodes: for 300 it computes for seconds. ADR 0059. */
const MOST_TRIED = 120;
const GAPS = { rank: 46, node: 18, edge: 6, margin: 12 };
/** How often the order of the ranks, and then the places in them, are brought nearer to their neighbours. */
const SWEEPS = { order: 16, places: 12 };

/** nodes: [{name, after: [names]}]. Returns what can be sent between threads: {places: [[name, {x, y}]], edges: [{v, w, points}], size, isDown}. */
export function place(dagre, nodes) {
  if (nodes.length > MOST_TRIED) return layered(nodes);
  const across = placed(dagre, nodes, false);
  const fits = ({ width, height }) => Math.min(1, USUAL.width / width, USUAL.height / height);
  if (fits(across.size) === 1) return across;
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

/** In ranks from left to right, each node after its last parent; edges over more than one rank pass through bends. Milliseconds for thousands of nodes. */
export function layered(nodes) {
  const items = new Map(nodes.map(({ name }) => [name, { rank: -1, before: [], next: [], height: HEIGHT }]));
  const afters = new Map(nodes.map(({ name, after }) => [name, [...new Set(after)].filter((parent) => items.has(parent) && parent !== name)]));
  const rankOf = (name) => {
    const item = items.get(name);
    if (item.rank < 0) {
      item.rank = 0;
      for (const parent of afters.get(name)) item.rank = Math.max(item.rank, rankOf(parent) + 1);
    }
    return item.rank;
  };
  nodes.forEach(({ name }) => rankOf(name));
  const ranks = [];
  const put = (item) => (ranks[item.rank] ??= []).push(item);
  items.forEach(put);
  const join = (from, to) => {
    from.next.push(to);
    to.before.push(from);
  };
  const edges = [];
  afters.forEach((parents, name) => parents.forEach((parent) => {
    const [from, to] = [items.get(parent), items.get(name)];
    const way = [from];
    for (let rank = from.rank + 1; rank < to.rank; rank++) {
      const bend = { rank, before: [], next: [], height: 0 };
      put(bend);
      join(way.at(-1), bend);
      way.push(bend);
    }
    join(way.at(-1), to);
    edges.push({ v: parent, w: name, way: [...way, to] });
  }));
  const number = (rank) => rank.forEach((item, i) => { item.at = i; });
  const mean = (of, value) => of.reduce((sum, item) => sum + value(item), 0) / of.length;
  ranks.forEach(number);
  for (let sweep = 0; sweep < SWEEPS.order; sweep++) {
    const side = sweep % 2 ? "next" : "before";
    for (const rank of sweep % 2 ? [...ranks].reverse() : ranks) {
      const wanted = new Map(rank.map((item) => [item, item[side].length ? mean(item[side], (other) => other.at) : item.at]));
      number(rank.sort((a, b) => wanted.get(a) - wanted.get(b)));
    }
  }
  ranks.forEach((rank) => pack(rank, (item) => item.at * (HEIGHT + GAPS.node)));
  for (let sweep = 0; sweep < SWEEPS.places; sweep++) {
    for (const rank of sweep % 2 ? [...ranks].reverse() : ranks) {
      pack(rank, (item) => (item.before.length + item.next.length ? mean([...item.before, ...item.next], (other) => other.y) : item.y));
    }
  }
  const all = ranks.flat();
  const [top, bottom] = [Math.min(...all.map((item) => item.y - item.height / 2)), Math.max(...all.map((item) => item.y + item.height / 2))];
  const x = (item) => GAPS.margin + WIDTH / 2 + item.rank * (WIDTH + GAPS.rank);
  const y = (item) => item.y - top + GAPS.margin;
  const bends = (item) => (item.height ? [] : [{ x: x(item) - WIDTH / 2, y: y(item) }, { x: x(item) + WIDTH / 2, y: y(item) }]);
  return {
    places: nodes.map(({ name }) => [name, { x: x(items.get(name)), y: y(items.get(name)) }]),
    edges: edges.map(({ v, w, way }) => ({ v, w, points: [{ x: x(way[0]) + WIDTH / 2, y: y(way[0]) }, ...way.flatMap((item) => bends(item)), { x: x(way.at(-1)) - WIDTH / 2, y: y(way.at(-1)) }] })),
    size: { width: 2 * GAPS.margin + ranks.length * (WIDTH + GAPS.rank) - GAPS.rank, height: bottom - top + 2 * GAPS.margin },
    isDown: false,
  };
}

/** Gives each item of a rank the place nearest to what it wants (in the least squares) that keeps order and distances. */
function pack(rank, wanted) {
  const offsets = [];
  rank.forEach((item, i) => offsets.push(i ? offsets[i - 1] + (rank[i - 1].height + item.height) / 2 + (rank[i - 1].height && item.height ? GAPS.node : GAPS.edge) : 0));
  const blocks = [];
  rank.forEach((item, i) => {
    let block = { sum: wanted(item) - offsets[i], count: 1 };
    while (blocks.length && blocks.at(-1).sum / blocks.at(-1).count >= block.sum / block.count) {
      const before = blocks.pop();
      block = { sum: before.sum + block.sum, count: before.count + block.count };
    }
    blocks.push(block);
  });
  let i = 0;
  for (const { sum, count } of blocks) for (let end = i + count; i < end; i++) rank[i].y = sum / count + offsets[i];
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
