import { appendInterpolated } from '../values/interpolate.ts';
import { iterate } from '../values/iterate.ts';
import { clocksOf, listOf, scalar, unknown } from '../values/make-value.ts';
import { unprintedClocks } from '../values/printed-clocks.ts';
import { plainText, recased, sliceText, TextBuilder } from '../values/text-value.ts';
import type { Call, TextValue, Value } from '../values/value.ts';
import { formatBraces } from './format-text.ts';

type TextMethod = (text: TextValue, call: Call) => Value | undefined;

const methods: Readonly<Record<string, TextMethod>> = {
  format: formatBraces,
  format_map: (text, call) => {
    const [map] = call.positional;
    if (map?.kind !== 'dict') return undefined;
    const keywords = new Map([...map.entries].map(([name, entry]) => [name, { name, ...entry }]));
    return formatBraces(text, { ...call, keywords });
  },
  strip: (text, call) => stripped(text, call, true, true),
  lstrip: (text, call) => stripped(text, call, true, false),
  rstrip: (text, call) => stripped(text, call, false, true),
  lower: (text) => recased(text, text.mapped.text.toLowerCase()),
  upper: (text) => recased(text, text.mapped.text.toUpperCase()),
  title: (text) =>
    recased(
      text,
      text.mapped.text.toLowerCase().replace(/\p{L}+/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1)),
    ),
  capitalize: (text) =>
    recased(text, text.mapped.text.charAt(0).toUpperCase() + text.mapped.text.slice(1).toLowerCase()),
  replace: (text, call) => {
    const [from, to] = call.positional;
    const search = plainText(from);
    return search === undefined || search === '' || to === undefined || call.positional.length > 2
      ? undefined
      : replaced(text, search, to, call);
  },
  join: (text, call) => {
    const [parts] = call.positional;
    const { values, open } = parts === undefined ? { values: [], open: true } : iterate(parts);
    if (open || !values.every((value) => value.kind === 'text'))
      return unknown('a list of texts that is not known', parts && clocksOf(parts));
    const builder = new TextBuilder();
    for (const [index, value] of values.entries()) {
      if (index > 0) builder.append(text);
      if (value.kind === 'text') builder.append(value);
    }
    return builder.build();
  },
  split: (text, call) => {
    const separator = call.positional[0] === undefined ? undefined : plainText(call.positional[0]);
    if (call.positional.length > 1 || call.keywords.size > 0) return undefined;
    if (call.positional.length === 0)
      return listOf(
        [...text.mapped.text.matchAll(/\S+/g)].map((word) => sliceText(text, word.index, word.index + word[0].length)),
      );
    return separator === undefined || separator === '' ? undefined : listOf(splitAt(text, separator));
  },
  splitlines: (text) => listOf(splitAt(text, '\n')),
  startswith: (text, call) => {
    const prefix = plainText(call.positional[0]);
    return prefix === undefined || text.holes.some((hole) => hole.start < prefix.length)
      ? undefined
      : scalar(text.mapped.text.startsWith(prefix));
  },
  endswith: (text, call) => {
    const suffix = plainText(call.positional[0]);
    return suffix === undefined || text.holes.length > 0 ? undefined : scalar(text.mapped.text.endsWith(suffix));
  },
  encode: (text) => text,
  decode: (text) => text,
};

/** A method of `str`. Names that `str` has and this does not know give an unknown. */
export function textMethod(text: TextValue, name: string, call: Call): Value | undefined {
  const method = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return method?.(text, call) ?? unknown(`text.${name}(…) is not followed`, unprintedClocks(text.clocks));
}

function stripped(text: TextValue, call: Call, left: boolean, right: boolean): Value | undefined {
  const given = call.positional[0];
  const characters = given === undefined ? undefined : plainText(given);
  if (given !== undefined && characters === undefined) return undefined;
  const drop = (at: number): boolean => {
    const character = text.mapped.text.charAt(at);
    return character !== '' && (characters === undefined ? /\s/.test(character) : characters.includes(character));
  };
  const inHole = (at: number): boolean => text.holes.some((hole) => hole.start <= at && at < hole.end);
  let start = 0;
  let end = text.mapped.text.length;
  while (left && start < end && drop(start) && !inHole(start)) start++;
  while (right && end > start && drop(end - 1) && !inHole(end - 1)) end--;
  return sliceText(text, start, end);
}

function replaced(text: TextValue, search: string, by: Value, call: Call): Value {
  const builder = new TextBuilder();
  let at = 0;
  for (;;) {
    const found = text.mapped.text.indexOf(search, at);
    if (found < 0) break;
    builder.append(sliceText(text, at, found));
    const place = sliceText(text, found, found + search.length).mapped.pieces[0]?.source ?? call.at;
    const whole = { start: 0, end: search.length };
    appendInterpolated(builder, by, {
      text: search,
      at: place,
      source: search,
      expressionAt: whole,
      format: '',
      conversion: '',
    });
    at = found + search.length;
  }
  builder.append(sliceText(text, at, text.mapped.text.length));
  return builder.build();
}

function splitAt(text: TextValue, separator: string): Value[] {
  const parts: Value[] = [];
  let at = 0;
  for (;;) {
    const found = text.mapped.text.indexOf(separator, at);
    parts.push(sliceText(text, at, found < 0 ? text.mapped.text.length : found));
    if (found < 0) return parts;
    at = found + separator.length;
  }
}

/** `textwrap.dedent`: the white space that all lines with content have in common goes; blank lines become empty. */
export function dedent(text: TextValue): TextValue {
  const lines = splitAt(text, '\n') as TextValue[];
  let margin: string | undefined;
  for (const line of lines) {
    const indent = /^[ \t]*(?=[^ \t])/.exec(line.mapped.text)?.[0];
    if (indent === undefined) continue;
    if (margin === undefined) margin = indent;
    while (!indent.startsWith(margin)) margin = margin.slice(0, -1);
  }
  const builder = new TextBuilder();
  const cut = margin?.length ?? 0;
  let at = 0;
  for (const [index, line] of lines.entries()) {
    const length = line.mapped.text.length;
    const blank = /^[ \t]*$/.test(line.mapped.text);
    builder.append(sliceText(line, blank ? length : cut, length));
    at += length;
    if (index < lines.length - 1) builder.append(sliceText(text, at, at + 1));
    at += 1;
  }
  return builder.build();
}
