// The axis of a timeline: stretches in which nothing is done are folded, so that what was done keeps its width.

/** A stretch that is a larger part of the whole is folded, to this many hundredths of the width. */
const LEAST_PART = 0.1;
const FOLDED = 4;
const MOST_FOLDS = 8;

/** The stretches within [begin, end] in which none of the intervals [[from, to]] is, that are long enough: [{from, to}]. None while there is nothing to make room for. */
export function gaps(intervals, begin, end) {
  if (intervals.length === 0) return [];
  const found = [];
  let at = begin;
  for (const [from, to] of [...intervals, [end, end]].sort((a, b) => a[0] - b[0])) {
    if (from - at > LEAST_PART * (end - begin)) found.push({ from: at, to: from });
    at = Math.max(at, to);
  }
  return found.sort((a, b) => b.to - b.from - (a.to - a.from)).slice(0, MOST_FOLDS).sort((a, b) => a.from - b.from);
}

/** The place of a time in hundredths of the width, with these stretches folded. */
export function scale(folds, begin, end) {
  const folded = folds.reduce((sum, fold) => sum + fold.to - fold.from, 0);
  const perMs = (100 - FOLDED * folds.length) / Math.max(1, end - begin - folded);
  return (at) => {
    let x = (at - begin) * perMs;
    for (const fold of folds) {
      if (at <= fold.from) break;
      const part = Math.min(at, fold.to) - fold.from;
      x += (FOLDED * part) / (fold.to - fold.from) - part * perMs;
    }
    return x;
  };
}
