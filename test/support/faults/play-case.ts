import { expect } from 'vitest';
import { sqlLedgerStore } from '../../../src/core/ledger/sql-ledger-store.ts';
import type { Plan } from '../../../src/core/plan/model/plan.ts';
import { runPlan } from '../../../src/core/run/order/run-plan.ts';
import { relationalExecutor } from '../../../src/core/run/relational/relational-executor.ts';
import { isUndoRefusal, prepareUndo } from '../../../src/core/run/stored/prepare-undo.ts';
import type { RunResult } from '../../../src/core/run/unit/run-result.ts';
import type { Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { historyOf } from '../random-pipelines/arbitrary.ts';
import { stagesOf } from '../random-pipelines/change.ts';
import {
  type ChangedCase,
  changedCase,
  committedTwice,
  diedWith,
  newRun,
  resumeUntilTold,
  same,
} from '../random-pipelines/changed-case.ts';
import { dayMs, floorDay } from '../random-pipelines/civil.ts';
import { ledgerDisagreements } from '../random-pipelines/database.ts';
import type { TaskModel } from '../random-pipelines/model.ts';
import {
  done,
  planOf,
  type Runner,
  resumeIt,
  runIt,
  type Selected,
  summary,
} from '../random-pipelines/pipeline-run.ts';
import { neverAborted, realClock } from '../warehouse-fixture.ts';
import { type FaultyProxy, openProxy } from './faulty-proxy.ts';
import { leftBehind, staleUnits } from './left-behind.ts';
import { caseOf, type Fault, type Scenario } from './scenario.ts';
import { leaseMs, lockTimeoutMs, type Struck, strikeAt } from './strike.ts';
import type { Theatre } from './theatre.ts';

/** What a case met, for the account of a long run. */
export interface Played {
  readonly struck: readonly string[];
  readonly units: number;
}

/**
 * One random pipeline with a history, a change, and the backfill that follows it, whatever goes wrong meanwhile. Throws
 * where what is left at the end is not what one clean run would have left.
 */
export async function playCase(theatre: Theatre, seed: number): Promise<Played> {
  const { one, scenario } = caseOf(seed);
  const schema = `c${seed}`;
  const { session, effects } = theatre;
  const changed = await changedCase(theatre, { ...one, model: { ...one.model, schema } }, scenario.history);
  const begun = await effects.now(schema);
  const struck: string[] = [];
  const { plan } = changed;
  if (plan !== undefined) {
    const play = new Play(theatre, changed, plan, scenario, struck);
    const runs = await play.all();
    await same(session, changed.runner, changed.expected, 'in the end');
    for (const run of runs) none(`committed twice or not at all by ${run}`, await committedTwice(session, run));
    const swaps = one.model.tasks.filter(({ extra }) => extra === 'swap');
    none('effects', await effects.wrong(schema, begun, new Set(swaps.map(({ table }) => `${schema}.${table}`))));
    none('the ledger and the tables', await ledgerDisagreements(session, changed.runner.model));
    none('left behind', await leftBehind(session));
    // What a plan of other tasks read of a history that nobody recorded, the ledger cannot know.
    const unrecorded = scenario.history === 'found' && scenario.turn === 'other plan';
    if (!unrecorded) none('stale', await staleUnits(theatre.warehouse, changed));
  }
  await session.query(`drop schema ${schema} cascade`);
  return { struck, units: plan?.units.length ?? 0 };
}

function none(what: string, found: readonly string[]): void {
  if (found.length > 0) throw new Error(`${what}: ${found.length}\n${found.slice(0, 20).join('\n')}`);
}

type Begun =
  | { readonly kind: 'run' }
  | { readonly kind: 'resume'; readonly run: string }
  | { readonly kind: 'undo'; readonly run: string };

/** A process that worked, until it ended or died. `run` is missing where nothing of it is in the ledger. */
interface Life {
  readonly run: string | undefined;
  readonly outcome: 'done' | 'overlapping' | 'other';
}

class Play {
  constructor(
    private readonly theatre: Theatre,
    private readonly changed: ChangedCase,
    private readonly plan: Plan,
    private readonly scenario: Scenario,
    private readonly struck: string[],
  ) {}

  private get options() {
    return { leaseMs, lockTimeoutMs, lockTable: this.scenario.lockTable };
  }

  /** Until all is done; the runs that must be whole then. */
  async all(): Promise<readonly string[]> {
    const { turn, lives, undoFault } = this.scenario;
    const others: Promise<string | undefined>[] = [];
    const besides = (other: Promise<string | undefined>): void => {
      // Looked at in the end.
      other.catch(() => undefined);
      others.push(other);
    };
    let run: string | undefined;
    for (const [index, fault] of lives.entries()) {
      if (index === 1 && turn === 'same run' && run !== undefined) besides(this.resumed(run));
      const beside =
        index === 0 && (turn === 'same plan' || turn === 'other plan')
          ? (): void => besides(this.rival(turn))
          : undefined;
      const life = await this.life(run === undefined ? { kind: 'run' } : { kind: 'resume', run }, fault, beside);
      run ??= life.run;
      if (index === 0 && turn === 'undo between' && run !== undefined) {
        if (await this.undone(run, undoFault)) {
          const resumed = await resumeIt(this.changed.runner, run).catch(diedWith);
          expect(resumed?.refusal?.code).toBe('undone');
          run = undefined;
        }
      }
    }
    run = await this.finished(run);
    const whole = [run, ...(await Promise.all(others))].filter((one) => one !== undefined);
    if (turn === 'undo after' && (await this.undone(run, undoFault))) {
      const again = newRun('redo');
      expect(summary(await runIt(this.changed.runner, this.plan, { run: again, options: this.options }))).toEqual(done);
      whole.push(again);
    }
    return whole;
  }

  /** Starts or resumes until the run is done, without any fault. */
  private async finished(begun: string | undefined): Promise<string> {
    let run = begun;
    for (let tries = 0; tries < 60; tries++) {
      if (run !== undefined) {
        const result = await resumeUntilTold(this.changed.runner, run);
        if (result?.units.some(isRefilled) === true) {
          run = undefined;
          continue;
        }
        expect(result === undefined ? undefined : summary(result)).toEqual(done);
        return run;
      }
      const started = newRun('backfill');
      const result = await runIt(this.changed.runner, this.plan, { run: started, options: this.options }).catch(
        diedWith,
      );
      if (result?.refusal?.code !== 'overlapping-run' && (await this.isSaved(started))) run = started;
      else await realClock.sleep(200);
    }
    throw new Error('another run holds the slices for ever');
  }

  private async resumed(run: string): Promise<string> {
    await resumeUntilTold({ ...this.changed.runner, owner: 'second' }, run);
    return run;
  }

  /** Somebody else with the same plan, or with one of another grain and range that overlaps it. */
  private async rival(turn: 'same plan' | 'other plan'): Promise<string | undefined> {
    const runner: Runner = { ...this.changed.runner, owner: 'rival' };
    const plan = turn === 'same plan' ? this.plan : planOf(runner, this.otherSelection());
    const run = newRun('rival');
    const result = await runIt(runner, plan, { run, options: this.options }).catch(diedWith);
    if (result?.outcome === 'refused' || !(await this.isSaved(run))) return undefined;
    // A person gives up where the other one has begun meanwhile; that one does the same units.
    const told = result?.outcome === 'done' ? result : await resumeUntilTold(runner, run);
    return told?.outcome === 'done' ? run : undefined;
  }

  private otherSelection(): Selected {
    const { model } = this.changed.runner;
    const { task, from, days } = this.scenario.otherPlan;
    const aim = model.tasks[task % model.tasks.length] as TaskModel;
    const [begin, end] = historyOf(model);
    const first = floorDay(begin + ((end - begin) * from) / 100);
    return { tasks: [aim.id, ...stagesOf(aim, model)], from: first, to: first + days * dayMs };
  }

  /** Takes a run back, with a fault on the way; false where it changed nothing. */
  private async undone(run: string, fault: Fault): Promise<boolean> {
    const { runner, before } = this.changed;
    let undo: string | undefined;
    const changes = await this.theatre.session.query(
      "select 1 from backfill_ledger.versions where run = $1 and state = 'changed' limit 1",
      [run],
    );
    if (changes.rows.length === 0) return false;
    undo = (await this.life({ kind: 'undo', run }, fault)).run;
    for (let tries = 0; tries < 60; tries++) {
      if (undo !== undefined) {
        const result = await resumeUntilTold(runner, undo);
        expect(result === undefined ? undefined : summary(result)).toEqual(done);
        await same(this.theatre.session, runner, before, `the undo of ${run}`);
        return true;
      }
      undo = (await this.undoHere(run, runner.warehouse)).run;
      if (undo === undefined) await realClock.sleep(200);
    }
    throw new Error(`${run} cannot be undone`);
  }

  private async undoHere(run: string, warehouse: Warehouse): Promise<Life> {
    const as = newRun('undo');
    const ledger = sqlLedgerStore(warehouse);
    const executor = relationalExecutor(warehouse, { clock: realClock, owner: 'undoer' });
    try {
      const prepared = await prepareUndo(
        { run, units: undefined, as, createdBy: 'undoer', now: this.plan.now },
        ledger,
      );
      if (isUndoRefusal(prepared)) throw new Error(prepared.message);
      const quick = { ...prepared, options: { ...prepared.options, backoffMs: 20, maxBackoffMs: 200 } };
      const ports = { executor, ledger, clock: realClock, signal: neverAborted, onEvent: () => {} };
      return lifeOf(as, await runPlan(quick, ports), await this.isSaved(as));
    } catch (error) {
      diedWith(error);
      return { run: (await this.isSaved(as)) ? as : undefined, outcome: 'other' };
    } finally {
      await executor.close();
      await ledger.close();
    }
  }

  /**
   * One process, in this one or on its own, that meets its fault; what goes on beside it begins with it, or when the fault
   * has struck.
   */
  private async life(begun: Begun, fault: Fault, beside?: () => void): Promise<Life> {
    const shipped = this.scenario.shipped || fault.kind === 'killed' || fault.kind === 'stopped';
    const units = this.plan.units.length;
    // As measured: a command line asks a few things before its first unit and after its last one.
    const expected = { statements: 16 + units * 36, commits: 3 + units * 2, units: units * 4 };
    let proxy: FaultyProxy | undefined;
    let pid: number | undefined;
    const strike = strikeAt(fault, expected, () => ({
      connect: () => this.theatre.warehouse.connect('ledger'),
      disk: this.theatre.disk,
      proxy: () => proxy as FaultyProxy,
      tables: this.tables(),
      process: pid,
      restart: () => this.theatre.server.restart(),
    }));
    proxy = await openProxy(this.theatre.server.port, strike.watch);
    const atStrike = fault.which % 3 > 0;
    if (!atStrike) beside?.();
    else void strike.when.then(beside);
    try {
      const life = shipped
        ? await this.shippedLife(begun, proxy.port, fault, strike, (child) => {
            pid = child;
          })
        : await this.lifeHere(begun, proxy.port);
      if (strike.struck()) this.struck.push(fault.kind);
      if (!strike.struck() && atStrike) beside?.();
      return life;
    } finally {
      await strike.over().finally(proxy.close);
      await this.theatre.session.query('select 1');
    }
  }

  private tables(): readonly string[] {
    const { schema, tasks } = this.changed.runner.model;
    return ['raw_events', ...tasks.map(({ table }) => table)].map((table) => `${schema}.${table}`);
  }

  private async lifeHere(begun: Begun, port: number): Promise<Life> {
    const run = begun.kind === 'resume' ? begun.run : newRun('backfill');
    let warehouse: Warehouse | undefined;
    try {
      warehouse = await this.theatre.through(port);
      const runner: Runner = { ...this.changed.runner, warehouse, owner: `owner of life ${port}` };
      if (begun.kind === 'undo') return await this.undoHere(begun.run, warehouse);
      const result =
        begun.kind === 'run'
          ? await runIt(runner, this.plan, { run, options: this.options, maxAttempts: 2 })
          : await resumeIt(runner, run);
      return lifeOf(run, result, begun.kind === 'resume' || (await this.isSaved(run)));
    } catch (error) {
      diedWith(error);
      return { run: begun.kind === 'resume' || (await this.isSaved(run)) ? run : undefined, outcome: 'other' };
    } finally {
      await warehouse?.close();
    }
  }

  private async shippedLife(
    begun: Begun,
    port: number,
    { kind }: Fault,
    strike: Struck,
    born: (pid: number | undefined) => void,
  ): Promise<Life> {
    const { theatre, changed } = this;
    const { lockTable } = this.scenario;
    const before = new Set(await this.runs());
    const life = theatre.cli(port, this.words(begun), { timezone: changed.runner.model.sessionZone, lockTable });
    born(life.child.pid);
    const struck = await Promise.race([life.ended.then(() => false), strike.when.then(() => true)]);
    const mine = async () =>
      begun.kind === 'resume' ? begun.run : (await this.runs()).find((run) => !before.has(run) && !ours.test(run));
    if (struck && kind === 'stopped') {
      const run = await mine();
      // Whoever looks after it takes it for dead; then it goes on.
      if (run !== undefined) await resumeUntilTold({ ...changed.runner, owner: 'successor' }, run);
      life.child.kill('SIGCONT');
    }
    const { code, signal, err } = await life.ended;
    if (code !== null && ![0, 1].includes(code))
      throw new Error(`${this.words(begun).join(' ')} ended with ${code ?? signal}: ${err}`);
    if (err.includes('internal error')) throw new Error(err);
    return { run: await mine(), outcome: code === 0 ? 'done' : 'other' };
  }

  private words(begun: Begun): readonly string[] {
    const json = ['--format', 'json'];
    if (begun.kind === 'resume') return ['resume', begun.run, ...json];
    if (begun.kind === 'undo') return ['undo', begun.run, '--yes', ...json];
    const { tasks, from, to } = this.changed.changed.selection as Selected;
    const iso = (instant: number): string => new Date(instant).toISOString();
    const range = ['--logical-dates', `${iso(from)}..${iso(to - 1)}`, '--now', iso(this.changed.runner.model.now)];
    return ['run', ...tasks, ...range, '--downstream', '--expand-unbounded', '--yes', ...json];
  }

  private async runs(): Promise<readonly string[]> {
    return (await this.theatre.session.query('select run from backfill_ledger.runs')).rows.map(([run]) => String(run));
  }

  private async isSaved(run: string): Promise<boolean> {
    return (
      (await this.theatre.session.query('select 1 from backfill_ledger.runs where run = $1', [run])).rows.length > 0
    );
  }
}

/** Ids that {@link newRun} gives, unlike those of the command line. */
const ours = /^[a-z]+-\d+$/;

const lifeOf = (run: string, { outcome, refusal }: RunResult, saved: boolean): Life => ({
  run: refusal?.code === 'overlapping-run' || !saved ? undefined : run,
  outcome: outcome === 'done' ? 'done' : refusal?.code === 'overlapping-run' ? 'overlapping' : 'other',
});

/** Another run has filled a table that holds one interval at a time: only a new run can fill it anew. */
const isRefilled = ({ state, message }: RunResult['units'][number]): boolean =>
  state === 'failed' && message?.includes('since then run') === true;
