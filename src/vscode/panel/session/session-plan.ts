import type { PlanView } from '../../../protocol/assistant-state.ts';
import type { SessionServices } from '../facts/session-services.ts';
import type { SessionStore } from '../facts/session-store.ts';
import type { SessionRun } from '../run/session-run.ts';
import { busyWords } from '../words/outcome-words.ts';
import { learnDatabase } from './learn-database.ts';
import type { SessionCalendar } from './session-calendar.ts';
import type { SessionCarried } from './session-carried.ts';
import type { SessionChoices } from './session-choices.ts';

/** A plan that takes longer than this is said to be made. */
const patienceMs = 300;
const planning = 'Planning…';

/** The plan of a session: there whenever the range means something, and made anew when a choice changes. */
export interface SessionPlan {
  /** Makes the plan of what is chosen now. `undefined`: the range means nothing, or a later choice has come before it. */
  make(purpose: 'run' | 'proof'): Promise<PlanView | undefined>;
  /** The same when a choice that is being taken over is there. */
  makeAfter(choice: Promise<void>): Promise<PlanView | undefined>;
  /** A plan that is being made is not to be shown any more: something else is, or a run begins with the one that is. */
  drop(): void;
  /** Waits for a plan that is being made. Whether its slices and its connection are those that a person saw before. */
  isAsSeen(): Promise<boolean>;
  /** The database is asked again before the next plan. */
  forgetDatabase(): void;
  /** Looks whether the code is still what was planned: what only was planned is planned anew, what was previewed is out of date. */
  check(): Promise<void>;
}

export function sessionPlan(
  store: SessionStore,
  services: SessionServices,
  choices: SessionChoices,
  run: SessionRun,
  carried: SessionCarried,
  calendar: SessionCalendar,
  save: () => void,
): SessionPlan {
  const { client } = services;
  let last = 0;
  let making: Promise<unknown> | undefined;
  let slow: NodeJS.Timeout | undefined;
  /** Connection and slices of the plan that is shown. */
  let seen = '';
  let learned: { readonly connection: string | undefined; readonly unasked: string | undefined } | undefined;

  const learn = async (): Promise<string | undefined> => {
    const connection = store.state.connection.name;
    if (learned === undefined || learned.connection !== connection) {
      learned = { connection, unasked: await learnDatabase(services, connection) };
    }
    return learned.unasked;
  };
  const show = (plan: PlanView | undefined): void => {
    run.forget();
    seen = JSON.stringify([store.state.connection.name, plan?.purpose, plan?.units.map(({ id }) => id)]);
    store.set({ plan, run: undefined, selected: undefined, outdated: [], busy: undefined, error: undefined });
    save();
  };

  const wait = (): void => {
    clearTimeout(slow);
    slow = setTimeout(() => store.set({ busy: planning }), patienceMs);
  };
  const waitNoMore = (): void => {
    clearTimeout(slow);
    if (store.state.busy === planning) store.set({ busy: undefined });
  };

  const planned: SessionPlan['make'] = async (purpose) => {
    if (run.busy) throw new Error(busyWords);
    const mine = ++last;
    waitNoMore();
    if (!store.state.choose.valid) {
      show(undefined);
      return undefined;
    }
    wait();
    try {
      const unasked = await learn();
      // A later choice has a plan of its own, which must be the last that is made.
      if (mine !== last) return undefined;
      const carriedBy = choices.carriedBy();
      const plan = await client.call('plan', { ...choices.range(), purpose, unasked, carriedBy });
      if (mine !== last) return undefined;
      show(plan);
      // What its scheduler says comes later: it may be slow, or far away.
      carried.ask(plan).catch((error: Error) => services.log.error(`asking the scheduler: ${error.message}`));
      calendar.askPlanned().catch((error: Error) => services.log.error(`counting rows: ${error.message}`));
      return plan;
    } catch (error) {
      if (mine !== last) return undefined;
      store.set({ error: { message: error instanceof Error ? error.message : String(error), remedy: undefined } });
      throw error;
    } finally {
      if (mine === last) waitNoMore();
    }
  };
  /** Until then the plan that is shown may be another one than was asked for. */
  const tracked = async <T>(work: Promise<T>): Promise<T> => {
    making = work;
    try {
      return await work;
    } finally {
      if (making === work) making = undefined;
    }
  };
  const make: SessionPlan['make'] = (purpose) => tracked(planned(purpose));

  return {
    make,
    makeAfter: (choice) => tracked(choice.then(() => planned('run'))),
    drop() {
      last++;
      waitNoMore();
    },
    async isAsSeen() {
      const before = seen;
      while (making !== undefined) {
        const isMade = await making.then(
          () => true,
          () => false,
        );
        if (!isMade) return false;
      }
      return seen === before;
    },
    forgetDatabase() {
      learned = undefined;
    },
    async check() {
      const { run: shown, plan } = store.state;
      if (run.busy || plan?.purpose.kind !== 'run' || (shown !== undefined && shown.mode !== 'preview')) return;
      const outdated = await client.call('outdated', { page: store.state.task });
      if (run.busy || store.state.plan !== plan || outdated.length === 0) return;
      if (shown !== undefined) {
        store.set({ outdated });
        return;
      }
      await choices.refresh();
      await make('run');
    },
  };
}
