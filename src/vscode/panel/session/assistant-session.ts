import type { PageRequest } from '../../../core/view/page/page-request.ts';
import type { AssistantEvent } from '../../../protocol/assistant-messages.ts';
import type { AssistantState, OptionsView } from '../../../protocol/assistant-state.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import { firstFacts } from '../facts/first-facts.ts';
import type { SessionFacts } from '../facts/session-facts.ts';
import { firstOptions } from '../facts/session-options.ts';
import type { KeptRun, KeptSession, SessionServices } from '../facts/session-services.ts';
import { type SessionStore, sessionStore } from '../facts/session-store.ts';
import { isRefused, planUndo, type ShownUndo } from '../run/plan-undo.ts';
import { type SessionRun, sessionRun } from '../run/session-run.ts';
import { cliCommand } from '../words/cli-command.ts';
import { busyWords, madeAnewWords } from '../words/outcome-words.ts';
import { sessionCalendar } from './session-calendar.ts';
import { sessionCarried } from './session-carried.ts';
import { sessionChoices } from './session-choices.ts';
import { sessionPlan } from './session-plan.ts';

/** The truth behind one assistant page: choices, plan and run of one task. It lives on when the page is closed. */
export interface AssistantSession {
  readonly task: string;
  readonly client: WorkspaceClient;
  readonly state: SessionFacts;
  /** What its page shows. */
  readonly view: AssistantState;
  readonly run: SessionRun;
  /** Settled when the run that the editor was closed in the middle of has been looked up. */
  readonly revived: Promise<void>;
  handle(request: PageRequest): Promise<void>;
  /** Shows the plan of an undo, of whatever run; nothing is written before it is started. */
  showUndo(undo: ShownUndo): Promise<void>;
  /** Shows a run as its ledger has it, whoever made it. */
  showRun(run: KeptRun): Promise<void>;
  onEvent(listener: (event: AssistantEvent) => void): { dispose(): void };
  /** Ends the run's thread at once; what was not committed is rolled back by the server. */
  dispose(): Promise<void>;
}

/** Opens a session with the selected interval as its range, or as it was when the editor was closed. */
export async function openSession(
  task: string,
  services: SessionServices,
  kept?: KeptSession,
): Promise<AssistantSession> {
  const { client, log } = services;
  const defaults = await client.call('runDefaults', null);
  const named = (await client.call('tasks', null)).find((found) => found.task === task);
  const save = (): void => {
    const { choose, connection } = store.state;
    const { from, to, without, only } = choices.range();
    services.remember({
      task,
      from,
      to,
      without,
      only,
      options: choose.options,
      connection: connection.name,
      run: run.kept,
    });
  };
  const run = sessionRun(() => store, services, save, kept?.run);
  const first = firstFacts(task, client.folder.uri.toString(), firstOptions(defaults, services.settings), kept);
  const { dag = '', name = task } = named ?? {};
  const store: SessionStore = sessionStore({ ...first, dag, name, keepBeforeDays: defaults.keepBeforeDays }, run);
  const choices = sessionChoices(store, services, save);
  const carried = sessionCarried(store, services, run);
  const calendar = sessionCalendar(store, services, () => run.busy);
  const plan = sessionPlan(store, services, choices, run, carried, calendar, save);

  /** Long work is not awaited by the asker; how it ends is shown. */
  const begin = (work: Promise<void>): void => {
    work.catch((error: Error) => store.set({ error: { message: error.message, remedy: undefined } }));
  };

  const selectUnit = async (index: number): Promise<void> => {
    const { connection } = store.state;
    const shown = store.state.plan?.units[index];
    if (shown === undefined) throw new Error(`The plan has no unit ${index}.`);
    await calendar.select(shown.task);
    store.set({ selected: run.detailOf(index, undefined, store.state.run?.states ?? []) });
    const found =
      connection.name === undefined ? undefined : await client.call('connection', { name: connection.name });
    const settings = found === undefined || 'problem' in found ? {} : found.settings;
    const sql = await client.call('unit', { page: task, index, connection: connection.name ?? '', settings });
    const { selected } = store.state;
    const { statements, refusal } = sql;
    if (selected?.index === index) store.set({ selected: { ...selected, statements, refusal } });
  };

  /** A choice was changed: what is shown is the plan of what is chosen now. */
  const changed = async (change: Promise<void>): Promise<void> => {
    await plan.makeAfter(change);
  };
  const useConnection = async (work: Promise<void>): Promise<void> => {
    await plan.makeAfter(work.then(() => void calendar.ask()));
  };
  /** Somebody wants to know what is there: the plan is made anew too, with what the database has beside the files. */
  const askAloud = async (): Promise<void> => {
    await store.during('Asking the database…', () => calendar.askAloud());
    plan.forgetDatabase();
    await plan.make('run');
  };
  /** Options are those of the next run: what was done with others is not what it would do. */
  const setOptions = async (patch: Partial<OptionsView>): Promise<void> => {
    choices.setOptions(patch);
    const { plan: shown, run: ran } = store.state;
    if (ran !== undefined && shown?.purpose.kind === 'run') await plan.make('run');
  };
  const start = async (mode: 'run' | 'preview'): Promise<void> => {
    // What runs is what a person saw: files or choices may have changed under their hand. A preview writes nothing,
    // and is one of what is chosen, however soon after the choice it is asked for.
    const isAsSeen = await plan.isAsSeen();
    if (!isAsSeen && mode === 'run') throw new Error(madeAnewWords);
    const { plan: shown, outdated } = store.state;
    const isOther = !isAsSeen || shown === undefined || shown.purpose.kind === 'proof' || outdated.length > 0;
    const made = isOther ? await plan.make('run') : shown;
    if (made?.startable === true) begin(started(mode));
  };
  /** Somebody closed the slice that was open: none is opened by itself until they open one again. */
  let closed = false;
  const openFirst = async (): Promise<void> => {
    const [first] = store.view.stops;
    if (!closed && store.state.selected === undefined && first !== undefined) await selectUnit(first);
  };
  const started = async (mode: 'run' | 'preview' | 'prove'): Promise<void> => {
    plan.drop();
    await run.start(mode);
    await settled();
  };
  const resumed = async (acceptHeld?: boolean | readonly string[]): Promise<void> => {
    plan.drop();
    await run.resume(acceptHeld);
    await settled();
  };
  /** What the ledger could not be asked before. */
  const settled = async (): Promise<void> => {
    if (store.state.run?.status !== 'interrupted') await openFirst();
    if (store.state.ledger === undefined) await calendar.ask();
    else await calendar.askSumsAgain();
    // It was watched just now.
    const own = store.state.plan?.units.map(({ task: of }, index) => of === task && store.state.run?.states[index]);
    if (store.state.run?.mode === 'run' && own?.includes('done') === true) await carried.lookAtObserved();
  };

  const unitAt = (index: number): string => {
    const unit = store.state.plan?.units[index];
    if (unit === undefined) throw new Error(`The plan has no unit ${index}.`);
    return unit.id;
  };
  /** Undoes the run that is shown, or one unit of it, as a plan of its own. */
  const undo = async (index: number | undefined): Promise<void> => {
    const { kept } = run;
    if (kept === undefined) throw new Error('There is no run to undo.');
    const units = index === undefined ? undefined : [unitAt(index)];
    const planned = await store.during('Looking up the rows of before…', () =>
      planUndo({ ...kept, ...(units && { units }) }, services),
    );
    if (isRefused(planned)) return store.set({ error: planned });
    await showUndo(planned);
  };
  const showUndo = async (planned: ShownUndo): Promise<void> => {
    plan.drop();
    await run.showUndo(planned);
    await choices.useConnection(planned.connection);
    await openFirst();
  };

  const showRun = async (shown: KeptRun): Promise<void> => {
    if (run.busy) throw new Error(busyWords);
    plan.drop();
    await store.during('Looking up the run…', () => run.revive(shown));
    await choices.useConnection(shown.connection);
    await openFirst();
  };

  const handle = async (request: PageRequest): Promise<void> => {
    if (run.busy && replacesPlan.has(request.type)) throw new Error(busyWords);
    switch (request.type) {
      case 'ready':
        return store.replay();
      case 'set-range':
        return changed(choices.setRange(request));
      case 'include-task':
        return changed(choices.include(request.task, request.included));
      case 'choose-connection': {
        const chosen = await services.chooseConnection(store.state.connection);
        return chosen === undefined ? undefined : handle(chosen);
      }
      case 'use-connection':
        return useConnection(choices.useConnection(request.name));
      case 'use-embedded': {
        const made = await store.during('Adding the embedded database…', () => client.call('addEmbedded', null));
        return useConnection(choices.refreshConnections(made));
      }
      case 'connect': {
        const made = await services.connectWarehouse();
        if (made === undefined) return;
        await choices.refreshConnections(made);
        await calendar.ask();
        if (store.state.silent?.wantsPassword === true) return askAloud();
        await plan.make('run');
        return;
      }
      case 'ask-again':
        return askAloud();
      case 'select-task':
        return calendar.select(request.task);
      case 'set-measure':
        return calendar.measure(request.task, request.measure);
      case 'set-calendar':
        return calendar.older(request.task, request.before);
      case 'set-concurrency': {
        const most = store.state.choose.options.maxConcurrency;
        return setOptions({ concurrency: within(request.value, 1, most, 'Concurrency') });
      }
      case 'set-compare':
        return setOptions({ compare: request.value });
      case 'set-shrink-percent': {
        const { value } = request;
        return setOptions({ shrinkPercent: value === undefined ? value : within(value, 0, 100, 'The share') });
      }
      case 'set-stop-at-first-failure':
        return setOptions({ stopAtFirstFailure: request.value });
      case 'set-early-cutoff':
        return setOptions({ earlyCutoff: request.value });
      case 'set-scheduler': {
        const { name = store.state.choose.options.scheduler, all = store.state.choose.options.allToScheduler } =
          request;
        choices.setOptions({ scheduler: name, allToScheduler: all });
        await plan.make('run');
        return;
      }
      case 'start':
        return start(request.mode);
      case 'prove': {
        plan.forgetDatabase();
        const made = await plan.make('proof');
        // What keeps it from running is shown beside the plan.
        return made?.startable === true ? begin(started('prove')) : undefined;
      }
      case 'leave-undo':
        plan.forgetDatabase();
        await plan.make('run');
        return;
      case 'cancel':
        return run.cancel();
      case 'resume':
        return begin(resumed());
      case 'approve-held':
        return begin(resumed([unitAt(request.index)]));
      case 'approve-all':
        return begin(resumed(true));
      case 'undo':
        return undo(request.index);
      case 'select-unit':
        closed = false;
        return selectUnit(request.index);
      case 'close-unit':
        closed = true;
        return store.set({ selected: undefined });
      case 'open-source':
        return services.openSource(request.task);
      case 'open-diff': {
        const { plan: made, selected, run: shown } = store.state;
        const unit = made?.units[request.index];
        const title = unit === undefined ? task : `${unit.task} ${unit.label}`;
        return services.openDiff(title, run.detailOf(request.index, selected, shown?.states ?? []));
      }
      case 'open-task-log':
        return carried.openLog(request.index);
      case 'mark-done':
        return carried.markDone(request.index);
      case 'observe':
        return carried.observe(request.last === true);
      case 'declare-observed':
        return carried.declareObserved();
      case 'copy':
        return services.copy(request.text, 'The statement is on the clipboard.');
      case 'show-log':
        return log.show();
      case 'copy-command':
        return services.copy(cliCommand(choices.range(), store.state), 'The command is on the clipboard.');
      case 'export': {
        const { connection, run: shown, plan: made } = store.state;
        if (made === undefined || made.purpose.kind === 'proof')
          throw new Error('A report is of a plan, a preview or a run: show one first.');
        const format = await services.chooseReportFormat();
        if (format === undefined) return;
        const report = await client.call('report', {
          page: task,
          format,
          target: connection.target ?? '',
          run: shown?.run,
          preview: shown?.mode === 'preview',
          results: run.results,
        });
        return services.save(report.name, report.text);
      }
    }
  };

  if (kept === undefined) {
    const range = await client.call('firstRange', { task, now: Date.now() });
    if (range !== undefined) store.choose({ from: range.from, to: range.to });
  }
  await choices.refresh();
  await choices.refreshConnections();
  await calendar.select(task);
  const before = kept?.run;
  const revived = (async (): Promise<void> => {
    if (before !== undefined) await store.during('Looking up the run…', () => run.revive(before));
    else await plan.make('run');
  })().catch((error: unknown) => log.error(`${task}: ${String(error)}`));
  void revived.then(() => calendar.ask());
  const logged = (error: unknown): void => log.error(`${task}: ${String(error)}`);
  let editing: NodeJS.Timeout | undefined;
  const listening = [
    client.onDidChange(() => {
      if (run.busy) return;
      plan.forgetDatabase();
      choices
        .refreshConnections()
        .then(() => plan.check())
        .then(() => calendar.askOfCode())
        .catch(logged);
    }),
    // A plan that is made anew while somebody types is one for nobody.
    client.onDidEdit(() => {
      clearTimeout(editing);
      editing = setTimeout(() => void plan.check().catch(logged), restMs);
    }),
  ];

  return {
    task,
    client,
    run,
    revived,
    get state() {
      return store.state;
    },
    get view() {
      return store.view;
    },
    handle,
    showUndo,
    showRun,
    onEvent: store.onEvent,
    async dispose() {
      clearTimeout(editing);
      for (const listener of listening) listener.dispose();
      store.dispose();
      await run.dispose();
    },
  };
}

/** An editor in which nobody has typed for this long is looked at. */
const restMs = 700;

/** What makes another plan of what is shown, which a run must not lose under its feet. */
const replacesPlan: ReadonlySet<PageRequest['type']> = new Set([
  'set-range',
  'include-task',
  'choose-connection',
  'use-connection',
  'use-embedded',
  'connect',
  'ask-again',
  'set-concurrency',
  'set-compare',
  'set-shrink-percent',
  'set-stop-at-first-failure',
  'set-early-cutoff',
  'set-scheduler',
  'mark-done',
  'observe',
  'start',
  'prove',
  'undo',
  'leave-undo',
]);

function within(value: number, least: number, most: number, what: string): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${what} is a whole number from ${least} to ${most}.`);
}
