// What a reader chooses for this browser: zone of times, theme, density, and whether single letters are keys. Nothing else is kept in the browser.
import { share, shared } from "./core.js";

const NAME = "tasker.console";
const DEFAULTS = { zone: "local", letters: true, theme: "system", density: "dense" };

function kept() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(NAME) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const preferences = kept();

const schemes = matchMedia("(prefers-color-scheme: dark)");
const DARK = "pf-v6-theme-dark";

/** Theme and density are classes of the document; charts, which are pictures, are told. */
function show() {
  const root = document.documentElement;
  const isDark = preferences.theme === "dark" || (preferences.theme === "system" && schemes.matches);
  root.classList.toggle("roomy", preferences.density === "roomy");
  if (root.classList.contains(DARK) === isDark) return;
  root.classList.toggle(DARK, isDark);
  dispatchEvent(new Event("themechange"));
}

/** To be called once. */
export function followTheme() {
  show();
  schemes.addEventListener("change", show);
}

/** Takes effect on the page at once; other tabs have it when they are loaded next. A browser that keeps nothing forgets it with the page. */
export function prefer(changes) {
  Object.assign(preferences, changes);
  show();
  try {
    localStorage.setItem(NAME, JSON.stringify(preferences));
  } catch (refused) {
    console.warn(refused);
  }
  share({ preferred: shared.preferred + 1 });
}
