import type { SliceDiff } from '../../diff/slice-diff.ts';
import { qualifyNames } from '../../warehouse/describe-tables.ts';
import { ledgerBound, lowerBound, upperBound } from '../../warehouse/dialects/postgres/ledger-bounds.ts';
import { markerSql } from '../../warehouse/dialects/postgres/record-sql.ts';
import type { Session } from '../../warehouse/ports.ts';
import type { UnitJob } from '../unit-job.ts';

/** Rows inserted, updated and deleted in one table by this transaction so far. */
export type Counters = readonly [inserted: number, updated: number, deleted: number];

/** What the unit's transaction knows of itself before the task, and whether the unit was committed already. */
export interface Marker {
  /** Slices of the earlier try that committed; `undefined` where there was none. */
  readonly committed: readonly SliceDiff[] | undefined;
  /** Current versions of the inputs as JSON, read before the task: a parent that commits meanwhile makes this stale. */
  readonly inputs: string;
  readonly counters: ReadonlyMap<string, Counters>;
  /** Rows whose `age(xmin)` is at most this were written after this moment. */
  readonly ownAge: string;
  readonly transaction: string;
  readonly countersOn: boolean;
}

export async function readMarker(session: Session, job: UnitJob): Promise<Marker> {
  const names = await qualifyNames(session, [...new Set(job.inputs.map((input) => input.table))]);
  const qualified = new Map([...new Set(job.inputs.map((input) => input.table))].map((name, at) => [name, names[at]]));
  const inputs = job.inputs.map((input) => ({
    target: qualified.get(input.table) ?? input.table,
    lower: lowerBound(ledgerBound(input.from)),
    upper: upperBound(ledgerBound(input.to)),
  }));
  const row = (await session.query(markerSql, [job.run, job.unit, JSON.stringify(inputs)])).rows[0] ?? [];
  const [committed, versions, counters, ownAge, transaction, trackCounts] = row;
  return {
    committed: committed ? (JSON.parse(committed) as { diff: SliceDiff }[]).map(({ diff }) => diff) : undefined,
    inputs: versions ?? '[]',
    counters: new Map(Object.entries(JSON.parse(counters ?? '{}') as Record<string, Counters>)),
    ownAge: ownAge ?? '0',
    transaction: transaction ?? '',
    countersOn: trackCounts === 'on',
  };
}
