import { oncePer } from '../../../core/pipeline/workspace/memo.ts';
import { type LineIndex, lineIndex } from '../../../core/text/line-index.ts';
import type { Position, SourceSpan } from '../../../core/text/span.ts';
import type { LiveState } from './live-workspace.ts';

/** A span of a state's files as lines and columns; the lines of a file are counted once. */
export function placesIn(): (
  at: SourceSpan,
  then: LiveState,
) => { readonly file: string; readonly start: Position; readonly end: Position } {
  const linesOf = oncePer((_: LiveState) => new Map<string, LineIndex>());
  return (at, then) => {
    const known = linesOf(then);
    const lines = known.get(at.file) ?? lineIndex(then.text(at.file) ?? '');
    known.set(at.file, lines);
    return { file: at.file, start: lines.position(at.start), end: lines.position(at.end) };
  };
}
