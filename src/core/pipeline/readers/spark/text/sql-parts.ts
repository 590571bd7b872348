import type { SourceSpan } from '../../../../text/span.ts';
import { formatted, formatWall } from '../../../python/values/interpolate.ts';
import { clocksOf, symbolOf } from '../../../python/values/make-value.ts';
import { TextBuilder } from '../../../python/values/text-value.ts';
import type { Interpreter, TextValue, Value } from '../../../python/values/value.ts';

/** A part of a statement: words of ours, a text of the file, or a text that stands for one place of the file. */
export type SqlPart = string | TextValue | { readonly text: string | TextValue; readonly at: SourceSpan | undefined };

/** One text out of parts. Words of ours were written nowhere, so no place of a file answers for them. */
export function sqlOf(...parts: readonly SqlPart[]): TextValue {
  const builder = new TextBuilder();
  for (const part of parts) {
    if (typeof part === 'string') builder.derived(part, undefined);
    else if (!('at' in part)) builder.append(part);
    else if (typeof part.text === 'string') builder.derived(part.text, part.at);
    else builder.append(part.text, part.at);
  }
  return builder.build();
}

/** Texts with something between them. */
export function joined(texts: readonly SqlPart[], between: string): TextValue {
  return sqlOf(...texts.flatMap((text, index) => (index === 0 ? [text] : [between, text])));
}

/** The file's own words at a place. */
export const wordsAt = (run: Interpreter, at: SourceSpan): string =>
  run.files.read(at.file)?.slice(at.start, at.end) ?? '';

/** A value of Python that is not known before the run, as a part of a text. */
export function holeOf(value: Value, at: SourceSpan, run: Interpreter): TextValue {
  const builder = new TextBuilder();
  const source = wordsAt(run, at);
  builder.hole(source, at, { source, value: symbolOf(value) }, { start: 0, end: source.length }, clocksOf(value));
  return builder.build();
}

/** A value of Python as Spark's SQL writes it: `F.lit(ds)`, the right side of `F.col("ds") == ds`. */
export function literalOf(value: Value, at: SourceSpan, run: Interpreter): TextValue {
  switch (value.kind) {
    case 'text':
      return sqlOf("'", value, "'");
    case 'scalar':
      return sqlOf({ text: value.value === null ? 'NULL' : String(value.value), at });
    case 'datetime': {
      const text = formatWall(value.wall, value.dateOnly ? '%Y-%m-%d' : '%Y-%m-%d %H:%M:%S');
      return sqlOf({ text: `${value.dateOnly ? 'DATE' : 'TIMESTAMP'} '${text ?? ''}'`, at });
    }
    case 'symbol':
      return value.symbol.kind === 'literal'
        ? sqlOf({ text: `'${String(value.symbol.value)}'`, at })
        : sqlOf("'", holeOf(value, at, run), "'");
    default: {
      const known = formatted(value, '', '');
      return known === undefined ? holeOf(value, at, run) : sqlOf({ text: `'${known}'`, at });
    }
  }
}

/** A name in backticks where it is none by itself. */
export const nameOf = (name: string): string =>
  /^[A-Za-z_]\w*$/.test(name) ? name : `\`${name.replaceAll('`', '``')}\``;
