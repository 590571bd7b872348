import { SchedulerError } from '../../scheduler/port/scheduler-error.ts';
import { type Instant, instant } from '../../time/zones/instant.ts';
import { otherUnitsSql } from '../../warehouse/dialects/postgres/observed-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { Observation } from '../observed/observation.ts';
import { SeenClients } from '../observed/seen-clients.ts';
import { seenSince } from '../observed/seen-since.ts';
import type { CarriedHandle } from './runs/carried-handle.ts';
import type { CarriedRun } from './runs/carried-run.ts';

/** Looks at who is connected while a task runs, and at what was written once it has ended. */
export interface Observing {
  readonly glance: () => Promise<void>;
  /** Throws where the database or the scheduler cannot be reached. */
  readonly end: () => Promise<Observation>;
}

/** `undefined` where the unit's tables are known, or what others write cannot be seen. */
export function startObserving(
  { scheduler, carried, env, report, reached: { job } }: CarriedRun,
  raw: Session,
  { run, watch }: CarriedHandle,
): Observing | undefined {
  if (watch === undefined) return undefined;
  /** The clocks of scheduler and database count as one, so that what ended just before is not taken for work beside it. */
  const otherTasks = async (own: string, since: number, until: Instant): Promise<readonly string[]> => {
    try {
      const tasks = await scheduler.atWork(instant(since), until);
      const others = tasks.filter((one) => one.run !== own || one.dag !== carried.dag || one.task !== carried.task);
      return others.map(({ dag, task }) => `${dag}.${task}`);
    } catch (error) {
      if (!(error instanceof SchedulerError)) throw error;
      return [`other tasks of ${scheduler.description.name}, perhaps (${error.message})`];
    }
  };
  const clients = new SeenClients(raw, watch);
  return {
    glance: () => clients.look(),
    end: async () => {
      report('looking at what was written to the database meanwhile');
      const seen = await seenSince(raw, watch, clients, env.clock);
      const at = env.clock.now();
      const others = await otherTasks(run, watch.since, at);
      const { rows } = await raw.query(otherUnitsSql, [job.run, job.unit, String(watch.since)]);
      const beside = new Set([...others, ...rows.map(([unit]) => String(unit))]);
      return {
        run: job.run,
        unit: job.unit,
        task: job.task,
        interval: job.interval,
        at,
        how: 'watched',
        ...seen,
        beside: [...beside],
      };
    },
  };
}
