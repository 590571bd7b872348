import type { UnitId } from '../plan/model/plan.ts';
import { taskOfUnit } from '../plan/model/unit-id.ts';
import { instant } from '../time/zones/instant.ts';
import { begunSql } from '../warehouse/dialects/postgres/ledger/carried-sql.ts';
import {
  beginningLockSql,
  beginRunSql,
  completeUnitsSql,
  endRunSql,
  listRunsSql,
  loadRunSql,
  memoryForVersionsSql,
  newestVersionsSql,
  recordUnitStatesSql,
  reopenUnitsSql,
  saveRunSlicesSql,
  saveRunSql,
  uncommittedSql,
  unitsSql,
} from '../warehouse/dialects/postgres/ledger/ledger-store-sql.ts';
import {
  changedSlicesSql,
  forgetImagesSql,
  undoneBySql,
} from '../warehouse/dialects/postgres/slice/before-image-sql.ts';
import type { ResultSet, Session, Warehouse } from '../warehouse/port/ports.ts';
import { boundsOf, overlapsOf } from './active-overlaps.ts';
import { ensureLedger } from './ensure-ledger.ts';
import type { ChangedSlice, LedgerStore, RunSummary, UnitRecord, UnitState } from './ledger-store.ts';
import { redefinedSince } from './redefined-since.ts';
import type { SliceVersionRecord } from './stale-slices.ts';
import { undoMark } from './undo-mark.ts';
import { withoutRedrawn } from './without-redrawn.ts';

const committedStates: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done']);

type Row = readonly (string | null)[];

/** The ledger in the target database. Connects when first asked; a broken connection is replaced at the next question. */
export function sqlLedgerStore(warehouse: Warehouse): LedgerStore {
  let session: Session | undefined;
  let queue: Promise<unknown> = Promise.resolve();

  const open = async (): Promise<Session> => {
    if (session === undefined) {
      const connected = await warehouse.connect('ledger');
      try {
        await ensureLedger(warehouse, connected);
      } catch (error) {
        await connected.close();
        throw error;
      }
      session = connected;
    }
    return session;
  };

  /** One question after the other: they share a session, and with it at most one transaction. */
  const inTurn = <T>(work: (session: Session) => Promise<T>): Promise<T> => {
    const result = queue.then(async () => {
      const connected = await open();
      try {
        return await work(connected);
      } catch (error) {
        session = undefined;
        await connected.close();
        throw error;
      }
    });
    queue = result.catch(() => undefined);
    return result;
  };

  const ask = (text: string, values: readonly (string | null)[]): Promise<ResultSet> =>
    inTurn((connected) => connected.query(text, values));

  const recordUnits: LedgerStore['recordUnits'] = async (run, records) => {
    const lost: UnitId[] = [];
    for (const committed of [false, true]) {
      const asked = records.filter(({ state }) => committedStates.has(state) === committed);
      if (asked.length === 0) continue;
      const values = [run, JSON.stringify(asked.map(recordedUnit))];
      const { rows } = await ask(committed ? completeUnitsSql : recordUnitStatesSql, values);
      const found = new Set(rows.map(([unit]) => unit));
      if (committed) lost.push(...asked.flatMap(({ unit }) => (found.has(unit) ? [] : [unit])));
    }
    return lost;
  };

  return {
    saveRun: (run, units, slices = []) =>
      inTurn(async (connected) => {
        const bounds = await boundsOf(connected, slices);
        await connected.query('begin');
        await connected.query(saveRunSql, [
          run.run,
          run.title,
          new Date(run.createdAt).toISOString(),
          run.createdBy,
          run.document,
          JSON.stringify(units),
        ]);
        if (bounds !== '[]') await connected.query(saveRunSlicesSql, [run.run, bounds]);
        await connected.query('commit');
      }),
    loadRun: async (run) => {
      const row = (await ask(loadRunSql, [run])).rows[0];
      if (row === undefined) return undefined;
      const [id, createdAt, createdBy, document, title, workedOnBy] = row as readonly string[] & Row;
      return {
        run: String(id),
        createdAt: instant(Number(createdAt)),
        createdBy: String(createdBy),
        document: String(document),
        title: String(title),
        workedOnBy: workedOnBy ?? undefined,
      };
    },
    listRuns: async (limit) => (await ask(listRunsSql, [String(limit)])).rows.map(summaryOf),
    recordUnit: async (run, record) => ((await recordUnits(run, [record])).length > 0 ? 'lost' : 'recorded'),
    recordUnits,
    uncommitted: async (run, units) =>
      units.length === 0
        ? []
        : (await ask(uncommittedSql, [run, JSON.stringify(units)])).rows.map(([unit]) => String(unit)),
    reopen: async (run, units) => {
      if (units.length > 0) await ask(reopenUnitsSql, [run, JSON.stringify(units)]);
    },
    units: async (run) => (await ask(unitsSql, [run])).rows.map(recordOf),
    beginRun: (run, owner, slices, leaseMs) =>
      inTurn(async (connected) => {
        await connected.query('begin isolation level read committed');
        await connected.query(beginningLockSql);
        const found = await overlapsOf(connected, run, slices);
        if (found.length === 0) await connected.query(beginRunSql, [run, owner ?? null, String(leaseMs)]);
        await connected.query('commit');
        return found;
      }),
    endRun: async (run) => {
      await ask(endRunSql, [run]);
    },
    activeOverlaps: (run, slices) => inTurn((connected) => overlapsOf(connected, run, slices)),
    changedSlices: async (run) => (await ask(changedSlicesSql, [run, undoMark(run)])).rows.map(changedSliceOf),
    begun: async (run) => (await ask(begunSql, [run])).rows.map(([unit]) => String(unit)),
    undoneBy: async (run) => (await ask(undoneBySql, [run, undoMark(run)])).rows[0]?.[0] ?? undefined,
    forgetImages: async (days) => {
      await ask(forgetImagesSql, [String(days)]);
    },
    newestVersions: () =>
      inTurn(async (connected) => {
        await connected.query('begin read only');
        await connected.query(memoryForVersionsSql);
        const { rows } = await connected.query(newestVersionsSql, [undoMark('')]);
        await connected.query('rollback');
        return redefinedSince(connected, withoutRedrawn(rows.map(versionOf)));
      }),
    close: async () => {
      await queue;
      await session?.close();
      session = undefined;
    },
  };
}

const recordedUnit = ({ unit, state, attempts, message, durationMs, slices }: UnitRecord) => ({
  unit,
  state,
  attempts,
  message,
  duration_ms: durationMs === undefined ? undefined : Math.round(durationMs),
  slices,
});

function summaryOf([run, title, createdAt, createdBy, counts, first, workedOnBy]: Row): RunSummary {
  return {
    run: String(run),
    title: String(title),
    createdAt: instant(Number(createdAt)),
    createdBy: String(createdBy),
    counts: JSON.parse(counts ?? '{}') as RunSummary['counts'],
    task: first == null ? undefined : taskOfUnit(first),
    workedOnBy: workedOnBy ?? undefined,
  };
}

function changedSliceOf([unit, slice, target, rowsBefore, kept, newerRun, undone]: Row): ChangedSlice {
  const count = (text: string | null | undefined): number | undefined => (text == null ? undefined : Number(text));
  return {
    unit: String(unit),
    slice: String(slice),
    target: String(target),
    rowsBefore: count(rowsBefore),
    kept: count(kept),
    newerRun: newerRun ?? undefined,
    undone: undone === 't',
  };
}

function versionOf(row: Row): SliceVersionRecord {
  const [
    id,
    run,
    unit,
    task,
    slice,
    target,
    lower,
    upper,
    rows,
    rowChecksum,
    algorithm,
    codeHash,
    inputs,
    committedAt,
    madeAt,
  ] = row;
  return {
    id: Number(id),
    madeAt: Number(madeAt),
    run: String(run),
    unit: String(unit),
    task: String(task),
    slice: String(slice),
    target: String(target),
    lower: lower == null ? Number.NEGATIVE_INFINITY : Number(lower),
    upper: upper == null ? Number.POSITIVE_INFINITY : Number(upper),
    rows: Number(rows),
    rowChecksum: String(rowChecksum),
    algorithm: String(algorithm),
    codeHash: String(codeHash),
    inputs: (JSON.parse(inputs ?? 'null') as SliceVersionRecord['inputs'] | null) ?? undefined,
    committedAt: instant(Number(committedAt)),
  };
}

function recordOf([unit, state, attempts, message, durationMs, slices, lost]: Row): UnitRecord {
  return {
    unit: String(unit),
    state: state as UnitState,
    attempts: Number(attempts),
    message: message ?? undefined,
    durationMs: durationMs === null || durationMs === undefined ? undefined : Number(durationMs),
    slices: JSON.parse(slices ?? '[]') as UnitRecord['slices'],
    ...(lost === 't' ? { lost: true } : {}),
  };
}
