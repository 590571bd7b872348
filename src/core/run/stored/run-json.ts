import { netChanges } from '../../diff/net-change.ts';
import type { SliceDiff } from '../../diff/slice-diff.ts';
import type { UnitRecord } from '../../ledger/ledger-store.ts';
import type { Forecast } from '../unit/forecast.ts';
import type { PreviewEnd } from '../unit/preview-end.ts';
import type { RunRefusal, RunResult, RunUnit } from '../unit/run-result.ts';

/** The `run` contract of the command line; absent values are null, so that every member is always there. */
export interface RunJson {
  readonly version: 1;
  readonly runId: string;
  readonly preview: boolean;
  readonly outcome: RunResult['outcome'];
  /** `reasons`: each by itself, where there are several. */
  readonly refusal: {
    readonly code: string;
    readonly message: string;
    readonly reasons: readonly string[];
    readonly remedy: string | null;
  } | null;
  readonly problem: string | null;
  readonly target: string | null;
  readonly notes: readonly string[];
  /** What was said before; null where nobody asked. */
  readonly forecast: ForecastJson | null;
  /** Of a preview that was begun: how, and what it left behind; traces are null where the server could not be asked. */
  readonly previewed: PreviewedJson | null;
  /** What the run did to each table, in the slices that it changed. */
  readonly tables: readonly NetChangeJson[];
  readonly units: readonly RunUnitJson[];
}

type ForecastJson = Omit<Forecast, 'heldAtMostMs' | 'problem'> & {
  readonly heldAtMostMs: number | null;
  readonly problem: string | null;
};

interface PreviewedJson {
  readonly way: PreviewEnd['way'];
  readonly connection: string;
  readonly traces: PreviewEnd['traces'] | null;
}

/** What a shell knows of a run beside its result. */
export interface AroundRun {
  readonly forecast?: Forecast | undefined;
  readonly previewed?: (PreviewEnd & { readonly connection: string }) | undefined;
}

/** As {@link NetChange}; what is not known is null. */
export interface NetChangeJson {
  readonly table: string;
  readonly changedSlices: number;
  readonly unchangedSlices: number;
  readonly rowsBefore: number | null;
  readonly rowsAfter: number | null;
  readonly netRows: number;
  readonly added: number | null;
  readonly removed: number | null;
  readonly changed: number | null;
  readonly columns: readonly {
    readonly column: string;
    readonly before: string | null;
    readonly after: string | null;
    readonly net: string | null;
  }[];
}

interface RunUnitJson {
  readonly id: string;
  readonly state: string;
  readonly cause: string | null;
  readonly error: { readonly kind: string; readonly message: string; readonly remedy: string | null } | null;
  readonly attempts: number;
  readonly durationMs: number | null;
  readonly notes: readonly string[];
  readonly slices: readonly SliceJson[];
}

interface SliceJson {
  readonly table: string;
  readonly column: string | null;
  readonly from: string | null;
  readonly to: string | null;
  readonly rowsBefore: number | null;
  readonly rowsAfter: number | null;
  readonly keyChecksumBefore: string | null;
  readonly keyChecksumAfter: string | null;
  readonly rowChecksumBefore: string | null;
  readonly rowChecksumAfter: string | null;
  readonly added: number | null;
  readonly removed: number | null;
  readonly changed: number | null;
  readonly withinTolerance: number | null;
  readonly columns: SliceDiff['columns'];
  readonly sums: SliceDiff['sums'] | null;
  readonly samples: SliceDiff['samples'];
  readonly causes: SliceDiff['causes'];
  /** Columns that were not compared, and those of them that nobody declared. */
  readonly leftOut: readonly string[];
  readonly surrogates: readonly string[];
  readonly leftOver: SliceDiff['leftOver'] | null;
}

export function runJson(
  result: RunResult,
  target: string | undefined,
  { forecast, previewed }: AroundRun = {},
): RunJson {
  const { refusal } = result;
  return {
    version: 1,
    runId: result.run,
    preview: result.preview,
    outcome: result.outcome,
    refusal: refusal === undefined ? null : refusalJson(refusal),
    problem: result.problem ?? null,
    target: target ?? null,
    notes: result.notes ?? [],
    forecast:
      forecast === undefined
        ? null
        : { ...forecast, heldAtMostMs: forecast.heldAtMostMs ?? null, problem: forecast.problem ?? null },
    previewed: previewed === undefined ? null : { ...previewed, traces: previewed.traces ?? null },
    tables: tablesJson(result.units),
    units: result.units.map(unitJson),
  };
}

const refusalJson = (refusal: RunRefusal): RunJson['refusal'] => ({
  code: refusal.code,
  message: refusal.message,
  reasons: refusal.code === 'plan-moved-on' ? refusal.reasons : [],
  remedy: refusal.remedy ?? null,
});

function unitJson(unit: RunUnit): RunUnitJson {
  const { error } = unit;
  return {
    ...recordJson(unit),
    cause: error === undefined ? (unit.message ?? null) : null,
    error: error === undefined ? null : { kind: error.kind, message: error.message, remedy: error.remedy ?? null },
    notes: unit.notes,
  };
}

/** What units did to each table, in the contract's words. */
export const tablesJson = (units: readonly UnitRecord[]): readonly NetChangeJson[] =>
  netChanges(units).map((change) => ({
    ...change,
    rowsBefore: change.rowsBefore ?? null,
    rowsAfter: change.rowsAfter ?? null,
    added: change.added ?? null,
    removed: change.removed ?? null,
    changed: change.changed ?? null,
    columns: change.columns.map(({ column, before, after, net }) => ({
      column,
      before: before ?? null,
      after: after ?? null,
      net: net ?? null,
    })),
  }));

/** A unit as the ledger keeps it, in the contract's words. */
export const recordJson = ({ unit, state, message, attempts, durationMs, slices }: UnitRecord) => ({
  id: unit,
  state,
  cause: message ?? null,
  attempts,
  durationMs: durationMs ?? null,
  slices: slices.map(sliceJson),
});

export const sliceJson = (diff: SliceDiff): SliceJson => ({
  table: diff.table,
  column: diff.column ?? null,
  from: diff.from ?? null,
  to: diff.to ?? null,
  rowsBefore: diff.before?.rows ?? null,
  rowsAfter: diff.after?.rows ?? null,
  keyChecksumBefore: diff.before?.keyChecksum ?? null,
  keyChecksumAfter: diff.after?.keyChecksum ?? null,
  rowChecksumBefore: diff.before?.rowChecksum ?? null,
  rowChecksumAfter: diff.after?.rowChecksum ?? null,
  added: diff.added ?? null,
  removed: diff.removed ?? null,
  changed: diff.changed ?? null,
  withinTolerance: diff.withinTolerance ?? null,
  columns: diff.columns,
  sums: diff.sums ?? null,
  samples: diff.samples,
  causes: diff.causes,
  leftOut: diff.leftOut,
  surrogates: diff.surrogates ?? [],
  leftOver: diff.leftOver ?? null,
});
