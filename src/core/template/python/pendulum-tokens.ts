import { refuse } from './refusal.ts';
import { type ClockReading, offsetText, strftime } from './strftime.ts';

/** Pendulum's tokens for `.format()`, in the order in which pendulum itself looks for them. */
const tokens =
  /\[([^[]*)\]|\\(.)|(Mo|MM?M?M?|Do|DDDo|DD?D?D?|ddd?d?|do?|eo?|E{1,4}|w[o|w]?|W[o|W]?|Qo?|YYYY|YY|Y|gg(?:ggg?)?|GG(?:GGG?)?|a|A|hh?|HH?|kk?|mm?|ss?|S{1,9}|x|X|zz?|ZZ?|LTS|LT|LL?L?L?)/g;

/** Tokens that have a strftime directive of the same meaning; the others depend on a locale or a zone's name. */
const equivalents: Readonly<Record<string, string>> = {
  YYYY: '%Y',
  Y: '%Y',
  YY: '%y',
  MMMM: '%B',
  MMM: '%b',
  MM: '%m',
  M: '%-m',
  DDDD: '%j',
  DDD: '%-j',
  DD: '%d',
  D: '%-d',
  dddd: '%A',
  ddd: '%a',
  E: '%u',
  d: '%w',
  HH: '%H',
  H: '%-H',
  hh: '%I',
  h: '%-I',
  mm: '%M',
  m: '%-M',
  ss: '%S',
  s: '%-S',
  SSSSSS: '%f',
  A: '%p',
  X: '%s',
  Z: '%:z',
  ZZ: '%z',
};

/** A pendulum format as a strftime pattern (with `%s` and `%:z`), or the token that has no equivalent. */
export function strftimeOf(format: string): { readonly pattern: string } | { readonly unsupported: string } {
  let pattern = '';
  let at = 0;
  for (const match of format.matchAll(tokens)) {
    pattern += literal(format.slice(at, match.index));
    at = match.index + match[0].length;
    const [, bracketed, backslashed, token] = match;
    if (token === undefined) pattern += literal(bracketed ?? backslashed ?? '');
    else if (Object.hasOwn(equivalents, token)) pattern += equivalents[token];
    else return { unsupported: token };
  }
  return { pattern: pattern + literal(format.slice(at)) };
}

const literal = (text: string): string => text.replaceAll('%', '%%');

/** `value.format(…)` of an aware pendulum datetime in its default locale. */
export function pendulumFormat(reading: ClockReading, format: string): string {
  const converted = strftimeOf(format);
  if ('unsupported' in converted) return refuse(`the token "${converted.unsupported}" of format() is not supported`);
  const { offsetMs } = reading;
  if (offsetMs === undefined) return refuse('format() of a datetime without a zone');
  const epoch = String(Math.floor((reading.wallMs - offsetMs) / 1000));
  const pattern = converted.pattern.replace(/%(%|:z|s)/g, (whole, code: string) =>
    code === '%' ? whole : code === 's' ? epoch : offsetText(offsetMs, ':'),
  );
  return strftime(reading, pattern) ?? refuse('a year that has not four digits');
}
