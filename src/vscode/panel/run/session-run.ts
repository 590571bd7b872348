import type { UnitRecord, UnitState } from '../../../core/ledger/ledger-store.ts';
import type { UnitId } from '../../../core/plan/model/plan.ts';
import type { UnitProof } from '../../../core/run/relational/prove/prove.ts';
import type { RunProgress } from '../../../core/run/unit/run-event.ts';
import type { RunResult, RunUnit } from '../../../core/run/unit/run-result.ts';
import type { SchedulerConfig } from '../../../core/scheduler/port/scheduler-config.ts';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { ConnectionConfig } from '../../../core/warehouse/port/connection-config.ts';
import type { PlanView, UnitDetail } from '../../../protocol/assistant-state.ts';
import type { Remote } from '../../host/rpc.ts';
import type { InsteadOf, RunApi, WorldAnswer } from '../../host/run-api.ts';
import type { PreparedAnswer } from '../../host/workspace-api.ts';
import type { RunState, SessionFacts } from '../facts/session-facts.ts';
import { pageOptions } from '../facts/session-options.ts';
import type { KeptRun, SessionServices } from '../facts/session-services.ts';
import type { SessionStore, UnitKnowledge } from '../facts/session-store.ts';
import { busyWords, cancelledBefore, cancellingWords } from '../words/outcome-words.ts';
import { previewNotes } from '../words/preview-notes.ts';
import { unitDetail } from '../words/unit-detail.ts';
import { askOutside } from './ask-outside.ts';
import { askRunThread, triesWhileHeld } from './ask-run-thread.ts';
import { begunRun } from './begun-run.ts';
import { endedProof, endedRun, lostRun } from './ended-run.ts';
import type { ShownUndo } from './plan-undo.ts';
import { revivedRun } from './revived-run.ts';
import { isWorld, stopAsking } from './slice-knowledge.ts';
import { tellEditor } from './tell-editor.ts';
import { unitMarks } from './unit-marks.ts';
import { withLogins } from './with-logins.ts';

/** The run of a session: it goes on in a thread of its own, whether or not a page looks at it. */
export interface SessionRun extends UnitKnowledge {
  readonly running: boolean;
  /** From the press of a button until its thread has ended: the plan and what is known of its run must not change. */
  readonly busy: boolean;
  readonly progress: RunProgress | undefined;
  readonly kept: KeptRun | undefined;
  readonly results: readonly (RunUnit | UnitRecord)[];
  /** Does with the plan that is shown what the mode says; a plan that undoes a run is done on the connection of that run. */
  start(mode: RunMode): Promise<void>;
  /** Goes on with what is left; held units are let through, all or these, or none. */
  resume(acceptHeld?: boolean | readonly UnitId[]): Promise<void>;
  cancel(): Promise<void>;
  /** A new plan: what ran before is no longer shown. */
  forget(): void;
  /** Shows a run as the ledger has it, after the editor was closed in the middle of it. */
  revive(run: KeptRun): Promise<void>;
  /** Shows the plan of an undo; nothing is written before it is started. */
  showUndo(undo: ShownUndo): Promise<void>;
  /** All that is known of a unit of the plan. */
  detailOf(index: number, known: UnitDetail | undefined, states: readonly UnitState[]): UnitDetail;
  dispose(): Promise<void>;
}

export function sessionRun(
  store: () => SessionStore,
  services: SessionServices,
  save: () => void,
  last: KeptRun | undefined,
): SessionRun {
  const { client, log } = services;
  let thread: Remote<RunApi> | undefined;
  /** What was pressed twice runs once. */
  let busy = false;
  /** Also before there is a thread that could be told. */
  let cancelled = false;
  /** What was there before a button was pressed, and still is where nothing came of it. */
  let before: Before = { run: undefined, kept: undefined, results: new Map() };
  /** The states that a run began with; `undefined` before it did. */
  let first: readonly UnitState[] | undefined;
  let results = new Map<string, RunUnit | UnitRecord>();
  let kept = last;
  let undo: ShownUndo | undefined;

  const endThread = async (): Promise<void> => {
    const ended = thread;
    thread = undefined;
    await ended?.stop();
  };
  const marks = unitMarks(store, log, (unit, result) => results.set(unit, result));

  /** `known`: what came of units before. */
  const begin = (run: string, mode: RunMode, connection: string, shown: PlanView, known?: typeof results): void => {
    if (mode === 'run') kept = { id: run, connection, finished: false, live: true };
    results = new Map(known);
    marks.forget();
    const begun = begunRun(run, mode, shown, results);
    first = begun.states;
    store().set({ selected: undefined, starting: false, busy: undefined, run: begun });
    save();
  };
  /** Nothing was done. */
  const stay = (error: SessionFacts['error']): void => {
    ({ kept, results } = before);
    store().set({ run: before.run, error });
  };

  const finish = (result: RunResult, mode: RunMode, traces: readonly string[] = []): void => {
    if (result.outcome === 'refused') {
      const { message = 'The run was refused.', remedy } = result.refusal ?? {};
      stay({ message, remedy });
    } else {
      for (const unit of result.units) {
        results.set(unit.unit, unit);
        marks.mark(unit.unit, unit.state);
      }
      if (kept !== undefined && mode === 'run') kept = { ...kept, finished: result.outcome === 'done', live: false };
      if (mode === 'run') tellEditor(client, result.units, Date.now());
      const { run } = store().state;
      if (run !== undefined)
        store().patchRun(endedRun(run, result, mode, traces, store().state.plan?.scheduler !== undefined));
    }
    save();
  };

  const finishProof = async (proofs: readonly UnitProof[]): Promise<void> => {
    await client.call('judge', { page: store().state.task, proofs });
    client.touch();
    const { plan, run } = store().state;
    if (run !== undefined) store().patchRun(endedProof(run, proofs, plan?.units.length ?? 0));
  };

  /** The run could not begin, or its thread was lost. What was committed stays, and can be resumed. */
  const fail = (mode: RunMode, message: string, remedy: string | undefined): void => {
    store().flush();
    const { run } = store().state;
    const begun = first;
    if (run === undefined || begun === undefined || run.states.every((state, index) => state === begun[index])) {
      stay({ message, remedy });
    } else {
      const next = mode === 'run' ? 'What was committed stays; resume the run to go on.' : undefined;
      store().set({ run: lostRun(run, message), error: { message, remedy: remedy ?? next } });
    }
    save();
  };

  /** The name of a protected connection is typed, for a run and for what is left of one. */
  const isConfirmed = async (name: string): Promise<boolean> => {
    const found = await client.call('connection', { name });
    // What is wrong with the connection is said when it is opened.
    if ('problem' in found || !found.protected) return true;
    const { connection } = store().state;
    return services.confirmProtected(name, (connection.name === name ? connection.target : undefined) ?? name);
  };

  const runOn = async <Answer extends { readonly kind: string }>(
    name: string,
    mode: RunMode,
    scheduler: string | undefined,
    work: (
      connection: ConnectionConfig,
      api: Remote<RunApi>,
      scheduler: SchedulerConfig | undefined,
    ) => Promise<Answer | WorldAnswer>,
    end: (answer: Answer) => void | Promise<void>,
  ): Promise<void> => {
    before = { run: store().state.run, kept, results };
    try {
      const answer = await withLogins<Answer>(services, name, scheduler, async (connection, login) => {
        await endThread();
        if (cancelled) return cancelledBefore;
        thread = services.startRunThread(marks.onEvent, (reason) => log.info(`run thread: ${reason}`));
        return work(connection, thread, login);
      });
      if ('problem' in answer) fail(mode, answer.problem, undefined);
      else if (isWorld(answer)) fail(mode, answer.message, answer.remedy);
      else await end(answer);
    } catch (error) {
      log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
      fail(mode, error instanceof Error ? error.message : String(error), undefined);
    }
  };

  /** One thing at a time, from the press of a button on. */
  const alone = async (work: () => Promise<void>): Promise<void> => {
    if (busy) throw new Error(busyWords);
    busy = true;
    cancelled = false;
    first = undefined;
    store().set({ busy: 'Starting…', starting: true, error: undefined });
    try {
      await stopAsking(client);
      await work();
    } finally {
      await endThread();
      busy = false;
      store().flush();
      // Whoever asked while the thread was ending saw a run that goes on.
      store().set({ busy: undefined, starting: false });
    }
  };

  const realConnection = async (name: string): Promise<InsteadOf> => {
    const found = await client.call('connection', { name });
    return { name, connection: 'problem' in found ? undefined : found };
  };

  const forget = (): void => {
    results = new Map();
    kept = undefined;
    undo = undefined;
  };

  const prepare = (
    connection: string,
    stamp: number,
    { settings }: ConnectionConfig,
    scheduler?: SchedulerConfig,
  ): Promise<PreparedAnswer | WorldAnswer> => {
    const { task, choose } = store().state;
    const { concurrency, stopAtFirstFailure } = choose.options;
    const options = pageOptions(choose.options, services.settings);
    const how = { connection, settings, options, concurrency, stopAtFirstFailure };
    return client.call('prepare', { page: task, stamp, scheduler, ...how });
  };

  const revive = async (run: KeptRun): Promise<void> => {
    const answer = await askRunThread(
      services,
      run.connection,
      (api, connection) => api.call('stored', { connection, run: run.id }),
      { tries: triesWhileHeld },
    ).catch((error: Error) => {
      throw new Error(`Run ${run.id} cannot be shown: ${error.message}`);
    });
    const plan = await client.call('adopt', { page: store().state.task, document: answer.document });
    results = new Map(answer.units.map((record) => [record.unit, record]));
    kept = run;
    store().set({ plan, selected: undefined, run: revivedRun(run, plan, results, answer.workedOnBy) });
  };

  const start = async (mode: RunMode): Promise<void> => {
    const { connection, plan } = store().state;
    const shownUndo = plan?.purpose.kind === 'undo' ? undo : undefined;
    const name = shownUndo?.connection ?? connection.name;
    if (name === undefined || plan === undefined) throw new Error('Choose a connection first.');
    if (mode === 'run' && !(await isConfirmed(name))) return;
    const { createdBy } = services;
    if (mode === 'prove') {
      await runOn(
        name,
        mode,
        undefined,
        async (config, api) => {
          const prepared = await prepare(name, plan.stamp, config);
          if ('kind' in prepared) return prepared;
          const { run, document } = prepared;
          begin(run, mode, name, plan);
          const proof = { connection: config, createdBy, document };
          return askOutside(services, (irrevocable) => api.call('prove', { ...proof, irrevocable }));
        },
        ({ proofs }) => finishProof(proofs),
      );
      return;
    }
    const isPlaced = mode === 'preview' && shownUndo === undefined;
    const place = isPlaced ? await client.call('previewPlace', { name }) : name;
    await runOn(
      place,
      mode,
      // What a scheduler does cannot be rolled back: previews leave it out.
      mode === 'run' ? plan.scheduler : undefined,
      async (config, api, scheduler) => {
        const prepared = shownUndo ?? (await prepare(name, plan.stamp, config, scheduler));
        if ('kind' in prepared) return prepared;
        const { run, title, document } = prepared;
        const insteadOf = place === name ? undefined : await realConnection(name);
        begin(run, mode, name, plan);
        const started = { connection: config, mode, insteadOf, createdBy, run, title, document, scheduler };
        return askOutside(services, (irrevocable) => api.call('start', { ...started, irrevocable }));
      },
      ({ result, previewed }) => finish(result, mode, previewed && previewNotes(previewed, place, name)),
    );
  };

  const resume = async (acceptHeld: boolean | readonly UnitId[]): Promise<void> => {
    const shown = store().state.run?.mode;
    // A preview that came in between has taken the place of what is known of the run.
    if (kept !== undefined && shown !== 'run') await revive(kept);
    const { plan } = store().state;
    if (kept === undefined || plan === undefined) throw new Error('There is no run to resume.');
    const { id, connection } = kept;
    if (!(await isConfirmed(connection))) return;
    const { createdBy } = services;
    await runOn(
      connection,
      'run',
      plan.scheduler,
      async (config, api, scheduler) => {
        begin(id, 'run', connection, plan, before.results);
        const codeHashes = await client.call('codeHashes', null);
        return api.call('resume', { connection: config, run: id, createdBy, codeHashes, acceptHeld, scheduler });
      },
      ({ result }) => finish(result, 'run'),
    );
  };

  const detailOf: SessionRun['detailOf'] = (index, known, states) => {
    const { plan, run } = store().state;
    const unit = plan?.units[index];
    return unitDetail(
      index,
      run === undefined ? 'planned' : (states[index] ?? 'waiting'),
      unit && results.get(unit.id),
      known,
      {
        task: unit?.task ?? '',
        mode: run?.mode,
        status: run?.status,
        isUndo: plan?.purpose.kind === 'undo',
        isCarried: plan?.rows.some(({ task, engine }) => task === unit?.task && engine?.name === 'Airflow') === true,
        doing: unit && marks.doing(unit.id),
      },
    );
  };

  return {
    get running() {
      return thread !== undefined;
    },
    get busy() {
      return busy;
    },
    get progress() {
      return marks.progress;
    },
    get kept() {
      return kept;
    },
    get results() {
      return [...results.values()];
    },
    start: (mode) => alone(() => start(mode)),
    resume: (acceptHeld = false) => alone(() => resume(acceptHeld)),
    async cancel() {
      if (!busy) throw new Error('Nothing is running.');
      cancelled = true;
      if (first !== undefined) store().patchRun({ status: 'cancelling', summary: cancellingWords });
      await thread?.call('cancel', null);
    },
    forget,
    revive,
    async showUndo(planned) {
      if (busy) throw new Error(busyWords);
      const plan = await client.call('adopt', { page: store().state.task, document: planned.document });
      forget();
      undo = planned;
      store().set({ plan, run: undefined, selected: undefined, error: undefined, outdated: [] });
      save();
    },
    slicesOf: (unit) => results.get(unit)?.slices ?? [],
    isLeftOut: (unit) => {
      const known = results.get(unit);
      return known !== undefined && 'leftOut' in known && known.leftOut === true;
    },
    detail: (selected, states) => detailOf(selected.index, selected, states),
    detailOf,
    dispose: endThread,
  };
}

/** What was there before a button was pressed. */
interface Before {
  readonly run: RunState | undefined;
  readonly kept: KeptRun | undefined;
  readonly results: Map<string, RunUnit | UnitRecord>;
}
