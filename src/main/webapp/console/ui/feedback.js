// What is loading, what went wrong, and how current the page is.
import { html, useEffect, useErrorBoundary, useState } from "../dom.js";
import { useClock, useShared } from "../core.js";
import { t } from "../texts.js";
import { clockTime, withTimes } from "../time.js";

const TOAST_MS = 5_000;

export function ErrorNote({ error, onRetry }) {
  if (error.status === 0 || error.status === 401) return null; // The banner and the sign-in dialog say it.
  const foreign = error.problem?.foreign;
  const sentence = foreign !== undefined ? t.error.foreign(error.status) : error.status === 403 ? t.error.forbidden : error.status === 404 ? t.error.missing : error.problem?.title;
  return html`<div class="note bad" role="alert"><strong>${sentence}</strong> ${foreign === undefined && withTimes(error.message)}
    <${Violations} error=${error} />
    ${foreign !== undefined ? html`<details data-foreign><summary class="small">${t.error.details}</summary><pre tabindex="0" role="region" aria-label=${t.error.details}>${foreign}</pre></details>`
      : error.problem?.code && html` <span class="small">${t.error.code}: <code>${error.problem.code}</code></span>`}
    ${onRetry && html` <button type="button" onClick=${onRetry}>${t.retry}</button>`}</div>`;
}

export const Violations = ({ error }) => error.problem?.violations?.length > 0 && html`<ul>${error.problem.violations.map((v) => html`<li><code>${v.field}</code> ${withTimes(String(v.message))}</li>`)}</ul>`;

/** What is being loaded, in about the height that it will have. */
export const Skeleton = ({ rows = 4 }) => html`<div class="skeleton"><span class="quiet unseen">${t.loading}</span>${Array.from({ length: rows }, (_, i) => html`<i key=${i} class="pf-v6-c-skeleton" aria-hidden="true"></i>`)}</div>`;

/** What was loaded; before that a word, after a refusal why. */
export function Loaded({ of, children }) {
  const [patient, set] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => set(true), 150);
    return () => clearTimeout(timer);
  }, []);
  return html`${of.error && html`<${ErrorNote} error=${of.error} onRetry=${of.reload} />`}
    ${of.data ? children(of.data) : !of.error && patient && html`<${Skeleton} />`}`;
}

/** A part of a page that cannot be drawn does not take the page along. */
export function Guard({ children }) {
  const [error, reset] = useErrorBoundary((fault) => console.error(fault));
  return error ? html`<div class="note bad" role="alert">${t.error.broken} <button type="button" onClick=${reset}>${t.retry}</button></div>` : children;
}

/** How current the page is: what useStream returned. */
export function Live({ of: { state, since, rate } }) {
  useClock();
  return html`<span class=${`small ${["offline", "summary"].includes(state) ? "f-retry" : "quiet"}`} role="status" data-live=${state} data-rate=${rate}>● ${state === "offline" ? t.live.offline(clockTime(since)) : t.live[state]}</span>`;
}


/** What was done, said for some seconds where it is in nobody's way; screen readers are told by the status line. */
export function Toast({ text, at }) {
  const [shown, show] = useState(null);
  useEffect(() => {
    if (!text) return undefined;
    show(text);
    const timer = setTimeout(() => show(null), TOAST_MS);
    return () => clearTimeout(timer);
  }, [text, at]);
  return shown && html`<div class="toast" aria-hidden="true">${shown}</div>`;
}

/** The line about a server that does not answer. */
export function Banner() {
  const { offlineSince } = useShared("offlineSince");
  return offlineSince && html`<div class="note warn" role="alert">${t.error.offline(clockTime(offlineSince))}</div>`;
}
