import type { TaskId } from '../../pipeline/model/model.ts';
import { type LineIndex, lineIndex } from '../../text/line-index.ts';
import type { Position, SourceSpan } from '../../text/span.ts';

/** Addresses that a shell can open from a hover. */
export interface HoverLinks {
  /** A place in a file of the workspace. */
  place(file: string, position: Position): string;
  /** Writes an entry for a task into `backfill.yaml`. */
  declare(task: TaskId): string;
}

/** A link to a place as a hover in `file` says it: `line 12`, or `dags/sql/load.sql:3` elsewhere. */
export type PlaceLink = (at: SourceSpan) => string;

export function placeLinks(
  file: string,
  text: (file: string) => string | undefined,
  links: Pick<HoverLinks, 'place'>,
): PlaceLink {
  const indexes = new Map<string, LineIndex>();
  const indexOf = (name: string): LineIndex => {
    const index = indexes.get(name) ?? lineIndex(text(name) ?? '');
    indexes.set(name, index);
    return index;
  };
  return (at) => {
    const position = indexOf(at.file).position(at.start);
    const words = at.file === file ? `line ${position.line}` : `${at.file}:${position.line}`;
    return `[${words.replace(/[\\[\]]/g, '\\$&')}](${links.place(at.file, position)})`;
  };
}
