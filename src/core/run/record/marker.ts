import type { SliceDiff } from '../../diff/slice-diff.ts';
import { type RecordedInput, viewInput } from '../../ledger/recorded-input.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { identifyTables } from '../../warehouse/catalog/describe-tables.ts';
import type { ViewDefinition } from '../../warehouse/catalog/view-definitions.ts';
import { ledgerBound, lowerBound, upperBound } from '../../warehouse/dialects/postgres/ledger/ledger-bounds.ts';
import { markersSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
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

/** A unit that is asked about: its inputs with those that no file says, and the slices that it writes. */
export interface AskedUnit {
  readonly job: UnitJob;
  readonly targets: readonly Target[];
}

export const readMarker = async (
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
  follows: readonly UnitId[] = [],
  views: readonly ViewDefinition[] = [],
  identify: typeof identifyTables = identifyTables,
): Promise<Marker> => (await readMarkers(session, [{ job, targets }], follows, views, identify))[0] as Marker;

/** What the ledger knows of several units of one task that write the same tables, asked at once. `identify`: what stands for names. */
export async function readMarkers(
  session: Session,
  units: readonly AskedUnit[],
  follows: readonly UnitId[],
  views: readonly ViewDefinition[],
  identify: typeof identifyTables = identifyTables,
): Promise<readonly Marker[]> {
  const [first] = units;
  if (first === undefined) return [];
  const names = [...new Set(units.flatMap(({ job }) => job.inputs.map((input) => input.table)))];
  const tables = names.length === 0 ? [] : await identify(session, names);
  const byName = new Map(names.map((name, index) => [name, tables[index]]));
  const asked = units.map(({ job, targets }) => ({
    unit: job.unit,
    inputs: job.inputs.map((input) => ({
      target: byName.get(input.table)?.qualified ?? input.table,
      lower: lowerBound(ledgerBound(input.from)),
      upper: upperBound(ledgerBound(input.to)),
    })),
    slices: targets.map((target) => ({
      ...ledgerSlice(target),
      schema: target.relation === undefined ? '' : describeSchema(target.relation.table),
    })),
    statements: statementsText(job),
  }));
  const values = [first.job.run, first.job.task, JSON.stringify(follows), JSON.stringify(asked)];
  const { rows } = await session.query(markersSql, values);
  return units.map(({ job }, index) => {
    const [committed, versions, previous, definitionsHash, lost] = rows[index] ?? [];
    return {
      committed: committed ? (JSON.parse(committed) as { diff: SliceDiff }[]).map(({ diff }) => diff) : undefined,
      inputs: [
        ...(JSON.parse(versions ?? '[]') as RecordedInput[]).map((input, at) => ({
          ...input,
          // Who wrote the rows of other slices says nothing about the few that count.
          versions: job.inputs[at]?.except === undefined ? input.versions : null,
          columns: byName.get(job.inputs[at]?.table ?? '')?.columns,
        })),
        ...views.map(viewInput),
      ],
      previous: JSON.parse(previous ?? '[]') as PreviousVersion[],
      definitionsHash: definitionsHash ?? '',
      lost: JSON.parse(lost ?? '[]') as UnitId[],
    };
  });
}

/** What the ledger keeps the hash of: two runs of one slice may be of other intervals, variables or params. */
export const statementsText = ({ statements }: UnitJob): string => JSON.stringify(statements.map(({ text }) => text));
