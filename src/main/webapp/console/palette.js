// The palette (Ctrl-K): pages, what can be done on this one, and what a text finds. And the list of keys.
import { html, useState } from "./dom.js";
import { link } from "./core.js";
import { find, UUID } from "./search.js";
import { preferences, prefer } from "./preferences.js";
import { t } from "./texts.js";
import { Dialog } from "./ui/index.js";

const MOST = 12;

function entries(text, pages, actions) {
  const sought = text.trim().toLowerCase();
  const fits = ({ label }) => label.toLowerCase().includes(sought);
  const found = [
    ...pages.map((name) => ({ kind: t.palette.page, label: t.pages[name], run: () => (location.hash = name === "overview" ? "#/" : link(name)) })),
    ...actions.map((button) => ({ kind: t.palette.action, label: button.innerText.trim(), run: () => button.isConnected && button.click() })),
  ].filter(fits).slice(0, MOST);
  const search = { kind: t.palette.find, label: text.trim(), run: () => find(text) };
  if (!sought) return found;
  return UUID.test(text.trim()) || found.length === 0 ? [search, ...found] : [...found, search];
}

export function Palette({ pages, onClose }) {
  const [text, set] = useState("");
  const [at, go] = useState(0);
  // Those of the page below, as it was when the palette opened.
  const [actions] = useState(() => [...document.querySelectorAll("main .actions button, main a.button")].filter((button) => !button.disabled));
  const found = entries(text, pages, actions);
  const take = (entry) => {
    onClose();
    // The dialog gives the focus back first.
    setTimeout(() => entry?.run());
  };
  const onKey = (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      go((at + step + found.length) % Math.max(1, found.length));
    }
  };
  return html`<${Dialog} title=${t.palette.title} onClose=${onClose}><form onSubmit=${(event) => { event.preventDefault(); take(found[at]); }}>
    <input name="palette" type="text" role="combobox" aria-label=${t.palette.title} aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" aria-activedescendant=${found[at] ? `palette-${at}` : undefined} autocomplete="off"
      value=${text} onKeyDown=${onKey} onInput=${(event) => { set(event.target.value); go(0); }} />
    <ul id="palette-list" class="palette" role="listbox" aria-label=${t.palette.title}>${found.map((entry, i) => html`<li id=${`palette-${i}`} key=${`${entry.kind} ${entry.label}`} role="option" aria-selected=${i === at ? "true" : "false"}
      onClick=${() => take(entry)}><span class="quiet small">${entry.kind}</span> ${entry.label}</li>`)}</ul></form><//>`;
}

/** Every key, and the switch for those of one letter. pages: {letter: name}. */
export function KeyHelp({ pages, onClose }) {
  const rows = [...Object.entries(t.keys), ...Object.entries(pages).map(([letter, name]) => [`g ${letter}`, t.pages[name]])];
  return html`<${Dialog} title=${t.keysTitle} isBroad onClose=${onClose}>
    <label><input type="checkbox" name="letters" checked=${preferences.letters} onChange=${(event) => prefer({ letters: event.target.checked })} /> ${t.keysLetters}</label>
    <div class="keys">${rows.map(([key, what]) => html`<div class="row" key=${key}><kbd>${key}</kbd> <span>${what}</span></div>`)}</div>
    <div class="row"><button type="button" onClick=${onClose}>${t.close}</button></div><//>`;
}
