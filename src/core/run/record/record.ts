import type { RecordedInput } from '../../ledger/recorded-input.ts';
import { recordUnitSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { columnTypes, describeSchema } from '../../warehouse/port/table-description.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { ledgerSlice } from '../tables/target.ts';
import { sessionSettings, type UnitJob } from '../unit/unit-job.ts';
import type { AppliedSlice } from './applied.ts';
import { statementsText } from './marker.ts';

/**
 * Makes the outcome part of the unit's own transaction: slice versions (which are the commit marker; a held or skipped
 * unit leaves none), the unit's state, and the end of its claim. `seen` is what it found before its task.
 */
export async function recordOutcome(
  session: Session,
  job: UnitJob,
  env: RelationalRunner,
  fence: string,
  seen: { readonly inputs: readonly RecordedInput[]; readonly definitionsHash: string },
  outcome: {
    readonly state: 'changed' | 'unchanged' | 'held' | 'skipped' | 'done';
    readonly message: string | undefined;
    readonly slices: readonly AppliedSlice[];
    readonly durationMs: number;
  },
): Promise<void> {
  // What a scheduler wrote is there, whether it is let through or not.
  const versions = outcome.state === 'held' && job.carried === undefined ? [] : outcome.slices.map(versionOf);
  await session.query(recordUnitSql, [
    job.run,
    job.unit,
    job.task,
    JSON.stringify(versions),
    outcome.state,
    outcome.message ?? null,
    String(Math.round(outcome.durationMs)),
    JSON.stringify(outcome.slices.map(({ diff }) => diff)),
    job.codeHash,
    JSON.stringify(sessionSettings(job)),
    JSON.stringify(seen.inputs),
    env.owner,
    fence,
    statementsText(job),
    seen.definitionsHash,
  ]);
}

function versionOf({ target, table, diff, made }: AppliedSlice) {
  return {
    ...ledgerSlice(target),
    rows: diff.after?.rows,
    key_checksum: diff.after?.keyChecksum,
    row_checksum: diff.after?.rowChecksum,
    algorithm: diff.after?.algorithm,
    schema: describeSchema(table),
    // The schema that the rows of this version have, for who plans them again.
    diff: { ...diff, schema: columnTypes(table), ...(made === undefined ? {} : { made }) },
  };
}
