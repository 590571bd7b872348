import type { TaskId } from '../../pipeline/model/model.ts';
import { plural } from '../../text/plural.ts';

/** What a preview left behind although nothing of it was kept. */
export interface PreviewTraces {
  /** Row versions that were made and rolled back, by table (`schema.name`): they take space until VACUUM. */
  readonly deadRows: readonly { readonly table: string; readonly rows: number }[];
  /** Sequences that numbers were taken from (`schema.name`): they do not go back. */
  readonly sequences: readonly string[];
}

/** How a preview ended. */
export interface PreviewEnd {
  /** `query`: nothing was written. `transaction`: what was written was rolled back. `stage`: it was written beside the tables, and deleted. */
  readonly way: 'query' | 'transaction' | 'stage';
  /** Tasks that did what no rollback takes back; absent: none. */
  readonly stays?: readonly TaskId[] | undefined;
  /** Tasks that ran SQL which they make, in words; absent: none. What that did outside is not known. */
  readonly notLookedAt?: readonly string[] | undefined;
  /** `undefined` where the server could no longer be asked. */
  readonly traces: PreviewTraces | undefined;
}

/** As lines, each with what to do; none where nothing was left. `undefined`: the server could no longer be asked. */
export function tracesInWords({ traces, notLookedAt = [] }: PreviewEnd): readonly string[] {
  const open = notLookedAt.map((text) => `${text}.`);
  if (traces === undefined) {
    return [
      ...open,
      'The preview was rolled back, but may have left dead rows behind and advanced sequences: the server could not be asked.',
    ];
  }
  const { deadRows, sequences } = traces;
  const lines: string[] = [...open];
  if (deadRows.length > 0) {
    const counts = deadRows.map(({ table, rows }) => `${plural(rows, 'dead row')} in ${table}`);
    const tables = deadRows.map(({ table }) => table).join(', ');
    lines.push(`The preview was rolled back, and left ${counts.join(', ')} behind; to free them: VACUUM ${tables};`);
  }
  if (sequences.length > 0) {
    lines.push(`The preview took numbers from ${sequences.join(', ')}, which do not go back.`);
  }
  return lines;
}

/** A preview or a proof holds locks on the rows that it rewrites, so it must end by itself. In milliseconds. */
export const previewTimeBoxMs = 600_000;
