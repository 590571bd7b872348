import { type LineIndex, lineIndex } from '../../../core/text/line-index.ts';
import type { Position, SourceSpan } from '../../../core/text/span.ts';

/** 1-based lines and columns in UTF-16 units; the end is exclusive. */
export interface Range {
  readonly start: Position;
  readonly end: Position;
}

/** Ranges of spans in the files of one workspace. A file that is not part of it has only its beginning. */
export interface RangeFinder {
  range(span: SourceSpan): Range;
  /** A line without its line end, 1-based. */
  line(file: string, line: number): string;
}

export function rangeFinder(text: (file: string) => string | undefined): RangeFinder {
  const indexes = new Map<string, LineIndex>();
  const indexOf = (file: string): LineIndex => {
    const known = indexes.get(file) ?? lineIndex(text(file) ?? '');
    indexes.set(file, known);
    return known;
  };
  return {
    range: (span) => ({
      start: indexOf(span.file).position(span.start),
      end: indexOf(span.file).position(span.end),
    }),
    line(file, line) {
      const index = indexOf(file);
      const start = index.offset({ line, column: 1 });
      return /^[^\r\n]*/.exec((text(file) ?? '').slice(start))?.[0] ?? '';
    },
  };
}
