// The last hour by minute: what was submitted and how it ended, and how long steps took.
import { html } from "./dom.js";
import { get, useLoad } from "./core.js";
import { Chart } from "./ui/chart.js";
import { t } from "./texts.js";
import { Loaded, Panel } from "./ui/index.js";

const EVERY = 30_000;

/** To be loaded once for figures and charts of one page. */
export const useTimeline = (namespace) => useLoad((signal) => get("v1/analytics/timeline", { minutes: 60, namespace }, signal), [namespace], EVERY);

/** timeline: what useTimeline returned. */
export function Activity({ timeline }) {
  const line = (minutes, label, member, colour, unit) => ({ label, colour, unit, values: minutes.map((minute) => minute[member]) });
  return html`<${Loaded} of=${timeline}>${({ minutes }) => {
    const times = minutes.map((minute) => minute.minute);
    return html`<${Panel}><${Chart} label=${t.chart.tasks} times=${times} series=${[line(minutes, t.chart.created, "created", "--s-running"), line(minutes, t.overview.completed, "completed", "--s-complete"), line(minutes, t.overview.failed, "failed", "--s-failed")]} /><//>
      <${Panel}><${Chart} label=${t.chart.steps} times=${times} series=${[line(minutes, t.analytics.mean, "average_step_seconds", "--s-running", " s"), line(minutes, t.analytics.most, "most_step_seconds", "--s-retry", " s")]} /><//>`;
  }}<//>`;
}
