import type { AssistantEvent, AssistantRequest } from '../../../protocol/assistant-messages.ts';
import type { AssistantState, OptionsView, PlanView } from '../../../protocol/assistant-state.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import { cliCommand } from '../words/cli-command.ts';
import { busyWords } from '../words/outcome-words.ts';
import { learnDatabase } from './learn-database.ts';
import { isRefused, planUndo, type ShownUndo } from './plan-undo.ts';
import { sessionChoices } from './session-choices.ts';
import { firstOptions } from './session-options.ts';
import { type SessionRun, sessionRun } from './session-run.ts';
import type { KeptSession, SessionServices } from './session-services.ts';
import { type SessionStore, sessionStore } from './session-store.ts';

/** The truth behind one assistant page: choices, plan and run of one task. It lives on when the page is closed. */
export interface AssistantSession {
  readonly task: string;
  readonly client: WorkspaceClient;
  readonly state: AssistantState;
  readonly run: SessionRun;
  /** Settled when the run that the editor was closed in the middle of has been looked up. */
  readonly revived: Promise<void>;
  handle(request: AssistantRequest): Promise<void>;
  /** Shows the plan of an undo, of whatever run; nothing is written before it is started. */
  showUndo(undo: ShownUndo): Promise<void>;
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
  const options = firstOptions(await client.call('runDefaults', null), services.settings);
  const save = (): void => {
    const { choose, connection } = store.state;
    const { from, to, without } = choices.range();
    services.remember({ task, from, to, without, options: choose.options, connection: connection.name, run: run.kept });
  };
  const run = sessionRun(() => store, services, save, kept?.run);
  const store: SessionStore = sessionStore(firstState(task, services, options, kept), (selected, states) =>
    run.detail(selected.index, selected, states),
  );
  const choices = sessionChoices(store, services, save);

  /** Long work is not awaited by the asker; how it ends is shown. */
  const begin = (work: Promise<void>): void => {
    work.catch((error: Error) => store.set({ error: { message: error.message, remedy: undefined } }));
  };

  const selectUnit = async (index: number): Promise<void> => {
    const { connection } = store.state;
    store.set({ selected: run.detail(index, undefined, store.state.run?.states ?? []) });
    const found =
      connection.name === undefined ? undefined : await client.call('connection', { name: connection.name });
    const settings = found === undefined || 'problem' in found ? {} : found.settings;
    const sql = await client.call('unit', { page: task, index, connection: connection.name ?? '', settings });
    const { selected } = store.state;
    if (selected?.index === index) store.set({ selected: { ...selected, ...sql } });
  };

  const makePlan = async (purpose: 'run' | 'proof'): Promise<PlanView> => {
    const plan = await store.during('Planning…', async () => {
      const unasked = await learnDatabase(services, store.state.connection.name);
      return client.call('plan', { ...choices.range(), purpose, unasked });
    });
    run.forget();
    store.set({ step: 'plan', plan, run: undefined, selected: undefined });
    save();
    return plan;
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
    await run.showUndo(planned);
    await choices.useConnection(planned.connection);
  };

  const handle = async (request: AssistantRequest): Promise<void> => {
    if (run.busy && replacesPlan.has(request.type)) throw new Error(busyWords);
    switch (request.type) {
      case 'ready':
        return store.set({});
      case 'set-range':
        return choices.setRange(request);
      case 'include-task':
        return choices.include(request.task, request.included);
      case 'set-connection':
        return choices.useConnection(request.name);
      case 'use-embedded': {
        const name = await store.during('Adding the embedded database…', () => client.call('addEmbedded', null));
        return choices.refreshConnections(name);
      }
      case 'connect':
        return choices.refreshConnections(await services.connectWarehouse());
      case 'set-concurrency': {
        const most = store.state.choose.options.maxConcurrency;
        return choices.setOptions({ concurrency: within(request.value, 1, most, 'Concurrency') });
      }
      case 'set-compare':
        return choices.setOptions({ compare: request.value });
      case 'set-shrink-percent': {
        const { value } = request;
        return choices.setOptions({ shrinkPercent: value === undefined ? value : within(value, 0, 100, 'The share') });
      }
      case 'set-stop-at-first-failure':
        return choices.setOptions({ stopAtFirstFailure: request.value });
      case 'set-early-cutoff':
        return choices.setOptions({ earlyCutoff: request.value });
      case 'make-plan':
        await makePlan('run');
        return;
      case 'prove': {
        const plan = await makePlan('proof');
        // What keeps it from running is shown beside the plan.
        return plan.startable ? begin(run.start('prove')) : undefined;
      }
      case 'back-to-choose':
        store.set({ step: 'choose', plan: undefined, run: undefined, selected: undefined, error: undefined });
        return choices.refresh();
      case 'start':
        return begin(run.start(request.mode));
      case 'cancel':
        return run.cancel();
      case 'resume':
        return begin(run.resume());
      case 'approve-held': {
        const { index } = request;
        return begin(run.resume(index === undefined ? true : [unitAt(index)]));
      }
      case 'undo':
        return undo(request.index);
      case 'select-unit':
        return selectUnit(request.index);
      case 'close-unit':
        return store.set({ selected: undefined });
      case 'open-source':
        return services.openSource(request.task);
      case 'open-diff': {
        const { plan, selected, run: shown } = store.state;
        const unit = plan?.units[request.index];
        const title = unit === undefined ? task : `${unit.task} ${unit.label}`;
        return services.openDiff(title, run.detail(request.index, selected, shown?.states ?? []));
      }
      case 'copy-command':
        return services.copy(cliCommand(choices.range(), store.state), 'The command is on the clipboard.');
      case 'export': {
        const { connection, run: shown, plan } = store.state;
        if (plan === undefined || plan.purpose.kind === 'proof')
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
    const first = await client.call('firstRange', { task, now: Date.now() });
    if (first !== undefined) store.choose({ from: first.from, to: first.to });
  }
  await choices.refresh();
  await choices.refreshConnections();
  const before = kept?.run;
  const revived =
    before === undefined
      ? Promise.resolve()
      : store
          .during('Looking up the run…', () => run.revive(before))
          .catch((error: unknown) => log.error(`${task}: ${String(error)}`));

  return {
    task,
    client,
    run,
    revived,
    get state() {
      return store.state;
    },
    handle,
    showUndo,
    onEvent: store.onEvent,
    async dispose() {
      store.dispose();
      await run.dispose();
    },
  };
}

/** What makes another plan of what is shown, which a run must not lose under its feet. */
const replacesPlan: ReadonlySet<AssistantRequest['type']> = new Set(['make-plan', 'prove', 'back-to-choose', 'undo']);

function firstState(
  task: string,
  { client }: SessionServices,
  options: OptionsView,
  kept: KeptSession | undefined,
): AssistantState {
  const left = (id: string) => ({ task: id, depth: 0, included: false, count: '', note: undefined });
  return {
    task,
    folder: client.folder.uri.toString(),
    zone: 'UTC',
    connection: { name: kept?.connection, target: undefined, protected: false, names: [] },
    step: 'choose',
    choose: {
      from: kept?.from ?? '',
      to: kept?.to ?? '',
      summary: '',
      valid: false,
      strip: [],
      downstream: (kept?.without ?? []).map(left),
      // Options that a newer version knows are not among those that were kept.
      options: { ...options, ...kept?.options },
    },
    plan: undefined,
    run: undefined,
    selected: undefined,
    busy: undefined,
    error: undefined,
  };
}

function within(value: number, least: number, most: number, what: string): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new Error(`${what} is a whole number from ${least} to ${most}.`);
}
