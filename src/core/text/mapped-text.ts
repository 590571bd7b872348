import type { SourceSpan, Span } from './span.ts';

/**
 * A piece of a text and where it was written. `exact` pieces have the same length in both places; the others (a
 * decoded escape, a substituted constant) map as a whole.
 */
export interface TextPiece {
  readonly at: number;
  readonly length: number;
  readonly source: SourceSpan;
  readonly exact: boolean;
}

/**
 * A text put together from pieces of files: a Python string with escapes, concatenation and f-string holes, or a
 * whole `.sql` file. Offsets into `text` can be taken back to the file that a person edits.
 */
export interface MappedText {
  readonly text: string;
  /** Ordered by `at`, without overlap; characters outside every piece were made up by the reader. */
  readonly pieces: readonly TextPiece[];
}

/** A whole file as a mapped text. */
export const wholeFile = (file: string, text: string): MappedText => ({
  text,
  pieces: [{ at: 0, length: text.length, source: { file, start: 0, end: text.length }, exact: true }],
});

/**
 * Where a span of the text was written. Spans that cross pieces of one file give the range from the first to the
 * last; when the pieces lie in several files, the part in the first file. `undefined` when nothing was written.
 */
export function locate(mapped: MappedText, span: Span): SourceSpan | undefined {
  let found: { file: string; start: number; end: number } | undefined;
  for (const piece of mapped.pieces) {
    const pieceEnd = piece.at + piece.length;
    const touches =
      span.start === span.end
        ? piece.at <= span.start && span.start <= pieceEnd
        : piece.at < span.end && span.start < pieceEnd;
    if (!touches) continue;
    const from = piece.exact ? piece.source.start + Math.max(0, span.start - piece.at) : piece.source.start;
    const to = piece.exact ? piece.source.start + Math.min(piece.length, span.end - piece.at) : piece.source.end;
    if (found === undefined) found = { file: piece.source.file, start: from, end: to };
    else if (found.file === piece.source.file) {
      found.start = Math.min(found.start, from);
      found.end = Math.max(found.end, to);
    }
  }
  return found;
}
