import type { RecordedInput } from '../../ledger/recorded-input.ts';
import { recordUnitsSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { columnTypes, describeSchema } from '../../warehouse/port/table-description.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { ledgerSlice } from '../tables/target.ts';
import { sessionSettings, type UnitJob } from '../unit/unit-job.ts';
import type { AppliedSlice } from './applied.ts';
import { statementsText } from './marker.ts';
import type { RowVersions } from './previous-version.ts';

/** What became of a unit. `inputs`, `definitionsHash`: what it found before its task. */
export interface RecordedUnit {
  readonly job: UnitJob;
  readonly inputs: readonly RecordedInput[];
  readonly definitionsHash: string;
  readonly state: 'changed' | 'unchanged' | 'held' | 'skipped' | 'done';
  readonly message: string | undefined;
  readonly slices: readonly AppliedSlice[];
  readonly durationMs: number;
}

/**
 * Makes the outcome of units, all of one task, part of their own transaction: slice versions (which are the commit marker; a held or
 * skipped unit leaves none), the state of each, and the end of their claim.
 */
export async function recordOutcomes(
  session: Session,
  env: RelationalRunner,
  fence: string,
  units: readonly RecordedUnit[],
): Promise<void> {
  const [first] = units;
  if (first === undefined) return;
  const { run, task } = first.job;
  await session.query(recordUnitsSql, [run, task, env.owner, fence, JSON.stringify(units.map(rowOf))]);
}

/** The same of one unit. `seen` is what it found before its task. */
export const recordOutcome = (
  session: Session,
  job: UnitJob,
  env: RelationalRunner,
  fence: string,
  seen: Pick<RecordedUnit, 'inputs' | 'definitionsHash'>,
  outcome: Pick<RecordedUnit, 'state' | 'message' | 'slices' | 'durationMs'>,
): Promise<void> => recordOutcomes(session, env, fence, [{ job, ...seen, ...outcome }]);

const rowOf = ({ job, inputs, definitionsHash, state, message, slices, durationMs }: RecordedUnit) => ({
  unit: job.unit,
  state,
  message: message ?? null,
  duration: Math.round(durationMs),
  diffs: slices.map(({ diff }) => diff),
  code: job.codeHash,
  settings: sessionSettings(job),
  inputs,
  statements: statementsText(job),
  definitions: definitionsHash,
  // What a scheduler wrote is there, whether it is let through or not.
  versions: state === 'skipped' || (state === 'held' && job.carried === undefined) ? [] : slices.map(versionOf),
});

function versionOf({ target, table, diff, made, taken: { after } }: AppliedSlice) {
  const { versions, place } = after;
  const rowVersions: RowVersions | undefined =
    versions === undefined || place === undefined ? undefined : { sum: versions, ...place };
  return {
    ...ledgerSlice(target),
    rows: diff.after?.rows,
    key_checksum: diff.after?.keyChecksum,
    row_checksum: diff.after?.rowChecksum,
    algorithm: diff.after?.algorithm,
    schema: describeSchema(table),
    // The schema that the rows of this version have, for who plans them again.
    diff: { ...diff, schema: columnTypes(table), ...(made === undefined ? {} : { made }), rowVersions },
  };
}
