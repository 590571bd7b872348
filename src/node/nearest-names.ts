/**
 * Up to three of `names` that somebody who typed `word` may have meant, nearest first: equal but for case and
 * separators, containing it, or a few keystrokes away.
 */
export function nearestNames(word: string, names: Iterable<string>): readonly string[] {
  const typed = plain(word);
  if (typed === '') return [];
  const limit = Math.max(1, Math.floor(typed.length / 3));
  const near: { name: string; distance: number }[] = [];
  for (const name of new Set(names)) {
    const candidate = plain(name);
    const contains =
      typed.length > 2 && (candidate.includes(typed) || typed.includes(candidate)) && candidate.length > 2;
    const distance = candidate === typed ? 0 : contains ? 1 : editDistance(typed, candidate, limit);
    if (distance <= limit) near.push({ name, distance });
  }
  return near
    .sort((a, b) => a.distance - b.distance || a.name.length - b.name.length || (a.name < b.name ? -1 : 1))
    .slice(0, 3)
    .map(({ name }) => name);
}

/** `; did you mean a or b?`, or nothing. */
export function didYouMean(word: string, names: Iterable<string>): string {
  const near = nearestNames(word, names);
  return near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
}

const plain = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

/** Insertions, deletions, substitutions and swaps of neighbours; anything above `limit` counts as `limit + 1`. */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) > limit) return limit + 1;
  let before: number[] = [];
  let above = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let best = Math.min((above[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (above[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, (before[j - 2] ?? 0) + 1);
      row.push(best);
    }
    before = above;
    above = row;
  }
  return Math.min(above[b.length] ?? limit + 1, limit + 1);
}
