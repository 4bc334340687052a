// A cron expression in words; one that has none, such as a step within a range, stays an expression.
import { t } from "./texts.js";

const MACROS = { "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *", "@monthly": "0 0 1 * *", "@weekly": "0 0 * * 0", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@hourly": "0 * * * *" };
const MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"];
const DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];
const MOST_TIMES = 4;

const two = (n) => String(n).padStart(2, "0");

/** The numbers of a list of numbers, names and ranges; null for anything else. */
function listed(text, least, most, names = []) {
  const number = (word) => (names.includes(word.toUpperCase()) ? names.indexOf(word.toUpperCase()) + (least === 1 ? 1 : 0) : /^\d+$/.test(word) ? Number(word) : NaN);
  const found = [];
  for (const part of text.split(",")) {
    const [from, to = from] = part.split("-").map(number);
    if (!(from >= least && to <= most && from <= to)) return null;
    for (let n = from; n <= to; n++) found.push(n);
  }
  return [...new Set(found)].sort((a, b) => a - b);
}

const step = (text) => (/^\*\/\d+$/.test(text) ? Number(text.slice(2)) : null);

function timesOf(minute, hour) {
  if (hour === "*" || step(hour)) {
    const every = step(hour);
    if (minute === "*") return every ? null : t.cron.everyMinute;
    if (step(minute)) return every ? null : t.cron.everyMinutes(step(minute));
    const minutes = listed(minute, 0, 59);
    return minutes?.length === 1 ? (every ? t.cron.everyHours(every, minutes[0]) : t.cron.everyHour(minutes[0])) : null;
  }
  const hours = listed(hour, 0, 23);
  const minutes = listed(minute, 0, 59);
  if (!hours || !minutes || hours.length * minutes.length > MOST_TIMES) return null;
  return t.cron.at(hours.flatMap((h) => minutes.map((m) => `${two(h)}:${two(m)}`)));
}

function daysOf(day, week) {
  const dates = day === "*" ? [] : listed(day, 1, 31);
  const weekdays = week === "*" ? [] : listed(week, 0, 7, DAYS)?.map((n) => n % 7);
  if (!dates || !weekdays) return null;
  const named = [...new Set(weekdays)].sort((a, b) => a - b);
  const words = [
    ...(dates.length > 0 ? [t.cron.dates(dates)] : []),
    ...(named.length > 0 ? [named.join() === "1,2,3,4,5" ? t.cron.weekdays : named.join() === "0,6" ? t.cron.weekend : t.cron.days(named)] : []),
  ];
  // Either of the two suffices.
  return words.length === 0 ? t.cron.everyDay : words.join(t.cron.or);
}

/** Such as "every weekday at 06:00"; null where there are no words for it. */
export function inWords(expression) {
  const fields = (MACROS[expression.trim().toLowerCase()] ?? expression).trim().split(/\s+/);
  if (fields.length !== 5) return null;
  const [minute, hour, day, month, week] = fields;
  const times = timesOf(minute, hour);
  const days = daysOf(day, week);
  const months = month === "*" ? [] : listed(month, 1, 12, MONTHS);
  if (!times || !days || !months) return null;
  const isAlways = day === "*" && week === "*" && (hour === "*" || step(hour));
  return [isAlways ? times : `${days} ${times}`, ...(months.length > 0 ? [t.cron.months(months)] : [])].join(" ");
}
