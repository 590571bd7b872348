import { isDeepStrictEqual } from 'node:util';
import { parse } from 'yaml';

/**
 * A rewritten YAML text with the lines of the text before it wherever they say the same, so that an addition does not
 * lay out anew what a person has written. Falls back to the rewritten text where the two layouts do not mix.
 */
export function keepLines(before: string, rewritten: string): string {
  const eol = before.includes('\r\n') ? '\r\n' : '\n';
  const old = before.split(/\r?\n/);
  const wanted = rewritten.split('\n');
  let next = 0;
  const lines = wanted.map((line, place) => {
    const at = old.findIndex((known, index) => index >= next && squeezed(known) === squeezed(line));
    // What is passed over was changed, unless it is still to come.
    const later = new Set(wanted.slice(place).map(squeezed));
    if (at < 0 || old.slice(next, at).some((passed) => later.has(squeezed(passed)))) return line;
    next = at + 1;
    return old[at] ?? line;
  });
  const mixed = lines.join(eol);
  return meansTheSame(mixed, rewritten) ? mixed : rewritten;
}

const squeezed = (line: string): string => line.replace(/\s+/g, '');

function meansTheSame(a: string, b: string): boolean {
  try {
    return isDeepStrictEqual(parse(a), parse(b));
  } catch {
    return false;
  }
}
