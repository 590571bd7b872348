import { unknown } from './make-value.ts';
import { plainText } from './text-value.ts';
import type { Call, ClockSite, UnknownValue } from './value.ts';

const sites = new WeakMap<ClockSite, ClockSite>();

/** The clock calls as what prints them to the second or finer remembers them; the same objects each time. */
export const printedClocks = (clocks: readonly ClockSite[]): readonly ClockSite[] =>
  clocks.map((site) => {
    if (site.printed !== undefined) return site;
    const known = sites.get(site) ?? { ...site, printed: site };
    sites.set(site, known);
    return known;
  });

/** Of a part of what prints clock calls, or of a number made of it, which may be a day again. */
export const unprintedClocks = (clocks: readonly ClockSite[]): readonly ClockSite[] => [
  ...new Set(clocks.map((site) => site.printed ?? site)),
];

/** Whether a format of `strftime` shows the seconds. */
export const showsSeconds = (format: string): boolean => /%[SfXTscr+]/.test(format);

/** The clock calls of a value that a text takes in, by `format(value, …)`. */
export const clocksInText = ({ clocks, moment }: UnknownValue, format: string): readonly ClockSite[] =>
  moment && (format === '' || showsSeconds(format)) ? printedClocks(clocks) : clocks;

const kept = /^(?:astimezone|in_timezone|in_tz)$/;
const printing =
  /^(?:isoformat|timestamp|__str__|ctime|to_datetime_string|to_iso8601_string|to_rfc3339_string|to_atom_string|float_timestamp|int_timestamp)$/;
const others =
  /^(?:date|format|to_date_string|subtract|add|start_of|end_of|weekday|isoweekday|total_seconds|time|timetuple|strftime|replace)$/;

/** A method of a time that the clock gave; `undefined` for what a time does not have. */
export function clockMethod(self: UnknownValue, name: string, call: Call): UnknownValue | undefined {
  const given = [...call.keywords.keys()];
  const isMoment =
    kept.test(name) ||
    (name === 'replace' && call.positional.length === 0 && given.every((one) => /^(?:tzinfo|microsecond)$/.test(one)));
  if (isMoment) return { ...self };
  const format = plainText(call.positional[0]) ?? '';
  const isPrinted =
    printing.test(name) || (name === 'strftime' && showsSeconds(format)) || (name === 'format' && /ss|X/.test(format));
  if (isPrinted && self.moment) return unknown(self.reason, printedClocks(self.clocks));
  // `replace` of a text leaves it as fine as it was.
  return printing.test(name) || others.test(name) ? unknown(self.reason, self.clocks) : undefined;
}
