import { ensureLedger } from '../../ledger/ensure-ledger.ts';
import { nameParts } from '../../sql/model/name-parts.ts';
import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Lake, Session, Warehouse } from '../../warehouse/port/ports.ts';
import { lostClaim } from '../claim/fence.ts';
import { startHeartbeat } from '../claim/heartbeat.ts';
import { cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { isCancellation, unitErrorOf } from '../session/unit-error.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { type KeptFolders, keptFolders } from './kept-folders.ts';
import type { LakeRun } from './lake-run.ts';
import { refusedOutcome } from './refused-outcome.ts';
import { clear, runPartitioned } from './run-partitioned.ts';
import { sweepFolders } from './sweep-folders.ts';
import { cannotUndo } from './target/cannot-undo.ts';
import { lakeTarget } from './target/lake-table.ts';
import { type Overwrite, type OwnPartitions, readOverwrite } from './target/overwrite.ts';

/** Units at once that one Spark is given: its own scheduler shares out what it has. */
const maxConcurrency = 4;

/** Runs units whose tables are files, with claims and records in the warehouse that the lake hangs on. */
export function partitionedExecutor(
  warehouse: Warehouse,
  openLake: () => Promise<Lake>,
  env: RelationalRunner,
): UnitExecutor {
  const types: TypeCache = new Map();
  const heartbeat = startHeartbeat(warehouse, env.clock);
  const atWork = new Set<UnitJob>();
  /** Sessions of our own statements, for the next unit; they end with the lake. */
  const idle: Session[] = [];

  const execute: UnitExecutor['execute'] = async (job, signal, follows = []) => {
    const startedAt = env.clock.now();
    const durationMs = () => env.clock.now() - startedAt;
    const overwrite = job.restores === undefined ? readOverwrite(job) : undefined;
    if (overwrite?.kind === 'refused') return refusedOutcome(overwrite, durationMs());
    if (signal.aborted) return { state: 'cancelled', confirmed: true, durationMs: 0 };
    let ledger: Session | undefined;
    let steady: Session | undefined;
    let run: LakeRun | undefined;
    atWork.add(job);
    try {
      const lake = await openLake();
      steady = idle.pop() ?? (await lake.connect('own'));
      const own = cancellable(steady, signal);
      ledger = await warehouse.connect('unit');
      await ensureLedger(warehouse, ledger);
      const source = overwrite ?? (await foldersOfBefore(ledger, job));
      const at = await lakeTarget(own.session, ownOf(job, source), lake.serverVersion);
      const around = { job, warehouse, env, types, heartbeat, atWork, follows, claim: undefined };
      run = { ...around, lake, source, at, own: own.session, steady, signal, targets: [at.target] };
      const steps = cancellable(ledger, signal);
      try {
        const outcome = await runPartitioned(run, ledger, steps);
        idle.push(steady);
        steady = undefined;
        return outcome;
      } finally {
        steps.release();
        own.release();
      }
    } catch (thrown) {
      // Where that cannot be done, it is when the unit is tried again.
      if (run !== undefined) await clear(run).catch(() => undefined);
      const ended = await abandon(ledger, run);
      if (signal.aborted && isCancellation(thrown))
        return { state: 'cancelled', confirmed: ended, durationMs: durationMs() };
      const error = unitErrorOf(run?.claim?.lost === true && isCancellation(thrown) ? lostClaim() : thrown);
      return { state: 'failed', error, durationMs: durationMs() };
    } finally {
      atWork.delete(job);
      // The locks of the session end with it.
      await ledger?.close();
      await steady?.close();
    }
  };
  const forget = async (days: number): Promise<void> => {
    const ledger = await warehouse.connect('unit');
    let session: Session | undefined;
    const connectLake = async (): Promise<Session> => {
      session = idle.pop() ?? (await (await openLake()).connect('own'));
      return session;
    };
    try {
      await sweepFolders(
        ledger,
        connectLake,
        days,
        `backfill_sweep_${env.owner}`.replace(/\W+/g, '_').slice(0, 100).toLowerCase(),
      );
    } finally {
      await ledger.close();
      await session?.close();
    }
  };
  return { execute, maxConcurrency: warehouse.maxSessions === 1 ? 1 : maxConcurrency, forget };
}

async function foldersOfBefore(ledger: Session, { restores, slices }: UnitJob): Promise<KeptFolders> {
  const kept = restores && (await keptFolders(ledger, restores));
  if (kept === undefined) throw cannotUndo(slices[0]?.table ?? 'the unit', 'its folders of before were not kept');
  return kept;
}

function ownOf({ slices }: UnitJob, source: Overwrite | KeptFolders): OwnPartitions {
  if (source.kind === 'ready') return source;
  const [slice] = slices;
  if (slice?.column === undefined) throw cannotUndo(slice?.table ?? 'the unit', 'which partitions it has is not known');
  return { slice: { ...slice, column: slice.column }, target: nameParts(slice.table), fixed: source.fixed };
}

/** Rolls back and gives the claim up; true when the server answered to the end. */
async function abandon(session: Session | undefined, run: LakeRun | undefined): Promise<boolean> {
  try {
    await session?.query('rollback');
    if (run?.claim !== undefined) await session?.query(deleteClaimSql, [run.claim.fence]);
    return true;
  } catch {
    // The connection is gone: the claim ends with its lease, or with the next one of this run.
    return false;
  }
}
