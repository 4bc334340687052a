// An editor of templates: checks what is typed, and registers it.
import { html, useEffect, useRef, useState } from "../dom.js";
import { call, get, link, may, say } from "../core.js";
import { t } from "../texts.js";
import { ErrorNote, Field, PageHead } from "../ui/index.js";

const BEGINNING = `name: first
namespace_name: default
version: 1.0.0
steps:
  - name: one
    handler:
      callable: my.Handler
`;
const PAUSE = 500;

/** The index of a line and a column, both from 1. */
function indexOf(text, line, column) {
  return text.split("\n").slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
}

export default function Editor({ params }) {
  const from = params.get("from");
  const [text, set] = useState(from ? "" : BEGINNING);
  const [verdict, judge] = useState(null);
  const [error, setError] = useState(null);
  const [registered, setRegistered] = useState(null);
  const area = useRef(null);
  useEffect(() => {
    if (from) get(`v1/templates/${from.split("/").map(encodeURIComponent).join("/")}`).then((found) => set(found.source ?? JSON.stringify(found.configuration, null, 2)), setError);
  }, [from]);
  useEffect(() => {
    const stop = new AbortController();
    judge(null);
    const timer = setTimeout(async () => {
      if (!text.trim()) return;
      try {
        judge(await call("POST", "v1/templates/validate", { body: text, type: "application/yaml", signal: stop.signal }));
        setError(null);
      } catch (refused) {
        if (refused.name !== "AbortError") setError(refused);
      }
    }, PAUSE);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  const show = ({ line, column }) => {
    const index = indexOf(text, line, column);
    area.current.focus();
    area.current.setSelectionRange(index, index + 1);
    area.current.scrollTop = Math.max(0, (line - 5) * parseFloat(getComputedStyle(area.current).lineHeight));
  };
  const register = async () => {
    setError(null);
    try {
      const answer = await call("POST", "v1/templates", { body: text, type: "application/yaml" });
      setRegistered(answer);
      say(t.templates.registeredNow(answer));
    } catch (refused) {
      setError(refused);
    }
  };
  return html`<${PageHead} title=${t.templates.edit} beside=${html`<span class="quiet">${t.templates.editHint}</span>`} />
    <div class="split"><${Field} label=${t.templates.editor}><textarea class="editor" name="template" spellcheck=${false} ref=${area} value=${text} onInput=${(e) => { set(e.target.value); setRegistered(null); }}></textarea><//>
    <div>
      <div class="panel" role="status" aria-live="polite">${verdict === null ? html`<p class="quiet">…</p>` : verdict.valid ? html`<p class="f-complete">${t.templates.valid}</p>`
        : html`<p class="f-failed">${t.templates.problems(verdict.problems.length)}</p><ul>${verdict.problems.map((problem) => html`<li><button type="button" onClick=${() => show(problem)}>${t.templates.at(problem.line, problem.column)}</button>
          <code>${problem.path}</code> ${problem.message}</li>`)}</ul>`}</div>
      ${error && html`<${ErrorNote} error=${error} />`}
      ${registered && html`<div class="note"><p>${t.templates.registeredNow(registered)}</p><ul>${registered.warnings.map((warning) => html`<li>${warning}</li>`)}</ul>
        <a href=${link("templates", registered.namespace, registered.name, { version: registered.version })}>${registered.name}</a></div>`}
      ${may("templates:register") && html`<button type="button" class="main" disabled=${!verdict?.valid} onClick=${register}>${t.templates.register}</button>`}
    </div></div>`;
}
