import type { CarriedBy } from '../../../core/run/jobs/make-carried-job.ts';
import type { ConnectionConfig } from '../../../core/warehouse/port/connection-config.ts';
import type { OptionsView } from '../../../protocol/assistant-state.ts';
import type { RangeChoice } from '../../host/workspace-api.ts';
import { mostConcurrency } from '../facts/session-options.ts';
import type { SessionServices } from '../facts/session-services.ts';
import type { SessionStore } from '../facts/session-store.ts';

/** The choices of a session: range, downstream tasks, options, connection. */
export interface SessionChoices {
  /** Who is given what; `undefined`: no scheduler is given anything. */
  carriedBy(): CarriedBy | undefined;
  /** The range as chosen now. */
  range(): RangeChoice;
  /** A side that is left out stays as it is. */
  setRange(sides: {
    readonly from?: string;
    readonly to?: string;
    readonly only?: readonly string[] | undefined;
  }): Promise<void>;
  include(task: string, included: boolean): Promise<void>;
  refresh(): Promise<void>;
  refreshConnections(wanted?: string): Promise<void>;
  useConnection(name: string | undefined): Promise<void>;
  setOptions(patch: Partial<OptionsView>): void;
}

export function sessionChoices(store: SessionStore, services: SessionServices, save: () => void): SessionChoices {
  const { client } = services;
  const range = (): RangeChoice => {
    const { task, choose } = store.state;
    const without = choose.downstream.filter(({ included }) => !included).map((entry) => entry.task);
    return { task, from: choose.from, to: choose.to, without, only: choose.only, now: Date.now() };
  };
  const refresh = async (): Promise<void> => {
    const asked = range();
    const { zone, ...answer } = await client.call('range', asked);
    const now = range();
    // A later edit has asked again: its answer counts.
    if (now.from !== asked.from || now.to !== asked.to || now.without.join() !== asked.without.join()) return;
    if (now.only !== asked.only) return;
    store.set({ zone, choose: { ...store.state.choose, ...answer } });
    save();
  };
  const useConnection = async (name: string | undefined): Promise<void> => {
    const { names } = store.state.connection;
    const found = name === undefined ? undefined : await client.call('connection', { name });
    const usable = found === undefined || 'problem' in found ? undefined : found;
    const { choose, error } = store.state;
    const maxConcurrency = usable?.engine === 'pglite' ? 1 : mostConcurrency;
    const concurrency = Math.min(choose.options.concurrency, maxConcurrency);
    store.set({
      connection: {
        name,
        names,
        target: usable === undefined ? undefined : targetInWords(usable),
        protected: usable?.protected ?? false,
      },
      choose: { ...choose, options: { ...choose.options, maxConcurrency, concurrency } },
      error: found !== undefined && 'problem' in found ? { message: found.problem, remedy: undefined } : error,
    });
    save();
  };
  return {
    range,
    carriedBy() {
      const { scheduler, allToScheduler = false } = store.state.choose.options;
      return scheduler === undefined ? undefined : { scheduler, all: allToScheduler };
    },
    refresh,
    useConnection,
    setRange({ from = store.state.choose.from, to = store.state.choose.to, only }) {
      store.choose({ from, to, only });
      return refresh();
    },
    include(task, included) {
      const { downstream } = store.state.choose;
      store.choose({ downstream: downstream.map((entry) => (entry.task === task ? { ...entry, included } : entry)) });
      return refresh();
    },
    async refreshConnections(wanted) {
      const { names, schedulers, default: preferred } = await client.call('connections', null);
      const { options } = store.state.choose;
      const scheduler = schedulers.find((name) => name === options.scheduler) ?? schedulers[0];
      store.choose({ schedulers, options: { ...options, scheduler } });
      const current = wanted ?? store.state.connection.name;
      store.set({ connection: { ...store.state.connection, names } });
      await useConnection(current !== undefined && names.includes(current) ? current : (preferred ?? names[0]));
    },
    setOptions(patch) {
      const { options } = store.state.choose;
      store.choose({ options: { ...options, ...patch } });
      save();
    },
  };
}

/** The database of a connection for the eye; never a secret. */
export function targetInWords(connection: ConnectionConfig): string {
  if (connection.engine === 'pglite') return 'embedded database';
  if (connection.engine === 'spark') return `spark · ${connection.url.replace(/\/?;.*$/, '')}`;
  const { service, host, port, database } = connection;
  if (service !== undefined) return `postgres · service ${service}`;
  return `postgres · ${database ?? ''}@${host ?? 'localhost'}${port === undefined ? '' : `:${port}`}`;
}
