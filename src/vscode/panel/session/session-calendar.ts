import { columnOfMeasure, rowCount } from '../../../core/view/page/outcome/chart-measures.ts';
import type { CalendarGrid } from '../../../core/view/page/range/calendar-view.ts';
import { type AnswerBasis, answerBasis, isSameBasis } from '../../clients/answer-basis.ts';
import type { SessionFacts } from '../facts/session-facts.ts';
import type { SessionServices } from '../facts/session-services.ts';
import type { SessionStore } from '../facts/session-store.ts';
import { askRunThread } from '../run/ask-run-thread.ts';
import { askSliceStates } from '../run/slice-knowledge.ts';
import { askPlannedRows } from './planned-rows.ts';

/** The calendars of a session: intervals of its tasks, and what the ledger says of them. */
export interface SessionCalendar {
  /** Shows a task in calendar and chart. */
  select(task: string): Promise<void>;
  /** More of the calendar that is shown. */
  older(task: string, before: string): Promise<void>;
  /** Shows another figure of a task in its chart. */
  measure(task: string, measure: string): Promise<void>;
  /** Asks the ledger of the connection, and the tables of the task that is shown; whoever presses a button meanwhile comes first. */
  ask(): Promise<void>;
  /** Asks what other tables of the plan hold, where that is not known. */
  askPlanned(): Promise<void>;
  /** Asks again where the code of a task, or where the connection leads, is other than it was when the ledger was asked. */
  askOfCode(): Promise<void>;
  /** The same as `ask`, and a person is there to be asked for a password. */
  askAloud(): Promise<void>;
  /** What tables added up to before a run is not what they add up to now: what the chart shows of it is asked for again. */
  askSumsAgain(): Promise<void>;
}

/** `isBusy`: a run has the database, which may serve one at a time. */
export function sessionCalendar(
  store: SessionStore,
  services: SessionServices,
  isBusy: () => boolean,
): SessionCalendar {
  const { client } = services;
  let last = 0;
  let asked: string | undefined;
  let basis: AnswerBasis | undefined;
  /** What another database said is nothing to this one; the file may have another server or user for the same name. */
  const stand = (now: AnswerBasis, name: string): void => {
    const before = basis?.connections.get(name);
    basis = now;
    if (before !== undefined && before !== now.connections.get(name)) store.set(nothingKnown());
  };
  const put = (grid: CalendarGrid): void =>
    store.set({ calendars: new Map(store.state.calendars).set(grid.task, grid) });
  /** The column whose sums the chart shows. */
  const summed = (): string | undefined => columnOfMeasure(store.view.chart?.measure ?? rowCount);
  const ask = async (): Promise<void> => {
    const mine = ++last;
    const task = store.state.shownTask;
    const { name } = store.state.connection;
    if (name !== asked) store.set(nothingKnown());
    asked = name;
    if (name === undefined) basis = undefined;
    else stand(await answerBasis(client, [name]), name);
    const known = name === undefined ? undefined : await askSliceStates(services, name, task, summed());
    if (known === undefined || mine !== last || store.state.connection.name !== name) return;
    if ('error' in known) {
      // Of a run that comes first the page says enough; that a password was wrong is more than that one is wanted.
      if (known.error === 'password')
        store.set({ silent: store.state.silent?.wantsPassword ? store.state.silent : unasked });
      else if (known.error !== 'stopped') store.set({ silent: { wantsPassword: false, message: known.message } });
      return;
    }
    const { ledger, survey } = known;
    // What it says is newer than what the last run made of them: their code, or what they read, is another since.
    const outcomes = isBusy()
      ? store.state.outcomes
      : new Map([...store.state.outcomes].filter(([unit]) => ledger.get(unit)?.state !== 'stale'));
    store.set({ ledger, outcomes, silent: undefined, surveys: new Map(store.state.surveys).set(task, survey) });
    await askPlanned(true);
  };
  const askPlanned = async (again: boolean): Promise<void> => {
    const { ledger, connection } = store.state;
    if (ledger === undefined || connection.name !== asked || isBusy()) return;
    await askPlannedRows(store, services, again);
  };
  /** What the chart shows and nobody has added up yet. */
  const askSums = async (): Promise<void> => {
    const column = summed();
    if (asked === undefined || column === undefined || isBusy()) return;
    if (store.state.surveys.get(store.state.shownTask)?.sum?.of !== column) await ask();
  };
  return {
    async select(task) {
      if (!store.state.calendars.has(task)) {
        const grid = await client.call('calendar', { task, now: Date.now() });
        if (grid !== undefined) put(grid);
      }
      store.set({ shownTask: task });
      if (asked !== undefined && !store.state.surveys.has(task) && !isBusy()) void ask();
      else void askSums();
    },
    async measure(task, measure) {
      store.set({ measures: new Map(store.state.measures).set(task, measure) });
      void askSums();
    },
    async older(task, before) {
      const known = store.state.calendars.get(task);
      if (known?.cells[0]?.from !== before) return;
      const grid = await client.call('calendar', { task, now: Date.now(), before });
      if (grid !== undefined) put({ ...known, cells: [...grid.cells, ...known.cells], more: grid.more });
    },
    ask,
    askPlanned: () => askPlanned(false),
    async askOfCode() {
      if (asked === undefined || basis === undefined || isBusy()) return;
      const name = asked;
      const now = await answerBasis(client, [name]);
      if (name !== asked || isSameBasis(basis, now)) return;
      stand(now, name);
      await ask();
    },
    async askAloud() {
      const { name } = store.state.connection;
      if (name === undefined) return;
      const nothing = { codeHashes: [], slices: [], runs: 0 };
      const wantsPassword = store.state.silent?.wantsPassword ?? false;
      try {
        await askRunThread(services, name, (api, connection) => api.call('sliceStates', { connection, ...nothing }));
        await ask();
      } catch (error) {
        store.set({ silent: { wantsPassword, message: error instanceof Error ? error.message : String(error) } });
      }
    },
    async askSumsAgain() {
      const surveys = [...store.state.surveys].map(([task, survey]) => [task, { ...survey, sum: undefined }] as const);
      store.set({ surveys: new Map(surveys) });
      await askSums();
    },
  };
}

/** Of a database that nobody has asked yet. */
const nothingKnown = (): Partial<SessionFacts> => ({
  ledger: undefined,
  silent: undefined,
  surveys: new Map(),
  counted: { rows: new Map(), untold: [] },
  outcomes: new Map(),
});

const unasked = { wantsPassword: true, message: undefined };
