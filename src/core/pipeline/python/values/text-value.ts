import type { Hole } from '../../../template/mask/masked-text.ts';
import type { TextPiece } from '../../../text/mapped-text.ts';
import type { SourceSpan } from '../../../text/span.ts';
import { clocksOf, symbolOf } from './make-value.ts';
import type { ClockSite, TextValue, Value } from './value.ts';

/** The texts of a value as ones that were rendered. */
export function asRendered(value: Value): Value {
  if (value.kind === 'text') return { ...value, rendered: true };
  return value.kind === 'list' ? { ...value, items: value.items.map(asRendered) } : value;
}

/** Puts a text together from literal characters, other texts and holes. */
export class TextBuilder {
  private text = '';
  private readonly pieces: TextPiece[] = [];
  private readonly holes: Hole[] = [];
  private readonly clocks: ClockSite[] = [];
  private rendered: true | undefined;

  /** Characters that stand in the file exactly so. */
  exact(text: string, source: SourceSpan): void {
    if (text === '') return;
    const last = this.pieces.at(-1);
    if (
      last?.exact &&
      last.source.file === source.file &&
      last.source.end === source.start &&
      last.at + last.length === this.text.length
    )
      this.pieces[this.pieces.length - 1] = {
        at: last.at,
        length: last.length + text.length,
        source: { file: source.file, start: last.source.start, end: source.end },
        exact: true,
      };
    else this.pieces.push({ at: this.text.length, length: text.length, source, exact: true });
    this.text += text;
  }

  /** Characters that the file says in other words: an escape, a substituted constant. Maps as a whole. */
  derived(text: string, source: SourceSpan | undefined): void {
    if (text === '') return;
    if (source !== undefined) this.pieces.push({ at: this.text.length, length: text.length, source, exact: false });
    this.text += text;
  }

  /** A part that is not known; `text` is how the file writes it and stands in its place. */
  hole(
    text: string,
    source: SourceSpan,
    hole: Pick<Hole, 'source' | 'value'>,
    expressionAt: { readonly start: number; readonly end: number },
    clocks: readonly ClockSite[],
    origin: Hole['origin'] = 'f-string',
  ): void {
    const start = this.text.length;
    this.exact(text, source);
    this.holes.push({
      origin,
      source: hole.source,
      start,
      end: this.text.length,
      expression: { start: start + expressionAt.start, end: start + expressionAt.end },
      value: hole.value,
      quoted: false,
    });
    this.remember(clocks);
  }

  /** A placeholder that a driver fills in: stays as written, whatever is known about its value. */
  keep(
    value: Value,
    place: {
      readonly text: string;
      readonly at: SourceSpan;
      readonly source: string;
      readonly expressionAt: { readonly start: number; readonly end: number };
    },
  ): void {
    this.hole(
      place.text,
      place.at,
      { source: place.source, value: symbolOf(value) },
      place.expressionAt,
      clocksOf(value),
      'parameter',
    );
  }

  /** Another text with its own places, or, with `source`, all of it standing for that one place. */
  append(other: TextValue, source?: SourceSpan): void {
    const offset = this.text.length;
    if (source === undefined) {
      for (const piece of other.mapped.pieces) this.pieces.push({ ...piece, at: piece.at + offset });
      this.text += other.mapped.text;
    } else this.derived(other.mapped.text, source);
    for (const hole of other.holes) this.holes.push(moved(hole, offset));
    this.remember(other.clocks);
    this.rendered ??= other.rendered;
  }

  build(): TextValue {
    return {
      kind: 'text',
      mapped: { text: this.text, pieces: this.pieces },
      holes: this.holes,
      clocks: this.clocks,
      rendered: this.rendered,
    };
  }

  private remember(clocks: readonly ClockSite[]): void {
    for (const clock of clocks) if (!this.clocks.includes(clock)) this.clocks.push(clock);
  }
}

const moved = (hole: Hole, by: number): Hole => ({
  ...hole,
  start: hole.start + by,
  end: hole.end + by,
  expression: { start: hole.expression.start + by, end: hole.expression.end + by },
});

/** A text that no file says, or that one place of a file says in other words. */
export function derivedText(text: string, source?: SourceSpan): TextValue {
  const builder = new TextBuilder();
  builder.derived(text, source);
  return builder.build();
}

/** The plain string when nothing in it is unknown. */
export const plainText = (value: { readonly kind: string } | undefined): string | undefined =>
  value?.kind === 'text' && (value as TextValue).holes.length === 0 ? (value as TextValue).mapped.text : undefined;

/** The characters `[start, end)`; a hole that is cut stays whole or goes away with its larger part. */
export function sliceText(value: TextValue, start: number, end: number): TextValue {
  const pieces: TextPiece[] = [];
  for (const piece of value.mapped.pieces) {
    const from = Math.max(piece.at, start);
    const to = Math.min(piece.at + piece.length, end);
    if (from >= to) continue;
    const source = piece.exact
      ? {
          file: piece.source.file,
          start: piece.source.start + from - piece.at,
          end: piece.source.start + to - piece.at,
        }
      : piece.source;
    pieces.push({ at: from - start, length: to - from, source, exact: piece.exact });
  }
  const holes = value.holes.filter((hole) => hole.start >= start && hole.end <= end).map((hole) => moved(hole, -start));
  return {
    kind: 'text',
    mapped: { text: value.mapped.text.slice(start, end), pieces },
    holes,
    clocks: holes.length === 0 ? [] : value.clocks,
    rendered: value.rendered,
  };
}

/** Same length, other characters (`lower`, `upper`): places stay as they are. */
export const recased = (value: TextValue, text: string): TextValue =>
  text.length === value.mapped.text.length ? { ...value, mapped: { text, pieces: value.mapped.pieces } } : value;

/** Where a text was written first, for a problem about it. */
export const textPlace = (value: TextValue): SourceSpan | undefined => value.mapped.pieces[0]?.source;
