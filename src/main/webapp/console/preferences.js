// What a reader chooses for this browser: the zone of times, and whether single letters are keys. Nothing else is kept in the browser.
import { share } from "./core.js";

const NAME = "tasker.console";
const DEFAULTS = { zone: "local", letters: true };

function kept() {
  try {
    return { ...DEFAULTS, ...JSON.parse(localStorage.getItem(NAME) ?? "{}") };
  } catch {
    return { ...DEFAULTS };
  }
}

export const preferences = kept();

/** Takes effect on the page at once; other tabs have it when they are loaded next. A browser that keeps nothing forgets it with the page. */
export function prefer(changes) {
  Object.assign(preferences, changes);
  try {
    localStorage.setItem(NAME, JSON.stringify(preferences));
  } catch (refused) {
    console.warn(refused);
  }
  share({});
}
