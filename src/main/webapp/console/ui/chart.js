// Lines over time, drawn by uPlot, which is loaded when the first chart is. The table below has the same numbers, for everyone.
import { html, useEffect, useRef } from "../dom.js";
import { t } from "../texts.js";
import { zone } from "../time.js";
import { Fold, Table, Time } from "./index.js";

const HEIGHT = 160;
/** Lines differ by their dashes as well as by their colours. */
const DASHES = [[], [6, 4], [2, 3]];

/** Only a value without neighbours is drawn as a point; others are a line. */
const alone = (plot, at) => plot.data[at].map((value, i, all) => (value !== null && value !== undefined && (all[i - 1] ?? null) === null && (all[i + 1] ?? null) === null ? i : -1)).filter((i) => i >= 0);

let loading;

/** uPlot comes as a script that defines a global name; its module of the same version is three times as large. */
function loadPlot() {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = new URL("../vendor/uplot.js", import.meta.url).href;
    script.onload = () => resolve(globalThis.uPlot);
    script.onerror = () => {
      loading = undefined;
      reject(new Error(script.src));
    };
    document.head.append(script);
  });
  return loading;
}

/** times: texts; series: [{label, values, colour: the name of a custom property, unit?}] */
export function Chart({ label, times, series }) {
  const place = useRef(null);
  const plot = useRef(null);
  const shape = series.map((line) => line.label).join();
  const data = [times.map((at) => new Date(at).getTime() / 1000), ...series.map((line) => line.values)];
  const latest = useRef(data);
  latest.current = data;
  useEffect(() => {
    let isGone = false;
    const draw = async () => {
      const Plot = await loadPlot().catch(() => null);
      if (isGone || !Plot || !place.current) return;
      plot.current?.destroy();
      const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", timeZone: zone() });
      const font = `12px ${getComputedStyle(document.body).fontFamily}`;
      const unit = series[0].unit ?? "";
      const axis = { font, stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 } };
      plot.current = new Plot({
        width: Math.max(200, place.current.clientWidth), height: HEIGHT, legend: { show: false }, cursor: { show: false },
        axes: [{ ...axis, values: (_, at) => at.map((seconds) => clock.format(seconds * 1000)) }, { ...axis, size: 56, values: (_, at) => at.map((value) => `${value.toLocaleString()}${unit}`) }], scales: { y: { range: (_, least, most) => [0, Math.max(1e-3, most * 1.1)] } },
        series: [{}, ...series.map((line, i) => ({ label: line.label, stroke: colour(line.colour), width: 2, dash: DASHES[i % DASHES.length], spanGaps: false, points: { size: 4, filter: alone } }))],
      }, latest.current, place.current);
    };
    draw();
    const resized = new ResizeObserver(() => plot.current && plot.current.setSize({ width: Math.max(200, place.current.clientWidth), height: HEIGHT }));
    resized.observe(place.current);
    addEventListener("themechange", draw);
    return () => {
      isGone = true;
      resized.disconnect();
      removeEventListener("themechange", draw);
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape]);
  useEffect(() => plot.current?.setData(data), [JSON.stringify(data)]);
  const number = (value, line) => (value === null || value === undefined ? "–" : `${Number(value).toLocaleString(undefined, { maximumFractionDigits: 3 })}${line.unit ?? ""}`);
  return html`<figure class="chart"><figcaption class="row"><b>${label}</b> <span class="row end small">${series.map((line, i) => html`<span class="key" key=${line.label}><svg aria-hidden="true" width="26" height="8"><line x1="0" y1="4" x2="26" y2="4" stroke-width="2" stroke=${`var(${line.colour})`} stroke-dasharray=${DASHES[i % DASHES.length].join(" ")} /></svg> ${line.label}</span>`)}</span></figcaption>
    <div class="plot" ref=${place} aria-hidden="true"></div>
    <${Fold} summary=${t.chart.numbers(label)}>${() => html`<${Table} label=${label} head=${[t.chart.minute, ...series.map((line) => line.label)]}>${times.map((at, i) => html`<tr key=${at}><td><${Time} at=${at} /></td>${series.map((line) => html`<td>${number(line.values[i], line)}</td>`)}</tr>`).reverse()}<//>`}<//></figure>`;
}
