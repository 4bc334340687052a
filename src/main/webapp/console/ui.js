// Parts that several pages use.
import { html, useEffect, useErrorBoundary, useRef, useState } from "./dom.js";
import { newKey, Refusal, say, useClock, useShared } from "./core.js";
import { span } from "./span.js";
import { t } from "./texts.js";
import { clockTime, otherStamp, stamp } from "./time.js";

// ---- States

const FAMILIES = {
  waiting: ["○", ["pending", "initializing", "waiting_for_dependencies", "open", "queued"]],
  offered: ["◌", ["enqueued", "enqueuing_steps"]],
  running: ["▶", ["in_progress", "in_flight", "steps_in_process", "running", "evaluating_results", "enqueued_for_orchestration", "enqueued_as_error_for_orchestration"]],
  retry: ["↻", ["waiting_for_retry", "degraded", "draining", "paused", "failing"]],
  complete: ["✓", ["complete", "healthy", "active", "approved", "started", "delivered"]],
  blocked: ["▲", ["blocked_by_failures"]],
  failed: ["✕", ["error", "lost", "rejected", "expired", "failed", "missed", "dead"]],
  resolved: ["☑", ["resolved_manually"]],
  cancelled: ["⊘", ["cancelled", "stopped", "skipped", "discarded"]],
  untaken: ["–", ["not_taken", "planned"]],
};
const FAMILY_OF = Object.fromEntries(Object.entries(FAMILIES).flatMap(([family, [, states]]) => states.map((state) => [state, family])));

export const TASK_STATES = ["pending", "initializing", "enqueuing_steps", "steps_in_process", "evaluating_results", "waiting_for_dependencies",
  "waiting_for_retry", "blocked_by_failures", "complete", "error", "cancelled", "resolved_manually"];
export const ENDED = new Set(["complete", "error", "cancelled", "resolved_manually"]);

/** The family of a state; one that this version does not know is shown as it is. */
export const family = (state) => FAMILY_OF[state] ?? "other";
export const glyph = (state) => FAMILIES[family(state)]?.[0] ?? "◇";
export const words = (state) => String(state).replaceAll("_", " ");

export const State = ({ of }) => html`<span class=${`state f-${family(of)}`}><span aria-hidden="true">${glyph(of)}</span>${words(of)}</span>`;

// ---- Times

/** In the zone that the reader chose, the other one under the pointer. */
export const Time = ({ at }) => (at ? html`<time datetime=${at} title=${otherStamp(at)}>${stamp(at)}</time>` : html`<span class="quiet">–</span>`);

export { span };

export function Ago({ at }) {
  const now = useClock();
  if (!at) return html`<span class="quiet">–</span>`;
  const ms = now - new Date(at);
  return html`<time datetime=${at} title=${`${stamp(at)} · ${otherStamp(at)}`}>${ms >= -500 ? t.ago(span(ms)) : t.soon(span(-ms))}</time>`;
}

// ---- Documents

const PREVIEW = 16_384;
const LEAST_SEARCHED = 400;
const MOST_HITS = 50;
export const size = (n) => (n < 1024 ? `${n} B` : n < 1_048_576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1_048_576).toFixed(1)} MiB`);

export function Copy({ text, label = t.copy }) {
  const [done, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return html`<button type="button" onClick=${copy}>${done ? t.copied : label}</button>`;
}

/** text: one, or an array of its parts. */
export function download(text, name) {
  const url = URL.createObjectURL(new Blob([text].flat(), { type: "application/json" }));
  Object.assign(document.createElement("a"), { href: url, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

/** Keys, comments and strings of YAML told apart, line by line; what is not recognised stays as it is. */
function highlighted(text) {
  return text.split("\n").map((line) => {
    const [, indent, key, rest] = /^(\s*(?:- )*)((?:"[^"]*"|'[^']*'|[\w.$/-]+)(?=\s*:(?:\s|$)))?(.*)$/.exec(line) ?? [null, "", undefined, line];
    const comment = /(^|\s)#.*$/.exec(rest);
    const value = comment ? rest.slice(0, comment.index) : rest;
    return html`${indent}${key && html`<span class="y-key">${key}</span>`}${/["']/.test(value) ? html`<span class="y-text">${value}</span>` : value}${comment && html`<span class="y-comment">${comment[0]}</span>`}${"\n"}`;
  });
}

/** Text that may be long: the beginning, all on demand, copy and download. Never markup. */
export function Text({ text, name, label, isYaml, isWhole = false }) {
  const [all, set] = useState(isWhole);
  const [sought, seek] = useState("");
  const isLong = text.length > PREVIEW;
  const needle = sought.trim().toLowerCase();
  // The whole document is searched, also what is not shown.
  const hits = needle ? text.split("\n").map((line, i) => [i + 1, line]).filter(([, line]) => line.toLowerCase().includes(needle)) : [];
  return html`<div>
    <div class="row"><span class="quiet small">${size(new Blob([text]).size)}</span><${Copy} text=${text} />
      <button type="button" onClick=${() => download(text, name)}>${t.download}</button>
      ${text.length > LEAST_SEARCHED && html`<input type="search" class="seek" aria-label=${`${t.search}: ${label ?? name}`} placeholder=${t.search} value=${sought} onInput=${(e) => seek(e.target.value)} />`}</div>
    ${needle && html`<div class="small" role="status">${t.hits(hits.length)}</div><ol class="hits">${hits.slice(0, MOST_HITS).map(([n, line]) => html`<li value=${n}><code>${line.trim().slice(0, 300)}</code></li>`)}</ol>`}
    <pre tabindex="0" role="region" aria-label=${label ?? name}>${isLong && !all ? `${text.slice(0, PREVIEW)} …` : isYaml ? highlighted(text) : text}</pre>
    ${isLong && !all && html`<button type="button" onClick=${() => set(true)}>${t.showAll(size(text.length))}</button>`}
  </div>`;
}

export const Json = ({ value, name = "document", label }) => html`<${Text} text=${JSON.stringify(value, null, 2) ?? "null"} name=${`${name}.json`} label=${label ?? name} />`;

// ---- Loading and errors

export function ErrorNote({ error, onRetry }) {
  if (error.status === 0 || error.status === 401) return null; // The banner and the sign-in dialog say it.
  const foreign = error.problem?.foreign;
  const sentence = foreign !== undefined ? t.error.foreign(error.status) : error.status === 403 ? t.error.forbidden : error.status === 404 ? t.error.missing : error.problem?.title;
  return html`<div class="note bad" role="alert"><strong>${sentence}</strong> ${foreign === undefined && error.message}
    <${Violations} error=${error} />
    ${foreign !== undefined ? html`<details data-foreign><summary class="small">${t.error.details}</summary><pre tabindex="0" role="region" aria-label=${t.error.details}>${foreign}</pre></details>`
      : error.problem?.code && html` <span class="small">${t.error.code}: <code>${error.problem.code}</code></span>`}
    ${onRetry && html` <button type="button" onClick=${onRetry}>${t.retry}</button>`}</div>`;
}

export const Violations = ({ error }) => error.problem?.violations?.length > 0 && html`<ul>${error.problem.violations.map((v) => html`<li><code>${v.field}</code> ${v.message}</li>`)}</ul>`;

/** What was loaded; before that a word, after a refusal why. */
export function Loaded({ of, children }) {
  const [patient, set] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => set(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return html`${of.error && html`<${ErrorNote} error=${of.error} onRetry=${of.reload} />`}
    ${of.data ? children(of.data) : !of.error && patient && html`<p class="quiet">${t.loading}</p>`}`;
}

/** A part of a page that cannot be drawn does not take the page along. */
export function Guard({ children }) {
  const [error, reset] = useErrorBoundary((fault) => console.error(fault));
  return error ? html`<div class="note bad" role="alert">${t.error.broken} <button type="button" onClick=${reset}>${t.retry}</button></div>` : children;
}

export const Panel = ({ title, children }) => html`<section class="panel"><h2>${title}</h2><${Guard}>${children}<//></section>`;

/** How current the page is: what useStream returned. */
export function Live({ of: { state, since, rate } }) {
  useClock();
  return html`<span class=${`small ${["offline", "summary"].includes(state) ? "f-retry" : "quiet"}`} role="status" data-live=${state} data-rate=${rate}>● ${state === "offline" ? t.live.offline(clockTime(since)) : t.live[state]}</span>`;
}

export function Facts({ of }) {
  const shown = of.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return html`<dl class="facts">${shown.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

/** A table that scrolls sideways on narrow screens. */
export const Table = ({ label, head, children }) => html`<div class="wide" tabindex="0" role="region" aria-label=${label}><table>
  <thead><tr>${head.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${children}</tbody></table></div>`;

export const Tabs = ({ label, of, current }) => html`<nav aria-label=${label}><ul class="tabs">${of.map(([key, name, href]) => html`<li key=${key}><a href=${href} aria-current=${key === current ? "page" : undefined}>${name}</a></li>`)}</ul></nav>`;

// ---- Forms

let fields = 0;

export function Field({ label, hint, wrong, children }) {
  const [id] = useState(() => `field-${++fields}`);
  const input = children;
  input.props.id = id;
  if (hint || wrong) input.props["aria-describedby"] = `${id}-hint`;
  if (wrong) input.props["aria-invalid"] = "true";
  return html`<div class="field"><label for=${id}>${label}</label>${input}
    ${(hint || wrong) && html`<div id=${`${id}-hint`}>${hint && html`<span class="hint">${hint}</span>`} ${wrong && html`<span class="wrong">${wrong}</span>`}</div>`}</div>`;
}

/** A modal dialog; Escape and the button close it, and the focus returns to where it was. */
export function Dialog({ title, onClose, children }) {
  const ref = useRef(null);
  const before = useRef(document.activeElement);
  useEffect(() => {
    ref.current.showModal();
    return () => (before.current?.isConnected ? before.current : document.getElementById("main"))?.focus();
  }, []);
  return html`<dialog ref=${ref} aria-label=${title} onClose=${onClose}><h2>${title}</h2>${children}</dialog>`;
}

/** Whether a refused change may have taken effect all the same: its answer was lost. */
const isUnknown = (refused) => refused.status === 0 || refused.status >= 500;

/**
 * Asks for the reason and what else an action needs, sends it, and shows a refusal in its own words. The key of the request is made when the dialog opens:
 * after a lost answer the same request has the same key, so that it takes effect once.
 *
 * confirm: what the button that sends it says; keep: what the other one says. fields: [{name, label, hint?, kind?: text|area|check|number, value?}]; send(values, key) makes the request. now: what is true of the object, in words;
 * after a conflict the dialog shows it, loaded anew by onConflict, and offers to look at it instead of sending again.
 */
export function ActionDialog({ title, confirm = title, keep = t.action.keep, sentence, fields: asked = [], withReason = true, isDangerous, send, now, onConflict, onClose, onDone }) {
  const [values, set] = useState(() => Object.fromEntries(asked.map((field) => [field.name, field.value ?? (field.kind === "check" ? false : "")])));
  const [reason, setReason] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const key = useRef(null);
  key.current ??= newKey();
  // About the object as it was when the dialog opened, whatever moves meanwhile.
  const first = useRef(send);
  const lost = useRef(null);
  const sending = useRef(false);
  const hasConflict = !!now && error?.status === 409;
  const submit = async (event) => {
    event.preventDefault();
    // A double click comes before the button is drawn disabled.
    if (sending.current) return;
    sending.current = true;
    busy(true);
    setError(null);
    const content = JSON.stringify([values, reason.trim()]);
    if (lost.current !== null && lost.current !== content) key.current = newKey();
    try {
      const answer = await first.current({ ...values, reason: reason.trim() }, key.current);
      say(t.done);
      onDone?.(answer);
      onClose();
    } catch (refused) {
      setError(refused instanceof Refusal ? refused : new Refusal(400, { title: refused.message, detail: "" }));
      lost.current = isUnknown(refused) ? content : null;
      if (!isUnknown(refused)) key.current = newKey();
      if (refused.status === 409) onConflict?.();
      sending.current = false;
      busy(false);
    }
  };
  const input = (field) => {
    const update = (event) => set({ ...values, [field.name]: field.kind === "check" ? event.target.checked : event.target.value });
    if (field.kind === "area") return html`<textarea value=${values[field.name]} onInput=${update}></textarea>`;
    if (field.kind === "check") return html`<input type="checkbox" checked=${values[field.name]} onChange=${update} />`;
    if (field.kind === "select") return html`<select value=${values[field.name]} onChange=${update}>${field.options.map((o) => html`<option value=${o}>${o}</option>`)}</select>`;
    return html`<input type=${field.kind ?? "text"} value=${values[field.name]} onInput=${update} required=${field.required} />`;
  };
  return html`<${Dialog} title=${title} onClose=${onClose}><form onSubmit=${submit}>
    <p>${sentence}</p>
    ${asked.map((field) => html`<${Field} key=${field.name} label=${field.label} hint=${field.hint}>${input(field)}<//>`)}
    ${withReason && html`<${Field} label=${t.reason}><input required maxlength="1000" name="reason" value=${reason} onInput=${(e) => setReason(e.target.value)} /><//>`}
    ${error && html`<${ErrorNote} error=${error} />`}
    ${lost.current !== null && !isBusy && html`<p class="note warn" role="alert" data-lost>${t.action.lost}</p>`}
    ${hasConflict && html`<p class="note warn" role="alert" data-now>${t.action.now} <strong>${now}</strong></p>`}
    <div class="row">${hasConflict ? html`<button type="button" class="main" onClick=${onClose}>${t.action.look}</button>`
      : html`<button class=${isDangerous ? "danger" : "main"} disabled=${isBusy}>${lost.current !== null && !isBusy ? t.action.again : confirm}</button>`}<button type="button" onClick=${onClose}>${keep}</button></div>
  </form><//>`;
}

/**
 * A button that opens its dialog; absent for a caller who may not. The open dialog stays when the action is not offered any more. of: what is acted on, as its
 * reader calls it, for the title; kind: what it is, for the button that does it.
 */
export function Action({ label, of, kind, isAllowed = true, isOffered = true, ...dialog }) {
  const [isOpen, set] = useState(false);
  return isAllowed && html`${isOffered && html`<button type="button" class=${dialog.isDangerous ? "danger" : ""} onClick=${() => set(true)}>${label}</button>`}
    ${isOpen && html`<${ActionDialog} title=${of ? t.action.ask(label, of) : label} confirm=${kind ? t.action.does(label, kind) : label} ...${dialog} onClose=${() => set(false)} />`}`;
}

/** What only the answer that made it has: a password, a key, a secret. Without a text there is none to show. */
export const Secret = ({ sentence, text, onClose }) => html`<div class="note warn" role="status">${sentence} ${text && html`<${Copy} text=${text} />`} ${onClose && html`<button type="button" onClick=${onClose}>${t.close}</button>`}</div>`;

/** The line about a server that does not answer. */
export function Banner() {
  const { offlineSince } = useShared();
  return offlineSince && html`<div class="note warn" role="alert">${t.error.offline(clockTime(offlineSince))}</div>`;
}
