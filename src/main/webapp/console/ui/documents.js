// Documents and other long texts, which are never markup.
import { html, useState } from "../dom.js";
import { t } from "../texts.js";

const PREVIEW = 16_384;
const LEAST_SEARCHED = 400;
const MOST_HITS = 50;
export const size = (n) => (n < 1024 ? `${n} B` : n < 1_048_576 ? `${(n / 1024).toFixed(1)} KiB` : `${(n / 1_048_576).toFixed(1)} MiB`);

const utf8 = new TextEncoder();
/** A Blob would have it too, which another process of the browser keeps: half a millisecond each. */
const bytesOf = (text) => utf8.encode(text).length;

export function Copy({ text, label = t.copy }) {
  const [done, set] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(text);
    set(true);
    setTimeout(() => set(false), 1500);
  };
  return html`<button type="button" class="plain" onClick=${copy}>${done ? t.copied : label}</button>`;
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
    return html`${indent}${key && html`<span class="f-running">${key}</span>`}${/["']/.test(value) ? html`<span class="f-complete">${value}</span>` : value}${comment && html`<span class="quiet">${comment[0]}</span>`}${"\n"}`;
  });
}

/** What stands below a line that opens it, and is made when it is opened; children: a function that does. */
export function Fold({ summary, children }) {
  const [isWanted, want] = useState(false);
  return html`<details onToggle=${() => want(true)}><summary class="small">${summary}</summary>${isWanted && children()}</details>`;
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
    <div class="row"><span class="quiet small">${size(bytesOf(text))}</span><${Copy} text=${text} />
      <button type="button" class="plain" onClick=${() => download(text, name)}>${t.download}</button>
      ${text.length > LEAST_SEARCHED && html`<input type="search" class="seek" aria-label=${`${t.search}: ${label ?? name}`} placeholder=${t.search} value=${sought} onInput=${(e) => seek(e.target.value)} />`}</div>
    ${needle && html`<div class="small" role="status">${t.hits(hits.length)}</div><ol class="hits">${hits.slice(0, MOST_HITS).map(([n, line]) => html`<li value=${n}><code>${line.trim().slice(0, 300)}</code></li>`)}</ol>`}
    <pre tabindex="0" role="region" aria-label=${label ?? name}>${isLong && !all ? `${text.slice(0, PREVIEW)} …` : isYaml ? highlighted(text) : text}</pre>
    ${isLong && !all && html`<button type="button" onClick=${() => set(true)}>${t.showAll(size(text.length))}</button>`}
  </div>`;
}

export const Json = ({ value, name = "document", label }) => html`<${Text} text=${JSON.stringify(value, null, 2) ?? "null"} name=${`${name}.json`} label=${label ?? name} />`;
