import type { TaskId } from '../../pipeline/model/model.ts';
import type { TableVerdict } from '../../run/observed/judge-observations.ts';
import type { DeclarationDraft, DraftWrite } from './draft-declaration.ts';

/** The entry of `backfill.yaml` that says what is clear of a task by what was seen; what it reads cannot be seen. */
export const observedDeclaration = (task: TaskId, verdicts: readonly TableVerdict[]): DeclarationDraft => ({
  task,
  complete: false,
  reads: [],
  writes: verdicts.flatMap((one): DraftWrite[] => {
    if (one.kind !== 'clear') return [];
    const { table, slice } = one;
    if (slice.kind === 'all') return [{ table, column: undefined, slice: 'all' }];
    return [{ table, column: slice.column, ...(slice.of === 'interval' ? {} : { slice: slice.of }) }];
  }),
});
