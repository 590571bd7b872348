import type { Hole } from '../../template/mask/masked-text.ts';
import type { TextPiece } from '../../text/mapped-text.ts';
import type { SourceSpan, Span } from '../../text/span.ts';
import type { TaskSql } from '../model/model.ts';

/** A stretch of SQL on its way into another text: where it was written, and the holes in it, by offsets into itself. */
export interface TextPart {
  readonly text: string;
  readonly pieces: readonly TextPiece[];
  readonly holes: readonly Hole[];
}

export const madeUp = (text: string): TextPart => ({ text, pieces: [], holes: [] });

/** A part of a text as it stands there. */
export function partOf({ source, pythonHoles }: Pick<TaskSql, 'source' | 'pythonHoles'>, span: Span): TextPart {
  const { start, end } = span;
  const pieces = source.pieces.flatMap((piece): readonly TextPiece[] => {
    const from = Math.max(start, piece.at);
    const to = Math.min(end, piece.at + piece.length);
    if (from >= to) return [];
    const { file } = piece.source;
    const first = piece.source.start + from - piece.at;
    const written = piece.exact ? { file, start: first, end: first + to - from } : piece.source;
    return [{ at: from - start, length: to - from, source: written, exact: piece.exact }];
  });
  const holes = pythonHoles.filter((hole) => start <= hole.start && hole.end <= end).map(shifted(-start));
  return { text: source.text.slice(start, end), pieces, holes };
}

/** The part as what stands at another place: a parameter's name stands where the value of the call is read. */
export const placedAt = ({ text, holes }: TextPart, at: SourceSpan | undefined): TextPart => ({
  text,
  holes,
  pieces: at === undefined || text === '' ? [] : [{ at: 0, length: text.length, source: at, exact: false }],
});

export function joined(parts: readonly TextPart[]): TextPart {
  const texts: string[] = [];
  const pieces: TextPiece[] = [];
  const holes: Hole[] = [];
  let length = 0;
  for (const part of parts) {
    texts.push(part.text);
    const at = length;
    pieces.push(...part.pieces.map((piece) => ({ ...piece, at: piece.at + at })));
    holes.push(...part.holes.map(shifted(at)));
    length += part.text.length;
  }
  return { text: texts.join(''), pieces, holes };
}

/** What is only known when it runs: `{expression}`, as a hole, where the expression stands. */
export function unknownPart({ text: source, pieces }: TextPart, reason: string): TextPart {
  const text = `{${source}}`;
  const whole = { start: 0, end: text.length };
  const [first] = pieces;
  const value = { kind: 'unknown', reason } as const;
  const hole: Hole = {
    ...whole,
    origin: 'parameter',
    source,
    expression: { start: 1, end: text.length - 1 },
    value,
    quoted: false,
  };
  const at = first === undefined ? [] : [{ at: 0, length: text.length, source: first.source, exact: false }];
  return { text, pieces: at, holes: [hole] };
}

const shifted =
  (by: number) =>
  (hole: Hole): Hole => ({
    ...hole,
    start: hole.start + by,
    end: hole.end + by,
    expression: { start: hole.expression.start + by, end: hole.expression.end + by },
  });
