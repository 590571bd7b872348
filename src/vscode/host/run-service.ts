import { existsSync } from 'node:fs';
import { activeRuns } from '../../core/ledger/active-overlaps.ts';
import type { LedgerStore } from '../../core/ledger/ledger-store.ts';
import { readLedger } from '../../core/ledger/slice-states.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { type StaleSlice, staleInWords, staleSlices } from '../../core/ledger/stale-slices.ts';
import { carriedExecutor } from '../../core/run/carried/carried-executor.ts';
import { onceThere } from '../../core/run/carried/once-there.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import type { UnitEngine } from '../../core/run/engine/unit-engine.ts';
import { outsideTasks, previewing, proving, type Rehearsal } from '../../core/run/irrevocable/outside-words.ts';
import { rehearsed } from '../../core/run/irrevocable/with-outside.ts';
import { isMarkRefusal, unitsToMark } from '../../core/run/order/mark-done.ts';
import { resumeRun } from '../../core/run/order/resume-run.ts';
import { type RunPorts, runPlan } from '../../core/run/order/run-plan.ts';
import { readDatabase } from '../../core/run/preflight/read-database.ts';
import { checkPreviewPlace } from '../../core/run/relational/preview/check-preview-place.ts';
import type { ProofOptions } from '../../core/run/relational/prove/prove.ts';
import { provePlan } from '../../core/run/relational/prove/prove-plan.ts';
import { recordElsewhere } from '../../core/run/relational/record-elsewhere.ts';
import type { RelationalRunner } from '../../core/run/session/runner.ts';
import { isUndoRefusal, prepareUndo } from '../../core/run/stored/prepare-undo.ts';
import { decodeRunDocument, encodeRunDocument, type RunDocument } from '../../core/run/stored/run-document.ts';
import {
  type SliceSurvey,
  type SurveySlice,
  surveyLimitMs,
  surveySlices,
} from '../../core/run/survey/survey-slices.ts';
import { previewTimeBoxMs } from '../../core/run/unit/preview-end.ts';
import type { RunEvent } from '../../core/run/unit/run-event.ts';
import { defaultRunOptions, type RunOptions } from '../../core/run/unit/run-options.ts';
import type { RunResult } from '../../core/run/unit/run-result.ts';
import type { UnitExecutor } from '../../core/run/unit/unit-executor.ts';
import { isOnFiles, type UnitJob } from '../../core/run/unit/unit-job.ts';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';
import { newRunId } from '../../node/run-id.ts';
import { systemClock } from '../../node/system-clock.ts';
import { openScheduler } from '../../orchestrators/open.ts';
import { openWarehouse, targetOf } from '../../warehouses/open.ts';
import { observedOn } from './observed-on.ts';
import type { OutsideQuestions, RunAnswer, RunApi, StaleEntry, WorldAnswer } from './run-api.ts';
import { schedulerAnswer } from './scheduler-answer.ts';

/** The run thread's functions. Each call opens the database and closes it again: nothing is held between runs. */
export function createRunApi(onEvent: (event: RunEvent) => void): RunApi {
  /** One for the thread: a cancel may come before the call that it is meant for, or while its database is opened. */
  const cancelling = new AbortController();
  const { signal } = cancelling;

  const ports = (executor: UnitExecutor): Omit<RunPorts, 'ledger'> => ({
    executor,
    clock: systemClock,
    signal,
    onEvent,
  });
  /** Runs units from here, and gives the others to the scheduler where there is one, once it answers. */
  const executorOn = async (
    warehouse: Warehouse,
    env: RelationalRunner,
    scheduler: SchedulerConfig | undefined,
    options: RunOptions,
  ): Promise<UnitExecutor> => {
    const here = engineOf(warehouse).executor(env);
    if (scheduler === undefined) return here;
    const waiting = { clock: systemClock, signal, onEvent };
    return carriedExecutor(await onceThere(() => openScheduler(scheduler), options, waiting), warehouse, env, here);
  };
  const ended = (result: RunResult): RunAnswer => ({ kind: 'ended', result });
  const foretell = async (
    engine: UnitEngine,
    { jobs }: RunDocument,
    purpose: Parameters<UnitEngine['forecast']>[1],
  ): Promise<void> => {
    const own = [...jobs.values()].filter(({ carried }) => carried === undefined);
    onEvent({ kind: 'forecast', forecast: await engine.forecast(own, purpose) });
  };

  return {
    start({ connection, mode, insteadOf, run, title, createdBy, document, scheduler, irrevocable }) {
      const prepared = { run, title, createdBy, ...decode(document) };
      const env = { clock: systemClock, owner: createdBy };
      if (mode === 'run') {
        return withLedger(connection, async (ledger, warehouse) => {
          const executor = await executorOn(warehouse, env, scheduler, prepared.options);
          const engine = engineOf(warehouse);
          const running = { ...ports(executor), ledger, preflight: engine.preflight };
          const known = await engine.sift(prepared);
          await foretell(engine, known, 'run');
          return ended(await runPlan(known, running));
        });
      }
      return withWarehouse(connection, async (warehouse) => {
        if (insteadOf !== undefined) {
          const realTarget = insteadOf.connection && (await targetOf(insteadOf.connection).catch(() => undefined));
          const place = { connection: connection.name, insteadOf: insteadOf.name, realTarget };
          await checkPreviewPlace(
            warehouse,
            place,
            [...prepared.jobs.values()].filter((job) => !isOnFiles(job, warehouse)),
          );
        }
        const engine = engineOf(warehouse);
        const sure = await confirmed(engine, prepared, previewing, irrevocable);
        if ('kind' in sure) return sure;
        const preview = engine.preview(env, previewTimeBoxMs, [...sure.jobs.values()]);
        try {
          // The ledger of a clone knows runs of the time when it was made.
          const active = insteadOf === undefined ? activeRuns(warehouse) : undefined;
          const asked = { ledger: undefined, activeRuns: active, preflight: engine.preflight };
          const running = { ...ports(preview.executor), ...asked };
          await foretell(engine, sure, { timeBoxMs: previewTimeBoxMs });
          const result = await runPlan(sure, running);
          return { kind: 'ended', result, previewed: await preview.end() };
        } finally {
          await preview.end();
        }
      });
    },
    resume: ({ connection, run, createdBy, codeHashes, acceptHeld, scheduler }) =>
      withLedger(connection, async (ledger, warehouse) => {
        const env = { clock: systemClock, owner: createdBy };
        const executor = await executorOn(warehouse, env, scheduler, await optionsOf(ledger, run));
        const request = { run, codeHashes: new Map(codeHashes), acceptHeld };
        return ended(await resumeRun(request, { ...ports(executor), ledger }));
      }),
    prove: ({ connection, createdBy, document, irrevocable }) =>
      withWarehouse(connection, async (warehouse) => {
        const env = { clock: systemClock, owner: createdBy };
        const engine = engineOf(warehouse);
        const prove = (job: UnitJob, among: Pick<ProofOptions, 'fillers' | 'inTurn'>) =>
          engine.prove(env, job, { signal, timeBoxMs: previewTimeBoxMs, ...among });
        const sure = await confirmed(engine, decode(document), proving, irrevocable);
        if ('kind' in sure) return sure;
        const proofs = await provePlan(prove, sure, { signal, clock: systemClock, onEvent });
        return { kind: 'proved' as const, proofs };
      }),
    markDone: ({ connection, run, units, createdBy, options }) =>
      withLedger(connection, async (ledger, warehouse) => {
        const found = await unitsToMark(run, units, ledger);
        if (isMarkRefusal(found)) return { kind: 'refused' as const, ...found };
        const env = { clock: systemClock, owner: createdBy };
        for (const { unit, job } of found.units)
          await recordElsewhere(warehouse, env, { run, unit, job, options: job?.options ?? options });
        return { kind: 'marked' as const };
      }),
    observed: ({ connection, ...asked }) => withWarehouse(connection, (warehouse) => observedOn(warehouse, asked)),
    definitions: ({ connection, named }) =>
      withWarehouse(connection, async (warehouse) => ({
        kind: 'known' as const,
        database: await readDatabase(warehouse, named, connection.settings),
      })),
    planUndo: ({ connection, run, units, createdBy }) =>
      withLedger(connection, async (ledger, warehouse) => {
        const now = systemClock.now();
        const asked = await prepareUndo({ run, units, as: newRunId(now), createdBy, now }, ledger);
        if (isUndoRefusal(asked)) return { kind: 'refused' as const, ...asked };
        const made = await engineOf(warehouse).sift(asked);
        const task = made.plan.units[0]?.task ?? '';
        const undo = { run: made.run, title: made.title, document: encodeRunDocument(made), task };
        return { kind: 'planned' as const, undo };
      }),
    stale: ({ connection, codeHashes }) =>
      withLedger(connection, async (ledger) => {
        const versions = await ledger.newestVersions();
        const stale = staleSlices(versions, new Map(codeHashes)).map(staleEntry);
        return { kind: 'listed' as const, known: versions.length, stale };
      }),
    async sliceStates({ connection, codeHashes, slices, sum, runs: most }) {
      // Opening an embedded database makes one.
      if (connection.engine === 'pglite' && !existsSync(connection.directory)) {
        return { kind: 'known', states: [], runs: [], rows: [], columns: [], sums: [], untold: [] };
      }
      return withWarehouse(connection, async (warehouse) => {
        const { states, runs } = await readLedger(warehouse, new Map(codeHashes), most);
        const { rows, columns, sums, untold } = await surveyed(warehouse, slices, connection.settings, sum);
        return { kind: 'known' as const, states, runs, rows: [...rows], columns, sums: [...sums], untold };
      });
    },
    async cancel() {
      cancelling.abort();
    },
    history: ({ connection, limit }) =>
      withLedger(connection, async (ledger) => ({ runs: await ledger.listRuns(limit) })),
    stored: ({ connection, run }) =>
      withLedger(connection, async (ledger) => {
        const stored = await ledger.loadRun(run);
        if (stored === undefined) throw new Error(`there is no run ${run} in this database's ledger`);
        // An embedded database serves one process, which is this one.
        const workedOnBy = connection.engine === 'pglite' ? undefined : stored.workedOnBy;
        return { document: stored.document, title: stored.title, units: await ledger.units(run), workedOnBy };
      }),
  };
}

/** What may be rehearsed of a plan, or what has to be asked before that is known. */
async function confirmed<T extends RunDocument>(
  engine: UnitEngine,
  prepared: T,
  rehearsal: Rehearsal,
  irrevocable: readonly string[] | undefined,
): Promise<T | OutsideQuestions> {
  const known = await engine.sift(prepared);
  const tasks = irrevocable === undefined ? outsideTasks(known.jobs, rehearsal, new Set()) : [];
  return tasks.length > 0 ? { kind: 'asks', tasks } : rehearsed(known, rehearsal, new Set(irrevocable));
}

/** In a session of its own, which ends with it. */
async function surveyed(
  warehouse: Warehouse,
  slices: readonly SurveySlice[],
  settings: Readonly<Record<string, string>>,
  sum: string | undefined,
): Promise<SliceSurvey> {
  if (slices.length === 0) return { rows: new Map(), columns: [], sums: new Map(), untold: [] };
  const session = await warehouse.connect('unit');
  try {
    return await surveySlices(session, slices, surveyLimitMs, settings, sum);
  } finally {
    await session.close();
  }
}

function decode(document: string): RunDocument {
  const decoded = decodeRunDocument(document);
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.value;
}

function staleEntry({ version, reasons }: StaleSlice): StaleEntry {
  const { unit, task, target, lower, upper, committedAt } = version;
  return { unit, task, table: target, lower, upper, madeAt: committedAt, reasons: reasons.map(staleInWords) };
}

function withLedger<T>(
  connection: ConnectionConfig,
  work: (ledger: LedgerStore, warehouse: Warehouse) => Promise<T>,
): Promise<T | WorldAnswer> {
  return withWarehouse(connection, async (warehouse) => {
    const ledger = sqlLedgerStore(warehouse);
    try {
      return await work(ledger, warehouse);
    } finally {
      await ledger.close();
    }
  });
}

/** A run that cannot be read is refused when it is gone on with. */
async function optionsOf(ledger: LedgerStore, run: string): Promise<RunOptions> {
  const stored = await ledger.loadRun(run);
  const decoded = stored && decodeRunDocument(stored.document);
  return decoded?.ok === true ? decoded.value.options : defaultRunOptions;
}

/** SQLSTATE of a password that is wrong or missing. */
const wrongPassword = '28P01';

/** The page shows locks, traces and proofs of a database; of a lake none of them would be true. */
const onCommandLine = (name: string): WorldAnswer => ({
  kind: 'world',
  error: 'other',
  message: `${name} is a connection of Spark, and those are worked on from the command line`,
  remedy: `in a terminal of this folder: backfill run TASK --from DAY --to DAY --connection ${name} --preview`,
});

/** What the world says (no server, a wrong password, no rights) is an answer; anything else is a bug and throws. */
async function withWarehouse<T>(
  connection: ConnectionConfig,
  work: (warehouse: Warehouse) => Promise<T>,
): Promise<T | WorldAnswer> {
  if (connection.engine === 'spark') return onCommandLine(connection.name);
  try {
    const warehouse = await openWarehouse({ ...connection, lakes: undefined });
    try {
      return await work(warehouse);
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) return schedulerAnswer(error);
    const { detail, kind, message } = error;
    const refused = detail.sqlState === wrongPassword ? 'password' : kind;
    return { kind: 'world', error: refused, message, remedy: detail.hint };
  }
}
