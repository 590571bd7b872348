import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { RecordedInput } from '../../ledger/recorded-input.ts';
import { identifyTables } from '../../warehouse/describe-tables.ts';
import { ledgerBound, lowerBound, upperBound } from '../../warehouse/dialects/postgres/ledger-bounds.ts';
import { markerSql, positionSql } from '../../warehouse/dialects/postgres/record-sql.ts';
import type { Session } from '../../warehouse/ports.ts';
import type { UnitJob } from '../unit-job.ts';
import { describeSchema } from './apply-task.ts';
import type { PreviousVersion } from './previous-version.ts';
import { ledgerSlice, type Target } from './target.ts';

/** Rows inserted, updated and deleted in one table by this transaction so far. */
export type Counters = readonly [inserted: number, updated: number, deleted: number];

/** Where the unit's transaction stands before the task, so that what the task does can be told from what was before. */
export interface Position {
  readonly counters: ReadonlyMap<string, Counters>;
  /** Rows whose `age(xmin)` is at most this were written after this moment. */
  readonly ownAge: string;
  readonly transaction: string;
  readonly countersOn: boolean;
  /** Tables that the transaction had to itself before, and the file that each was in (empty: none). */
  readonly exclusive: ReadonlyMap<string, string>;
}

export async function readPosition(session: Session): Promise<Position> {
  const [counters, ownAge, transaction, trackCounts, exclusive] = (await session.query(positionSql)).rows[0] ?? [];
  return {
    counters: new Map(Object.entries(JSON.parse(counters ?? '{}') as Record<string, Counters>)),
    ownAge: ownAge ?? '0',
    transaction: transaction ?? '',
    countersOn: trackCounts === 'on',
    exclusive: new Map(Object.entries(JSON.parse(exclusive ?? '{}') as Record<string, string>)),
  };
}

/** What the ledger knows of the unit and its inputs. Read only after fence and lock. */
export interface Marker {
  /** Slices of the earlier try that committed; `undefined` where there was none. */
  readonly committed: readonly SliceDiff[] | undefined;
  /** What the ledger knows of the inputs, read before the task: a parent that commits meanwhile makes this stale. */
  readonly inputs: readonly RecordedInput[];
  /** The newest version of each target slice that the task has made before. */
  readonly previous: readonly PreviousVersion[];
  /** Hash of what decides in the database beside the statements. */
  readonly definitionsHash: string;
}

export async function readMarker(session: Session, job: UnitJob, targets: readonly Target[]): Promise<Marker> {
  const names = [...new Set(job.inputs.map((input) => input.table))];
  const tables = names.length === 0 ? [] : await identifyTables(session, names);
  const byName = new Map(names.map((name, index) => [name, tables[index]]));
  const inputs = job.inputs.map((input) => ({
    target: byName.get(input.table)?.qualified ?? input.table,
    lower: lowerBound(ledgerBound(input.from)),
    upper: upperBound(ledgerBound(input.to)),
  }));
  const slices = targets.map((target) => ({
    ...ledgerSlice(target),
    schema: target.relation === undefined ? '' : describeSchema(target.relation.table),
  }));
  const values = [job.run, job.unit, JSON.stringify(inputs), JSON.stringify(slices), job.task, statementsText(job)];
  const [committed, versions, previous, definitionsHash] = (await session.query(markerSql, values)).rows[0] ?? [];
  return {
    committed: committed ? (JSON.parse(committed) as { diff: SliceDiff }[]).map(({ diff }) => diff) : undefined,
    inputs: (JSON.parse(versions ?? '[]') as RecordedInput[]).map((input, index) => ({
      ...input,
      columns: byName.get(job.inputs[index]?.table ?? '')?.columns,
    })),
    previous: JSON.parse(previous ?? '[]') as PreviousVersion[],
    definitionsHash: definitionsHash ?? '',
  };
}

/** What the ledger keeps the hash of: two runs of one slice may be of other intervals, variables or params. */
export const statementsText = ({ statements }: UnitJob): string => JSON.stringify(statements.map(({ text }) => text));
