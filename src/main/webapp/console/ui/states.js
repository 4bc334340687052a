// States, each with a family that has a sign and a colour, and times.
import { html } from "../dom.js";
import { useClock } from "../core.js";
import { span } from "../span.js";
import { t } from "../texts.js";
import { otherStamp, stamp, withTimes } from "../time.js";

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

/** Of a step whose attempt is over and not settled yet. */
const FINISHING = new Set(["enqueued_for_orchestration", "enqueued_as_error_for_orchestration"]);
const STRETCHES = new Set(["offered", "running", "retry"]);
/** What a timeline calls the time that a step is in a state; null in one of its end. */
export function stretch(state) {
  if (ENDED.has(state)) return null;
  if (FINISHING.has(state)) return "finishing";
  return STRETCHES.has(family(state)) ? family(state) : "waiting";
}

/** The family of a state; one that this version does not know is shown as it is. */
export const family = (state) => FAMILY_OF[state] ?? "other";
export const glyph = (state) => FAMILIES[family(state)]?.[0] ?? "◇";
/** The word of the reader; the one of the engine stands under the pointer. */
export const words = (state) => t.states[state] ?? String(state).replaceAll("_", " ");

export const State = ({ of }) => html`<span class=${`state f-${family(of)}`} title=${String(of)}><span aria-hidden="true">${glyph(of)}</span>${words(of)}</span>`;


/** In the zone that the reader chose, the other one under the pointer. */
export const Time = ({ at }) => (at ? html`<time datetime=${at} title=${otherStamp(at)}>${stamp(at)}</time>` : html`<span class="quiet">–</span>`);

/** What the server or a handler wrote, with its times in the zone that is shown; as it came, under the pointer. */
export function Said({ text }) {
  const shown = withTimes(String(text));
  return shown === text ? html`${text}` : html`<span title=${text}>${shown}</span>`;
}

/** From so many on, seconds tell nothing: 33 min, and not 33 min 12 s. */
const IN_MINUTES_MS = 600_000;
const rough = (ms) => span(ms < IN_MINUTES_MS ? ms : ms - (ms % 60_000));

export function Ago({ at }) {
  const now = useClock();
  if (!at) return html`<span class="quiet">–</span>`;
  const ms = now - new Date(at);
  return html`<time datetime=${at} title=${`${stamp(at)} · ${otherStamp(at)}`}>${ms >= -500 ? t.ago(rough(ms)) : t.soon(rough(-ms))}</time>`;
}
