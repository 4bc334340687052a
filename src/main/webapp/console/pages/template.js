// One template: its versions, graph and source, pauses, and a form that submits a task.
import { html, useRef, useState } from "../dom.js";
import { change, get, link, may, query, setParams, shared, useLoad } from "../core.js";
import { Graph, nodesOf } from "../graph.js";
import { t } from "../texts.js";
import { Action, ErrorNote, Facts, Field, Guard, Json, Loaded, PageHead, Panel, span, Table, Tabs, Text, Time, words } from "../ui/index.js";
import { asError, useDocument } from "../schemaform.js";
import { grouped } from "./templates.js";

/** Cells of the table by which two sources are compared; more are shown as replaced. */
const MOST_COMPARED = 4_000_000;

function Submit({ template }) {
  const context = useDocument({ schema: template.configuration.input_schema, source: template.source, pointer: "context", label: t.templates.context });
  const [key, setKey] = useState("");
  const [error, setError] = useState(null);
  const [isBusy, busy] = useState(false);
  const request = useRef(0);
  const submit = async (event) => {
    event.preventDefault();
    busy(true);
    setError(null);
    try {
      const { namespace, name, version } = template;
      const task = await change("POST", "v1/tasks", { namespace, name, version, context: context.read(), initiator: shared.me.name, ...(key ? { idempotency_key: key } : {}) },
        `${shared.me.name}-${Date.now()}-${request.current++}`);
      location.hash = link("tasks", task.task_uuid);
    } catch (refused) {
      setError(asError(refused, t.templates.context));
      busy(false);
    }
  };
  return html`<form class="panel" onSubmit=${submit}><h2>${t.templates.submit}</h2>
    ${!context.hasForm && html`<p class="quiet">${t.templates.noSchema}</p>`}
    ${context.fields(error)}
    <${Field} label=${t.templates.key} hint=${t.templates.keyHint}><input name="idempotency_key" value=${key} onInput=${(e) => setKey(e.target.value)} /><//>
    ${error && html`<${ErrorNote} error=${error} />${error.problem?.task_uuid && html`<p>${t.templates.duplicate(words(error.problem.state))} <a href=${link("tasks", error.problem.task_uuid)}>${t.templates.openDuplicate}</a></p>`}`}
    <button class="main" disabled=${isBusy}>${t.templates.submit}</button></form>`;
}

function Pauses({ template }) {
  const { namespace, name } = template;
  const pauses = useLoad((signal) => get("v1/pauses", {}, signal), [], 15_000);
  const mine = (pauses.data?.pauses ?? []).filter((pause) => pause.namespace === namespace && (pause.name === null || pause.name === name));
  const own = mine.find((pause) => pause.name === name);
  const isAllowed = may("templates:pause", namespace);
  return html`${mine.map((pause) => html`<p class="note warn">${[pause.namespace, pause.name, pause.version].filter(Boolean).join(" / ")}: ${t.templates.pausedBy(pause)}</p>`)}
    ${own ? html`<${Action} label=${t.templates.resume} of=${`${namespace}/${name}`} kind=${t.templates.kind} sentence=${t.templates.resumeSentence} isAllowed=${isAllowed} onDone=${pauses.reload}
        send=${({ reason }, key) => change("DELETE", `v1/pauses${query({ namespace, name, requested_by: shared.me.name, reason })}`, undefined, key)} />`
      : html`<${Action} label=${t.templates.pause} of=${`${namespace}/${name}`} kind=${t.templates.kind} sentence=${t.templates.pauseSentence} isAllowed=${isAllowed} onDone=${pauses.reload}
        send=${({ reason }, key) => change("POST", "v1/pauses", { namespace, name, requested_by: shared.me.name, reason }, key)} />`}`;
}

const textOf = (template) => template.source ?? JSON.stringify(template.configuration, null, 2);

/** Lines that are added, removed or in both: the longest common part, so that a moved line is both. */
function compared(before, after) {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const same = (lines) => lines.map((text) => ({ kind: "same", text }));
  const middle = [];
  if (a.length * b.length > MOST_COMPARED) {
    middle.push(...a.map((text) => ({ kind: "removed", text })), ...b.map((text) => ({ kind: "added", text })));
  } else {
    const width = b.length + 1;
    const common = new Uint16Array((a.length + 1) * width);
    for (let i = a.length - 1; i >= 0; i--) for (let j = b.length - 1; j >= 0; j--) common[i * width + j] = a[i] === b[j] ? common[(i + 1) * width + j + 1] + 1 : Math.max(common[(i + 1) * width + j], common[i * width + j + 1]);
    for (let i = 0, j = 0; i < a.length || j < b.length; ) {
      if (i < a.length && j < b.length && a[i] === b[j]) {
        middle.push({ kind: "same", text: a[i++] });
        j++;
      } else if (j >= b.length || (i < a.length && common[(i + 1) * width + j] >= common[i * width + j + 1])) middle.push({ kind: "removed", text: a[i++] });
      else middle.push({ kind: "added", text: b[j++] });
    }
  }
  return [...same(before.slice(0, start)), ...middle, ...same(before.slice(before.length - end))];
}

/** Unchanged lines that are not near a change are counted and not shown. */
function folded(lines) {
  const near = new Set(lines.flatMap((line, i) => (line.kind === "same" ? [] : [-3, -2, -1, 0, 1, 2, 3].map((d) => i + d))));
  return lines.reduce((shown, line, i) => {
    if (near.has(i)) shown.push(line);
    else if (shown.at(-1)?.kind === "folded") shown.at(-1).lines++;
    else shown.push({ kind: "folded", lines: 1 });
    return shown;
  }, []);
}

function Difference({ template, versions }) {
  const others = versions.filter((one) => one.version !== template.version);
  const [other, set] = useState(others[0]?.version);
  const found = useLoad((signal) => (other ? get(`v1/templates/${[template.namespace, template.name, other].map(encodeURIComponent).join("/")}`, {}, signal) : Promise.resolve(null)), [other]);
  if (others.length === 0) return html`<p>${t.templates.onlyOne}</p>`;
  return html`<${Field} label=${t.templates.compareWith}><select name="other" value=${other} onChange=${(e) => set(e.target.value)}>${others.map((one) => html`<option value=${one.version}>${one.version}</option>`)}</select><//>
    <${Loaded} of=${found}>${(before) => {
      const lines = compared(textOf(before).split("\n"), textOf(template).split("\n"));
      return lines.every((line) => line.kind === "same") ? html`<p>${t.templates.same}</p>`
        : html`<pre class="diff" tabindex="0" role="region" aria-label=${t.templates.difference}>${folded(lines).map((line) => (line.kind === "folded" ? html`<span class="quiet">… ${t.templates.unchanged(line.lines)}${"\n"}</span>`
          : line.kind === "same" ? html`<span>${"  "}${line.text}${"\n"}</span>` : html`<span class=${line.kind === "added" ? "f-complete" : "f-failed"} data-line=${line.kind}><span class="unseen">${t.templates[line.kind]}: </span>${line.kind === "added" ? "+ " : "− "}${line.text}${"\n"}</span>`))}</pre>`;
    }}<//>`;
}

function Version({ template, tab, selected, versions }) {
  const nodes = nodesOf(template.configuration, [], [], false).map((node) => ({ ...node, state: null }));
  const step = template.configuration.steps.find((one) => one.name === selected);
  if (tab === "submit") return html`<${Submit} key=${template.version} template=${template} />`;
  if (tab === "source") return html`<${Text} text=${textOf(template)} name=${`${template.name}-${template.version}.yaml`} label=${t.templates.source} isYaml />`;
  if (tab === "difference") return html`<${Difference} key=${template.version} template=${template} versions=${versions} />`;
  if (tab === "configuration") return html`<${Json} value=${template.configuration} name=${`${template.name}-${template.version}`} label=${t.templates.configuration} />`;
  return html`<div class=${selected ? "split" : ""}><${Graph} label=${t.task.graphOf(template.name)} nodes=${nodes} selected=${selected} onSelect=${(name) => setParams({ step: name })} />
    <aside class="panel">${step ? html`<h2>${step.name}</h2><${Json} value=${step} name=${step.name} />` : html`<p class="quiet">${t.task.select}</p>`}</aside></div>`;
}

/** How long the steps of this version took: those that were executed in the last week. */
function Durations({ template }) {
  const { namespace, name, version } = template;
  const found = useLoad((signal) => get("v1/analytics/bottlenecks", { namespace, name, version, hours: 168, min_executions: 1, limit: 100 }, signal), [namespace, name, version], 60_000);
  return html`<${Loaded} of=${found}>${({ slow_steps: steps }) => steps.length > 0 && html`<${Panel} flat title=${t.templates.durations}><${Table} label=${t.templates.durations} head=${[t.task.step, "p50", "p95", "p99", t.analytics.runs, t.analytics.errors]}>${steps.map((step) => html`<tr key=${step.template_step_uuid} data-durations=${step.step}><td>${step.step}</td>
      ${[step.p50_seconds, step.p95_seconds, step.p99_seconds].map((value) => html`<td>${value !== null && span(1000 * value)}</td>`)}<td>${step.execution_count.toLocaleString()}</td><td>${step.error_count.toLocaleString()}</td></tr>`)}<//><//>`}<//>`;
}

export default function Template({ parts: [, namespace, name, ofAddress], params }) {
  const templates = useLoad((signal) => get("v1/templates", { namespace }, signal), [namespace]);
  const [versions = []] = grouped((templates.data?.templates ?? []).filter((template) => template.namespace === namespace && template.name === name));
  const version = params.get("version") ?? ofAddress ?? versions[0]?.version;
  const template = useLoad((signal) => (version ? get(`v1/templates/${[namespace, name, version].map(encodeURIComponent).join("/")}`, {}, signal) : Promise.resolve(null)), [namespace, name, version]);
  const tabs = ["graph", "source", "difference", "configuration", ...(may("tasks:create", namespace) ? ["submit"] : [])];
  const tab = tabs.includes(params.get("tab")) ? params.get("tab") : tabs[0];
  const chosen = templates.data && versions.length > 0 && html`<div class="row"><select name="version" class="inline" aria-label=${t.templates.versions} value=${version} onChange=${(e) => (ofAddress ? (location.hash = link("templates", namespace, name, { version: e.target.value, tab })) : setParams({ version: e.target.value }))}>${!versions.some((one) => one.version === version) && html`<option value=${version}>${version}</option>`}${versions.map((one) => html`<option value=${one.version}>${one.version}</option>`)}</select>
      ${may("tasks:list", namespace) && html`<a href=${link("tasks", { namespace, name })}>${t.templates.tasks}</a>`}
      ${may("templates:validate", namespace) && html`<a href=${link("templates", "new", { from: `${namespace}/${name}/${version}` })}>${t.templates.editVersion}</a>`}
      ${may("schedules:write", namespace) && may("tasks:create", namespace) && html`<a href=${link("schedules", "new", { namespace, template: name })}>${t.schedules.ofTemplate}</a>`}</div>`;
  return html`<${PageHead} title=${html`${name} <span class="quiet small">${namespace}</span>`} beside=${chosen}>${chosen && may("tasks:create", namespace) && html`<a class="button main" href=${link("templates", namespace, name, { version: params.get("version") ?? ofAddress, tab: "submit" })}>${t.templates.submitNow}</a>`}<//>
    ${templates.data && versions.length === 0 && html`<p>${t.error.missing}</p><p><a href=${link("templates")}>${t.pages.templates}</a></p>`}
    <${Loaded} of=${templates}>${() => versions.length > 0 && html`
      <${Loaded} of=${template}>${(found) => html`<${Guard}><${Pauses} template=${found} />
        <${Facts} of=${[[t.templates.description, found.description], [t.templates.identity, words(found.identity_strategy)], [t.templates.registered, html`<${Time} at=${found.created_at} />`]]} />
        <${Tabs} label=${t.templates.versions} current=${tab} of=${tabs.map((key) => [key, t.templates[key], link("templates", namespace, name, { version: params.get("version") ?? ofAddress, tab: key })])} />
        <${Version} template=${found} tab=${tab} selected=${params.get("step")} versions=${versions} />
        ${tab === "graph" && may("system:analytics_read", namespace) && html`<${Guard}><${Durations} key=${version} template=${found} /><//>`}<//>`}<//>`}<//>`;
}
