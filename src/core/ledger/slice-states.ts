import type { TaskId } from '../pipeline/model/model.ts';
import type { UnitId } from '../plan/model/plan.ts';
import { readableLedgerSql } from '../warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import type { Warehouse } from '../warehouse/port/ports.ts';
import type { LedgerStore, UnitState } from './ledger-store.ts';
import { sqlLedgerStore } from './sql-ledger-store.ts';
import { staleSlices } from './stale-slices.ts';

/** What the ledger says of the slices of one unit. A unit that it does not know has not run from here. */
export interface SliceState {
  readonly unit: UnitId;
  readonly state: 'fresh' | 'stale' | 'held' | 'failed';
  /** Rows of its slices after its last run; `undefined`: nothing of it was committed. */
  readonly rows: number | undefined;
}

/** Runs of late that are looked through for what failed or was held and has not been made since. */
const lookedAtRuns = 30;

/**
 * The state of every slice that the ledger of a database knows. Makes no ledger where there is none: the database is as it
 * was. `codeHashes`: of the tasks as they are now. Throws `WarehouseError`.
 */
export async function readSliceStates(
  warehouse: Warehouse,
  codeHashes: ReadonlyMap<TaskId, string>,
): Promise<readonly SliceState[]> {
  if (!(await hasLedger(warehouse))) return [];
  const ledger = sqlLedgerStore(warehouse);
  try {
    return await sliceStates(ledger, codeHashes);
  } finally {
    await ledger.close();
  }
}

/** The same of a ledger that is open. */
export async function sliceStates(
  ledger: Pick<LedgerStore, 'newestVersions' | 'listRuns' | 'units'>,
  codeHashes: ReadonlyMap<TaskId, string>,
): Promise<readonly SliceState[]> {
  const versions = await ledger.newestVersions();
  const stale = new Set(staleSlices(versions, codeHashes).map(({ version }) => version.unit));
  const known = new Map<UnitId, SliceState>();
  const madeAt = new Map<UnitId, number>();
  for (const { unit, rows, committedAt } of versions) {
    const before = known.get(unit)?.rows ?? 0;
    known.set(unit, { unit, state: stale.has(unit) ? 'stale' : 'fresh', rows: before + rows });
    madeAt.set(unit, Math.max(madeAt.get(unit) ?? 0, committedAt));
  }
  const settled = new Set<UnitId>();
  for (const { run, createdAt, counts } of await ledger.listRuns(lookedAtRuns)) {
    if ((counts.held ?? 0) + (counts.failed ?? 0) === 0) continue;
    for (const { unit, state } of await ledger.units(run)) {
      // The newest run that has something to say of a unit comes first.
      if (settled.has(unit) || !isUnsettled(state)) continue;
      settled.add(unit);
      if ((madeAt.get(unit) ?? 0) < createdAt) known.set(unit, { unit, state, rows: known.get(unit)?.rows });
    }
  }
  return [...known.values()];
}

const isUnsettled = (state: UnitState): state is 'held' | 'failed' => state === 'held' || state === 'failed';

async function hasLedger(warehouse: Warehouse): Promise<boolean> {
  const session = await warehouse.connect('ledger');
  try {
    return (await session.query(readableLedgerSql('versions'))).rows[0]?.[0] === 't';
  } finally {
    await session.close();
  }
}
