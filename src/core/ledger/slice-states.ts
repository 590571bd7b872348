import type { TaskId } from '../pipeline/model/model.ts';
import type { UnitId } from '../plan/model/plan.ts';
import type { Instant } from '../time/zones/instant.ts';
import { readableLedgerSql } from '../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import type { Warehouse } from '../warehouse/port/ports.ts';
import type { LedgerStore, RunSummary, UnitState } from './ledger-store.ts';
import { sqlLedgerStore } from './sql-ledger-store.ts';
import { staleInWords, staleSlices } from './stale-slices.ts';

/** What the ledger says of the slices of one unit. A unit that it does not know has not run from here. */
export interface SliceState {
  readonly unit: UnitId;
  readonly state: 'fresh' | 'stale' | 'held' | 'failed' | 'halfway';
  /** Rows of its slices after its last run; `undefined`: nothing of it was committed. */
  readonly rows: number | undefined;
  /** When it came to this. */
  readonly at: Instant;
  /** Why it is no longer what a run would make, was held, or failed; empty where it is fresh. */
  readonly why: string;
  /** The run in which it was held or failed, or the last one that made it. */
  readonly run: string;
}

/** Runs of late that are looked through for what failed or was held and has not been made since. */
const lookedAtRuns = 30;

/** What the ledger of a database knows: of every slice, and the runs of late, newest first. */
export interface KnownToLedger {
  readonly states: readonly SliceState[];
  readonly runs: readonly RunSummary[];
}

/**
 * Asks the ledger of a database. Makes none where there is none: the database is as it was. `codeHashes`: of the tasks as
 * they are now; `runs`: how many are listed. Throws `WarehouseError`.
 */
export async function readLedger(
  warehouse: Warehouse,
  codeHashes: ReadonlyMap<TaskId, string>,
  runs: number,
): Promise<KnownToLedger> {
  if (!(await hasLedger(warehouse))) return { states: [], runs: [] };
  const ledger = sqlLedgerStore(warehouse);
  try {
    return {
      states: await sliceStates(ledger, codeHashes),
      runs: runs === 0 ? [] : await ledger.listRuns(runs),
    };
  } finally {
    await ledger.close();
  }
}

/** The states of the slices of a ledger that is open. */
export async function sliceStates(
  ledger: Pick<LedgerStore, 'newestVersions' | 'listRuns' | 'units'>,
  codeHashes: ReadonlyMap<TaskId, string>,
): Promise<readonly SliceState[]> {
  const versions = await ledger.newestVersions();
  const stale = new Map<UnitId, Set<string>>();
  for (const { version, reasons } of staleSlices(versions, codeHashes)) {
    const known = stale.get(version.unit) ?? new Set();
    stale.set(version.unit, known);
    for (const reason of reasons) known.add(staleInWords(reason));
  }
  const known = new Map<UnitId, SliceState>();
  for (const { unit, rows, run, committedAt } of versions) {
    const before = known.get(unit);
    const isNewer = before === undefined || before.at < committedAt;
    const why = [...(stale.get(unit) ?? [])].join('; ');
    known.set(unit, {
      unit,
      state: why === '' ? 'fresh' : 'stale',
      rows: (before?.rows ?? 0) + rows,
      at: isNewer ? committedAt : before.at,
      why,
      run: isNewer ? run : before.run,
    });
  }
  const settled = new Set<UnitId>();
  for (const { run, createdAt, counts } of await ledger.listRuns(lookedAtRuns)) {
    if ((counts.held ?? 0) + (counts.failed ?? 0) + (counts.unknown ?? 0) === 0) continue;
    for (const { unit, state, message } of await ledger.units(run)) {
      // The newest run that has something to say of a unit comes first.
      const left = unsettled[state];
      if (settled.has(unit) || left === undefined) continue;
      settled.add(unit);
      const made = known.get(unit);
      if (made !== undefined && made.at >= createdAt) continue;
      known.set(unit, { unit, state: left, rows: made?.rows, at: createdAt, why: firstLine(message), run });
    }
  }
  return [...known.values()];
}

/** How a unit is left that needs somebody. */
const unsettled: Readonly<Partial<Record<UnitState, 'held' | 'failed' | 'halfway'>>> = {
  held: 'held',
  failed: 'failed',
  unknown: 'halfway',
};

/** What to do about it comes in the lines after. */
const firstLine = (message: string | undefined): string => (message ?? '').split('\n')[0] ?? '';

async function hasLedger(warehouse: Warehouse): Promise<boolean> {
  const session = await warehouse.connect('ledger');
  try {
    return (await session.query(readableLedgerSql('versions'))).rows[0]?.[0] === 't';
  } finally {
    await session.close();
  }
}
