import { type ChangedByItself, changeCauses } from '../../diff/change-cause.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import { byScheduler } from '../../ledger/by-scheduler.ts';
import { counterpart, type RecordedInput, sameInput } from '../../ledger/recorded-input.ts';
import { undoneRun } from '../../ledger/undo-mark.ts';
import { ledgerSlice } from '../tables/target.ts';
import { type JobSlice, sessionSettings, type UnitJob } from '../unit/unit-job.ts';
import type { AppliedSlice, ChangesAgain } from './applied.ts';
import type { Marker } from './marker.ts';
import { sameSettings } from './previous-version.ts';

function causeOf({ again, byOwn }: Pick<JobSlice, 'again' | 'byOwn'>): ChangedByItself | undefined {
  if (again === undefined) return byOwn === undefined ? undefined : { kind: 'goes-by-own' };
  return again.addsRows ? { kind: 'adds-again' } : { kind: 'made-of-itself', column: again.column };
}

/** How much of a change is that left-over rows were taken away. */
function orphansOf({ leftOver, added, removed, changed }: SliceDiff): 'all' | 'part' | undefined {
  const gone = leftOver?.deleted === true ? leftOver.rows - (leftOver.addedAgain ?? 0) : 0;
  if (gone === 0) return undefined;
  return added === 0 && changed === 0 && removed === gone ? 'all' : 'part';
}

/**
 * The slice with the causes of its change, told from its last version in the ledger; unchanged slices have none. `tried`: what
 * a second run came to, where one was made.
 */
export function withCauses(
  applied: AppliedSlice,
  job: UnitJob,
  marker: Marker,
  inputs: readonly RecordedInput[],
  unrecorded: string | undefined,
  tried?: ChangesAgain,
): AppliedSlice {
  const { target, diff } = applied;
  if (diff.added === 0 && diff.removed === 0 && diff.changed === 0) return applied;
  if (job.restores !== undefined) {
    return { ...applied, diff: { ...diff, causes: [{ kind: 'undo', run: job.restores.run }] } };
  }
  const version = marker.previous.find(({ slice }) => slice === ledgerSlice(target).slice);
  const said = causeOf(target.slice);
  const isTried = tried?.kind === 'changes' && tried.tables.includes(applied.table.qualified);
  const again =
    isTried && (said === undefined || said.kind === 'goes-by-own') ? ({ kind: 'changes-again' } as const) : said;
  const causes = changeCauses({
    before: diff.before,
    after: diff.after,
    previous: version && {
      after: version,
      undone: undoneRun(version.codeHash),
      scheduled: byScheduler(version) && job.carried === undefined,
      sameCode: version.codeHash === job.codeHash,
      sameStatements: version.sameStatements !== false,
      sameDefinitions: version.definitionsHash === marker.definitionsHash,
      sameSchema: version.sameSchema,
      sameSettings: sameSettings(version.settings, sessionSettings(job)),
    },
    inputs: inputs.flatMap((input) => {
      const same = sameInput(input, counterpart(input, version?.inputs ?? []));
      // Its own table is what such a task goes by, and cannot be told apart from what it wrote there.
      if (same === undefined && said?.kind === 'goes-by-own' && input.table === target.qualified) return [];
      return { table: input.table, isView: input.definition !== undefined, same };
    }),
    unrecorded: unrecorded ?? (job.readsMore === true ? 'tables that its code does not tell' : undefined),
    again,
    orphans: orphansOf(diff),
    carried: job.carried !== undefined,
  });
  return { ...applied, diff: { ...diff, causes } };
}
