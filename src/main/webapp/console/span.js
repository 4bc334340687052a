// The length of a time, in one form for the whole console.

const UNITS = [[86_400, "d"], [3_600, "h"], [60, "min"], [1, "s"]];
/** Shorter ones have a tenth of a second. */
const WITH_TENTHS_MS = 9_950;

/** In the two largest units, without a second one that is zero: 850 ms, 2.2 s, 59 s, 1 min 5 s, 3 h, 2 d 4 h. */
export function span(ms) {
  const whole = Math.max(0, Math.round(ms));
  if (whole < 1000) return `${whole} ms`;
  if (whole < WITH_TENTHS_MS) return `${(whole / 1000).toFixed(1)} s`;
  const seconds = Math.round(whole / 1000);
  const at = UNITS.findIndex(([size]) => seconds >= size);
  const [size, unit] = UNITS[at];
  const [smaller, name] = UNITS[at + 1] ?? [1, ""];
  const rest = Math.floor((seconds % size) / smaller);
  return `${Math.floor(seconds / size)} ${unit}${rest > 0 ? ` ${rest} ${name}` : ""}`;
}
