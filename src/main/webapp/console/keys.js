// Keys for everything that is done often. A page adds its own; single letters can be switched off, and none counts while text is entered.
import { useEffect, useRef } from "./dom.js";
import { link, say } from "./core.js";
import { preferences, prefer } from "./preferences.js";
import { t } from "./texts.js";

/** How long "g" waits for its letter. */
const CHORD_MS = 1_500;
const ROWS = "main table tbody tr";
const IN_ROW = "a[href], button, input";

const ofPages = [];

/** Adds keys for as long as the component is there: {key: action}. */
export function useKeys(bindings) {
  const latest = useRef(bindings);
  latest.current = bindings;
  useEffect(() => {
    ofPages.push(latest);
    return () => void ofPages.splice(ofPages.indexOf(latest), 1);
  }, []);
}

const takesText = (element) => element?.closest?.("textarea, select, [contenteditable], input:not([type=checkbox]):not([type=radio]):not([type=button])");
const rows = () => [...document.querySelectorAll(ROWS)].filter((row) => row.querySelector(IN_ROW));
const rowOf = (element) => element?.closest?.(ROWS);

function moveTo(step) {
  const all = rows();
  const at = all.indexOf(rowOf(document.activeElement));
  const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : Math.min(all.length - 1, Math.max(0, at + step))];
  (next?.querySelector("a[href]") ?? next?.querySelector(IN_ROW))?.focus();
  next?.scrollIntoView({ block: "nearest" });
}

const pressFirst = (css) => document.querySelector(css)?.click();
const box = (row) => row?.querySelector("input[data-select]");

let lastSelected = null;

function select() {
  const row = rowOf(document.activeElement);
  box(row)?.click();
  lastSelected = row;
}

function selectRange() {
  const all = rows();
  const [from, to] = [all.indexOf(lastSelected), all.indexOf(rowOf(document.activeElement))].sort((a, b) => a - b);
  if (from >= 0) all.slice(from, to + 1).forEach((row) => !box(row)?.checked && box(row)?.click());
}

/** shown(name) opens help or palette; pages: {letter: name}. */
function actions(shown, pages) {
  return {
    "/": () => document.querySelector("input[name=find]")?.focus(),
    "?": () => shown("help"),
    j: () => moveTo(1), k: () => moveTo(-1), x: select, X: selectRange, "*": () => pressFirst("input[data-select-all]"),
    ".": () => pressFirst("button.new"),
    a: () => document.querySelector("main .actions button")?.focus(),
    z: () => {
      prefer({ zone: preferences.zone === "utc" ? "local" : "utc" });
      say(t.zone[preferences.zone]);
    },
    ...Object.fromEntries([1, 2, 3, 4, 5, 6, 7].map((n) => [String(n), () => document.querySelectorAll("main .tabs a")[n - 1]?.click()])),
    g: () => {
      chord = { until: Date.now() + CHORD_MS, pages };
    },
  };
}

let chord = null;

/** Listens as long as the frame is there. */
export function useGlobalKeys(shown, pages) {
  const latest = useRef();
  latest.current = { shown, pages };
  useEffect(() => {
    const onKey = (event) => {
      const isDialogOpen = !!document.querySelector("dialog[open]");
      if (event.isComposing || event.altKey) return;
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        if (!isDialogOpen) latest.current.shown("palette");
        return;
      }
      if ((event.ctrlKey || event.metaKey) && event.key === "Enter" && isDialogOpen) {
        event.preventDefault();
        [...document.querySelectorAll("dialog[open] form")].at(-1)?.requestSubmit();
        return;
      }
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || isDialogOpen || takesText(event.target) || !preferences.letters) return;
      const target = chord && Date.now() < chord.until ? chord.pages[event.key] : undefined;
      const action = target ? () => (location.hash = target === "overview" ? "#/" : link(target))
        : ofPages.map((bindings) => bindings.current[event.key]).filter(Boolean).at(-1) ?? actions(latest.current.shown, latest.current.pages)[event.key];
      chord = null;
      if (!action) return;
      event.preventDefault();
      action();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
