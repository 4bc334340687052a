// A canvas with a cell for each worker of a batch, in the order of the batches. Failed cells have a corner as well as a colour.

/** The families of states for the letters of the API. */
export const LETTERS = { w: "waiting", o: "offered", r: "running", t: "retry", c: "complete", m: "resolved", f: "failed", x: "cancelled" };
const CELL = 6;
const GAP = 1;

const columnsOf = (canvas) => Math.max(1, Math.floor((canvas.parentNode.clientWidth - 2) / CELL));

/** The number of the worker at a place of the canvas, from 1; null beside the cells. */
export function cellAt(canvas, count, x, y) {
  const columns = columnsOf(canvas);
  const column = Math.floor(x / CELL);
  const number = Math.floor(y / CELL) * columns + column + 1;
  return column >= 0 && column < columns && number >= 1 && number <= count ? number : null;
}

/** Where the cell of a worker is: its middle. */
export function placeOf(canvas, number) {
  const columns = columnsOf(canvas);
  return { x: ((number - 1) % columns) * CELL + CELL / 2, y: Math.floor((number - 1) / columns) * CELL + CELL / 2 };
}

export function draw(canvas, states, picked) {
  const columns = columnsOf(canvas);
  const ratio = devicePixelRatio || 1;
  const [width, height] = [columns * CELL, Math.ceil(states.length / columns) * CELL];
  Object.assign(canvas, { width: width * ratio, height: height * ratio });
  Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  const place = canvas.getContext("2d");
  place.scale(ratio, ratio);
  const style = getComputedStyle(document.documentElement);
  const colours = Object.fromEntries(Object.entries(LETTERS).map(([letter, family]) => [letter, style.getPropertyValue(`--s-${family}`).trim()]));
  const ground = style.getPropertyValue("--ground").trim();
  for (let i = 0; i < states.length; i++) {
    const [x, y] = [(i % columns) * CELL, Math.floor(i / columns) * CELL];
    place.fillStyle = colours[states[i]] ?? colours.w;
    place.globalAlpha = "wo".includes(states[i]) ? 0.35 : 1;
    place.fillRect(x, y, CELL - GAP, CELL - GAP);
    if (states[i] === "f") {
      place.fillStyle = ground;
      place.fillRect(x + CELL - GAP - 2, y, 2, 2);
    }
  }
  place.globalAlpha = 1;
  if (picked) {
    const { x, y } = placeOf(canvas, picked);
    place.strokeStyle = style.getPropertyValue("--accent").trim();
    place.lineWidth = 2;
    place.strokeRect(x - CELL / 2 - 1, y - CELL / 2 - 1, CELL + 1, CELL + 1);
  }
}
