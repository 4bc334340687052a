// A batch: its counters come with the task, a picture has a cell for each worker, and the workers themselves come page by page.
import { html, memo, useEffect, useRef, useState } from "./dom.js";
import { get, useLoad, useParts } from "./core.js";
import { Document, MOST_BYTES, ofStep } from "./documents.js";
import { cellAt, draw, LETTERS } from "./mosaic.js";
import { t } from "./texts.js";
import { zoneName } from "./time.js";
import { ENDED, Facts, Fold, Loaded, Said, State, Table, Time } from "./ui/index.js";

const PAGE = 50;
/** So many rows are drawn at a stretch. */
const PART = 15;
const EVERY = 5_000;
/** At most so many workers have a cell. */
const MOST_CELLS = 10_000;
/** What is shown first of a list: what has failed, then what runs. */
const FIRST = ["error", "in_progress"];
const COLOURS = { done: "complete", failed: "failed", cancelled: "cancelled", in_flight: "running" };

/** The canvas, and the same in words: the index under the pointer, which the arrow keys move as well. */
function Mosaic({ batch, states, at, onPick }) {
  const canvas = useRef(null);
  const [pointed, point] = useState(null);
  const picked = pointed ?? at;
  useEffect(() => {
    const place = canvas.current;
    const redraw = () => draw(place, states, at);
    addEventListener("themechange", redraw);
    // Told of its size at once; and again of the height that it has from the picture, which changes nothing.
    let width = null;
    const sized = new ResizeObserver(() => {
      if (place.parentNode.clientWidth === width) return;
      width = place.parentNode.clientWidth;
      redraw();
    });
    sized.observe(place.parentNode);
    return () => {
      removeEventListener("themechange", redraw);
      sized.disconnect();
    };
  }, [states, at]);
  const index = (event) => cellAt(canvas.current, states.length, event.offsetX, event.offsetY);
  const onKey = (event) => {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 10, ArrowUp: -10 }[event.key];
    if (!step) return;
    event.preventDefault();
    onPick(Math.min(states.length, Math.max(1, (at ?? 0) + step)));
  };
  return html`<div class="mosaic" tabindex="0" role="slider" aria-label=${t.batch.mosaic(batch.step)} aria-valuemin="1" aria-valuemax=${states.length} aria-valuenow=${at ?? 1} aria-valuetext=${t.batch.cell(picked, states)} onKeyDown=${onKey}>
      <canvas ref=${canvas} onPointerMove=${(event) => point(index(event))} onPointerLeave=${() => point(null)} onClick=${(event) => { const found = index(event); if (found) onPick(found); }}></canvas></div>
    <p class="small" data-cell=${picked ?? ""}>${picked ? t.batch.cell(picked, states) : t.batch.hint}</p>
    <p class="row small">${Object.entries(LETTERS).filter(([letter]) => states.includes(letter)).map(([letter, family]) => html`<span key=${letter} class=${`f-${family}`}>■ ${t.batch.letters[letter]}</span>`)}</p>`;
}

/** zone: in which its times are shown. */
const Worker = memo(({ task, worker, isSought }) => {
  const kind = ["error", "result"].find((one) => worker.document_bytes[one]);
  return html`<tr data-worker=${worker.name} class=${isSought ? "sought" : ""}><td><${State} of=${worker.state} /></td><td>${worker.name}</td><td data-label=${COLUMNS[0]}>${worker.attempts > 0 && `${worker.attempts} / ${worker.max_attempts}`}</td><td data-label=${COLUMNS[1]}>${worker.completed_at && html`<${Time} at=${worker.completed_at} />`}</td>
    <td data-label=${COLUMNS[2]}>${kind && html`<${Fold} summary=${html`<${Said} text=${worker.error?.message ?? t.task.stepResult} />`}>${() => html`<${Document} ...${ofStep(task, worker, kind)} name=${worker.name} />`}<//>`}</td></tr>`;
});

const COLUMNS = [t.task.attempts, t.task.ended, t.task.result];

function Workers({ task, label, of, sought }) {
  const drawn = useParts(of.length, PART, of[0]?.step_uuid);
  return html`<${Table} label=${label} head=${[t.task.state, t.task.worker, ...COLUMNS]}>${of.slice(0, drawn).map((worker) => html`<${Worker} key=${worker.step_uuid} task=${task} worker=${worker} zone=${zoneName()} isSought=${worker.name === sought} />`)}<//>`;
}

export function Batch({ task, batch }) {
  const path = `v1/tasks/${task.task_uuid}/workflow_steps`;
  const workers = (params, signal) => get(path, { batch: batch.step_uuid, max_document_bytes: MOST_BYTES, ...params }, signal);
  const every = ENDED.has(task.state) ? 0 : EVERY;
  const [cursor, go] = useState(null);
  const [sought, seek] = useState(null);
  const [text, set] = useState("");
  // One request has the letters of all cells and the page of workers.
  const page = useLoad((signal) => workers({ limit: PAGE, cursor }, signal), [batch.step_uuid, cursor, task.updated_at], every);
  const cells = useLoad((signal) => workers({ limit: 1, states: true }, signal), [batch.step_uuid, task.updated_at], every);
  const first = useLoad((signal) => Promise.all(FIRST.map((state) => workers({ limit: PAGE / 2, state }, signal))).then((pages) => pages.flatMap((one) => one.steps)), [batch.step_uuid, task.updated_at], every);
  const one = useLoad((signal) => (sought ? workers({ limit: 1, cursor: sought - 1 }, signal) : Promise.resolve({ steps: [] })), [batch.step_uuid, sought, task.updated_at], every);
  const of = (n) => `${(100 * n) / Math.max(1, batch.total)}%`;
  let x = 0;
  const parts = Object.keys(COLOURS).map((kind) => {
    const part = [kind, of(x), batch[kind]];
    x += batch[kind];
    return part;
  });
  const states = (cells.data?.states ?? "").slice(0, MOST_CELLS);
  const find = (event) => {
    event.preventDefault();
    const number = Number(text.replace(/^.*_/, "").replace(/\D/g, ""));
    seek(number >= 1 && number <= batch.total ? number : null);
  };
  return html`<section class="panel" data-batch=${batch.step}><h2>${batch.step} <${State} of=${batch.state} /></h2><p>${t.task.batchOf(batch)}</p>
    <svg class="batch" width="100%" height="12" fill="currentcolor" aria-hidden="true">${parts.map(([kind, from, n]) => html`<rect class=${`f-${COLOURS[kind]}`} x=${from} width=${of(n)} height="12" />`)}</svg>
    <${Facts} of=${Object.entries(t.task.batchCounts).map(([kind, label]) => [label, html`<span data-counter=${kind}>${batch[kind].toLocaleString()}</span>`])} />
    ${states && html`<${Mosaic} batch=${batch} states=${states} at=${sought} onPick=${seek} />`}
    <form class="row" data-find onSubmit=${find}><input type="search" class="seek" size="26" name="worker" aria-label=${t.batch.find} placeholder=${t.batch.find} value=${text} onInput=${(event) => set(event.target.value)} /><button>${t.search}</button></form>
    ${sought && html`<div data-sought=${sought}><h3>${t.batch.cell(sought, states)}</h3>${one.data && (one.data.steps.length > 0 ? html`<${Workers} task=${task} label=${t.batch.worker(sought)} of=${one.data.steps} sought=${one.data.steps[0].name} />` : html`<p>${t.batch.notCreated}</p>`)}</div>`}
    ${first.data?.length > 0 && html`<h3>${t.batch.first}</h3><div data-first=${first.data.length}><${Workers} task=${task} label=${t.batch.first} of=${first.data} /></div>`}
    <h3>${t.batch.all}</h3><div data-all><${Loaded} of=${page}>${({ steps, next }) => html`<${Workers} task=${task} label=${batch.step} of=${steps} />
      <div class="row">${cursor && html`<button type="button" onClick=${() => go(null)}>${t.task.firstWorkers}</button>`}${next && html`<button type="button" onClick=${() => go(next)}>${t.task.nextWorkers}</button>`}</div>`}<//></div></section>`;
}
