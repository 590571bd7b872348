import type { SliceDiff } from '../../diff/slice-diff.ts';
import { type RecordedInput, viewInput } from '../../ledger/recorded-input.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { identifyTables } from '../../warehouse/catalog/describe-tables.ts';
import type { ViewDefinition } from '../../warehouse/catalog/view-definitions.ts';
import { ledgerBound, lowerBound, upperBound } from '../../warehouse/dialects/postgres/ledger/ledger-bounds.ts';
import { markerSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { describeSchema } from '../../warehouse/port/table-description.ts';
import { ledgerSlice, type Target } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { PreviousVersion } from './previous-version.ts';

/** What the ledger knows of the unit and its inputs. Read only after fence and lock. */
export interface Marker {
  /** Slices of the earlier try that committed; `undefined` where there was none. */
  readonly committed: readonly SliceDiff[] | undefined;
  /** What the ledger knows of the inputs, read before the task: a parent that commits meanwhile makes this stale. Views come last. */
  readonly inputs: readonly RecordedInput[];
  /** The newest version of each target slice that the task has made before. */
  readonly previous: readonly PreviousVersion[];
  /** Hash of what decides in the database beside the statements. */
  readonly definitionsHash: string;
  /** Units that were confirmed as committed and are not. */
  readonly lost: readonly UnitId[];
}

/** `identify`: what stands for names, asked once for several units. */
export async function readMarker(
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
  follows: readonly UnitId[] = [],
  views: readonly ViewDefinition[] = [],
  identify: typeof identifyTables = identifyTables,
): Promise<Marker> {
  const names = [...new Set(job.inputs.map((input) => input.table))];
  const tables = names.length === 0 ? [] : await identify(session, names);
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
  const values = [
    job.run,
    job.unit,
    JSON.stringify(inputs),
    JSON.stringify(slices),
    job.task,
    statementsText(job),
    JSON.stringify(follows),
  ];
  const [committed, versions, previous, definitionsHash, lost] = (await session.query(markerSql, values)).rows[0] ?? [];
  return {
    committed: committed ? (JSON.parse(committed) as { diff: SliceDiff }[]).map(({ diff }) => diff) : undefined,
    inputs: [
      ...(JSON.parse(versions ?? '[]') as RecordedInput[]).map((input, index) => ({
        ...input,
        // Who wrote the rows of other slices says nothing about the few that count.
        versions: job.inputs[index]?.except === undefined ? input.versions : null,
        columns: byName.get(job.inputs[index]?.table ?? '')?.columns,
      })),
      ...views.map(viewInput),
    ],
    previous: JSON.parse(previous ?? '[]') as PreviousVersion[],
    definitionsHash: definitionsHash ?? '',
    lost: JSON.parse(lost ?? '[]') as UnitId[],
  };
}

/** What the ledger keeps the hash of: two runs of one slice may be of other intervals, variables or params. */
export const statementsText = ({ statements }: UnitJob): string => JSON.stringify(statements.map(({ text }) => text));
