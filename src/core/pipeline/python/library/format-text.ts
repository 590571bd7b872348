import { locate } from '../../../text/mapped-text.ts';
import type { SourceSpan } from '../../../text/span.ts';
import { appendInterpolated } from '../values/interpolate.ts';
import { unknown } from '../values/make-value.ts';
import { sliceText, TextBuilder } from '../values/text-value.ts';
import type { Call, TextValue, Value } from '../values/value.ts';

/** `template.format(…)`: fields are substituted where their values are known, the others become holes. */
export function formatBraces(template: TextValue, call: Call): Value {
  const builder = new TextBuilder();
  let next = 0;
  replaceMatches(builder, template, /\{\{|\}\}|\{([^{}!:]*)(?:!([rsa]))?(?::([^{}]*))?\}/g, call.at, (match) => {
    if (match[0] === '{{' || match[0] === '}}') return { literal: match[0].charAt(0) };
    const field = (match[1] ?? '').trim();
    const [, head = '', path = ''] = /^([^.[]*)(.*)$/.exec(field) ?? [];
    const key = head === '' ? String(next++) : head;
    const value = /^\d+$/.test(key) ? call.positional[Number(key)] : call.keywords.get(key)?.value;
    return {
      value:
        value === undefined ? unknown(`no value is given for {${field}}`) : path === '' ? value : partOf(value, path),
      source: field === '' ? key : field,
      format: match[3] ?? '',
      conversion: match[2] ?? '',
    };
  });
  return builder.build();
}

/** `{row[key]}`: items of dicts by name; everything else is not known. */
function partOf(value: Value, path: string): Value {
  const key = /^\[([^\]]+)\]$/.exec(path)?.[1];
  const entry = key !== undefined && value.kind === 'dict' ? value.entries.get(key) : undefined;
  return entry?.value ?? unknown(`the part ${path} of a value`);
}

/** `template % value`, with one value, a tuple, or a dict for `%(name)s`. */
export function formatPercent(template: TextValue, operand: Value, at: SourceSpan): Value {
  const builder = new TextBuilder();
  const positional = operand.kind === 'list' && operand.tuple ? operand.items : [operand];
  let next = 0;
  replaceMatches(builder, template, /%%|%(?:\((\w+)\))?[-0 #+]*(\d*)(?:\.\d+)?([sdifr])/g, at, (match) => {
    if (match[0] === '%%') return { literal: '%' };
    const name = match[1];
    const value =
      name === undefined ? positional[next++] : operand.kind === 'dict' ? operand.entries.get(name)?.value : undefined;
    const width = match[2] ?? '';
    return {
      value: value ?? unknown(`no value is given for ${match[0]}`),
      source: name ?? match[0],
      format: width !== '' && match[0].includes('0') ? `0${width.replace(/^0/, '')}d` : '',
      conversion: match[3] === 'r' ? 'r' : '',
    };
  });
  return builder.build();
}

/**
 * The parameters that a driver puts into a query (`%(day)s`, `%s`): holes with the values that are given for them.
 * Only what the values say is filled in; the text stays as written. `eachStatement`: the driver gets each statement of
 * the text by itself, and with each all of the values.
 */
export function markParameters(query: TextValue, parameters: Value, eachStatement = false): TextValue {
  if (parameters.kind !== 'dict' && parameters.kind !== 'list') return query;
  const builder = new TextBuilder();
  const positional = parameters.kind === 'list' ? parameters.items : [];
  let next = 0;
  const pattern = parameters.kind === 'dict' ? /%\((\w+)\)s|(?<![:\w]):(\w+)\b/g : /%s|\?/g;
  replaceMatches(builder, query, pattern, query.mapped.pieces[0]?.source, (match) => {
    const name = match[1] ?? match[2];
    const value =
      name === undefined
        ? positional[eachStatement ? next++ % positional.length : next++]
        : parameters.kind === 'dict'
          ? parameters.entries.get(name)?.value
          : undefined;
    if (value === undefined) return undefined;
    return { value, source: name ?? match[0], format: '', conversion: '', keep: true };
  });
  return builder.build();
}

type Replacement =
  | { readonly literal: string }
  | {
      readonly value: Value;
      readonly source: string;
      readonly format: string;
      readonly conversion: string;
      /** Leave the text as written and mark it as a hole, even when the value is known. */
      readonly keep?: boolean;
    };

/** Copies a text with some matches replaced; matches that touch a hole are left alone. */
export function replaceMatches(
  builder: TextBuilder,
  text: TextValue,
  pattern: RegExp,
  otherwiseAt: SourceSpan | undefined,
  replace: (match: RegExpExecArray) => Replacement | undefined,
): void {
  let at = 0;
  const copy = (to: number): void => {
    if (to > at) builder.append(sliceText(text, at, to));
    at = to;
  };
  for (const match of text.mapped.text.matchAll(pattern)) {
    const start = match.index;
    const end = start + match[0].length;
    if (start < at || text.holes.some((hole) => hole.start < end && start < hole.end)) continue;
    const source = locate(text.mapped, { start, end }) ?? otherwiseAt;
    const replacement = source === undefined ? undefined : replace(match);
    if (replacement === undefined || source === undefined) continue;
    copy(start);
    if ('literal' in replacement) builder.derived(replacement.literal, source);
    else {
      const inner = match[0].indexOf(replacement.source);
      const expressionAt =
        inner < 0 ? { start: 0, end: match[0].length } : { start: inner, end: inner + replacement.source.length };
      const place = { ...replacement, text: match[0], at: source, expressionAt };
      if (replacement.keep === true) builder.keep(replacement.value, place);
      else appendInterpolated(builder, replacement.value, place);
    }
    at = end;
  }
  copy(text.mapped.text.length);
}
