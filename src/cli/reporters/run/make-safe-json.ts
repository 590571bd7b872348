import type { TaskId } from '../../../core/pipeline/model/model.ts';
import type { SafeTask } from '../../../core/safe/make-safe.ts';
import { rangeFinder } from '../check/findings-range.ts';

export interface MadeSafe {
  readonly id: TaskId;
  readonly safe: SafeTask;
}

/** The JSON contract of `make-safe`, version 1. */
export function makeSafeJson(
  made: readonly MadeSafe[],
  written: boolean,
  text: (file: string) => string | undefined,
): string {
  const ranges = rangeFinder(text);
  const tasks = made.map(({ id, safe }) =>
    safe.kind === 'edit'
      ? {
          id,
          ...safe,
          edits: safe.edits.map((edit) => ({ file: edit.file, range: ranges.range(edit), newText: edit.newText })),
        }
      : { id, ...safe },
  );
  return `${JSON.stringify({ version: 1, written, tasks }, null, 2)}\n`;
}
