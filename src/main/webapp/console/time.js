// Times in one form, each with its zone: the reader's, or UTC for all.
import { preferences } from "./preferences.js";

const UTC = "UTC";
const DAY = { year: "numeric", month: "short", day: "numeric" };
const CLOCK = { hour: "2-digit", minute: "2-digit", second: "2-digit", timeZoneName: "short" };
const DAY_AND_CLOCK = { ...DAY, hour: "2-digit", minute: "2-digit", second: "2-digit" };
const formats = new Map();

function format(parts, timeZone) {
  const key = `${Object.keys(parts).join()} ${timeZone}`;
  if (!formats.has(key)) formats.set(key, new Intl.DateTimeFormat(undefined, { ...parts, hourCycle: "h23", timeZone }));
  return formats.get(key);
}

export const isUtc = () => preferences.zone === "utc";
/** The zone in which times are shown; undefined is the reader's. */
export const zone = () => (isUtc() ? UTC : undefined);
const LOCAL = Intl.DateTimeFormat().resolvedOptions().timeZone;
/** Its name, such as Europe/Berlin. */
export const zoneName = () => (isUtc() ? UTC : LOCAL);

export const stamp = (at, timeZone = zone()) => format({ ...DAY, ...CLOCK }, timeZone).format(new Date(at));
/** In a zone that is named, with its name and no other. */
export const stampThere = (at, timeZone) => `${format(DAY_AND_CLOCK, timeZone).format(new Date(at))} ${timeZone}`;
export const clockTime = (at) => format(CLOCK, zone()).format(new Date(at));
/** The same time in the zone that is not shown, for the pointer. */
export const otherStamp = (at) => (isUtc() ? stamp(at, LOCAL) : new Date(at).toISOString().replace("T", " ").replace("Z", " UTC"));

/** datetime-local has no zone: the one in which times are shown is meant, and requests have UTC. */
export const toInput = (at) => (at ? new Date(new Date(at) - (isUtc() ? 0 : new Date(at).getTimezoneOffset() * 60_000)).toISOString().slice(0, 16) : "");
export const fromInput = (text) => (text ? new Date(isUtc() ? `${text}Z` : text).toISOString() : null);

const WRITTEN = /\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d(?::?\d\d)?)/g;

/** A sentence of the server, with its times in the zone that is shown. */
export const withTimes = (sentence) => sentence.replace(WRITTEN, (text) => {
  const at = new Date(text.replace(" ", "T").replace(/([+-]\d\d)$/, "$1:00"));
  return Number.isNaN(at.getTime()) ? text : stamp(at);
});
