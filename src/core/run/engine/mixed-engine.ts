import type { PlanFinding, UnitId } from '../../plan/model/plan.ts';
import type { LakeBeside, Warehouse } from '../../warehouse/port/ports.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { JoiningExecutor, UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { asOfNow } from './as-of-now.ts';
import { databaseEngine } from './database-engine.ts';
import { lakeEngine } from './lake-engine.ts';
import type { UnitEngine } from './unit-engine.ts';

/** Units of one plan in a database and in the lakes beside it, each by the engine of its place; `own`: that of a unit without one. */
export function mixedEngine(warehouse: Warehouse, own: UnitEngine, lakes: ReadonlyMap<string, LakeBeside>): UnitEngine {
  const inDatabase = warehouse.lake === undefined ? own : databaseEngine(warehouse);
  const onLakes = new Map([...lakes].map(([name, lake]) => [name, lakeEngine(warehouse, () => lake.open())]));
  /** `undefined`: its lake does not keep its claims and records here. */
  const engineAt = ({ place }: UnitJob): UnitEngine | undefined => {
    if (place === undefined) return own;
    return place.kind === 'database' ? inDatabase : onLakes.get(place.connection);
  };
  const parts = <T extends UnitJob>(jobs: Iterable<T>): ReadonlyMap<UnitEngine | undefined, readonly T[]> => {
    const found = new Map<UnitEngine | undefined, T[]>();
    for (const job of jobs) found.set(engineAt(job), [...(found.get(engineAt(job)) ?? []), job]);
    return found;
  };
  const byId = (jobs: readonly UnitJob[]): ReadonlyMap<UnitId, UnitJob> => new Map(jobs.map((job) => [job.unit, job]));

  return {
    executor(env) {
      const executors = new Map([own, inDatabase, ...onLakes.values()].map((engine) => [engine, engine.executor(env)]));
      return together(executors, engineAt, warehouse);
    },
    preview(env, timeBoxMs, jobs) {
      const previews = new Map<UnitEngine, ReturnType<UnitEngine['preview']>>();
      const previewBy = (engine: UnitEngine) => {
        const known =
          previews.get(engine) ??
          engine.preview(
            env,
            timeBoxMs,
            jobs.filter((job) => engineAt(job) === engine),
          );
        previews.set(engine, known);
        return known;
      };
      const execute: UnitExecutor['execute'] = async (job, ...rest) => {
        const engine = engineAt(job);
        if (engine === undefined) return notBeside(job);
        const outcome = await previewBy(engine).executor.execute(job, ...rest);
        // In a database the units before it stand in the same transaction; what is staged nobody reads.
        const unseen = jobs.filter((other) => engine !== inDatabase || engineAt(other) !== engine);
        return asOfNow(outcome, job, unseen);
      };
      const end = async () => {
        const ended = await previewBy(previews.has(inDatabase) ? inDatabase : ([...previews.keys()][0] ?? own)).end();
        for (const preview of previews.values()) await preview.end();
        return ended;
      };
      return { executor: { execute, maxConcurrency: 1 }, end };
    },
    prove: (env, job, how) => (engineAt(job) ?? own).prove(env, job, how),
    async sift(prepared) {
      const jobs = new Map<UnitId, UnitJob>();
      const refused = new Map<UnitId, JobRefusal>(prepared.refused);
      for (const [engine, some] of parts(prepared.jobs.values())) {
        if (engine === undefined) for (const job of some) refused.set(job.unit, notReached(job));
        else {
          const sifted = await engine.sift({ jobs: byId(some), refused: new Map() });
          for (const [id, job] of sifted.jobs) jobs.set(id, job);
          for (const [id, refusal] of sifted.refused) refused.set(id, refusal);
        }
      }
      const ordered = [...prepared.jobs.keys()].flatMap((id) =>
        jobs.has(id) ? [[id, jobs.get(id) as UnitJob] as const] : [],
      );
      return { ...prepared, jobs: new Map(ordered), refused };
    },
    async preflight(plan, jobs) {
      const found: PlanFinding[] = [];
      for (const [engine, some] of parts(jobs.values()))
        if (engine !== undefined) found.push(...(await engine.preflight(plan, byId(some))));
      return found;
    },
    async forecast(jobs, purpose) {
      const known = parts(jobs);
      const some = known.get(inDatabase);
      if (some !== undefined || known.size === 0) return inDatabase.forecast(some ?? [], purpose);
      const [engine, ...others] = known.keys();
      return (engine ?? others[0] ?? own).forecast(jobs, purpose);
    },
  };
}

/** The executors of several engines as one. */
function together(
  executors: ReadonlyMap<UnitEngine, UnitExecutor>,
  engineAt: (job: UnitJob) => UnitEngine | undefined,
  warehouse: Warehouse,
): UnitExecutor {
  const of = (job: UnitJob): UnitExecutor | undefined => {
    const engine = engineAt(job);
    return engine && executors.get(engine);
  };
  const all = [...executors.values()];
  const joining: JoiningExecutor = {
    mayJoin: (first, last, next) => of(next) === of(first) && of(first)?.together?.mayJoin(first, last, next) === true,
    execute: async ([job, ...others], signal, follows) => {
      const executor = job && of(job)?.together;
      if (executor === undefined) return { apart: 'its engine runs each alone', always: true };
      return executor.execute([job as UnitJob, ...others], signal, follows);
    },
  };
  return {
    execute: async (job, ...rest) => (await of(job)?.execute(job, ...rest)) ?? notBeside(job),
    together: joining,
    maxConcurrency: warehouse.maxSessions === 1 ? 1 : Math.max(...all.map(({ maxConcurrency }) => maxConcurrency)),
    async tidy(jobs, vacuum, signal) {
      const notes: string[] = [];
      for (const executor of all)
        notes.push(
          ...((await executor.tidy?.(
            jobs.filter((job) => of(job) === executor),
            vacuum,
            signal,
          )) ?? []),
        );
      return notes;
    },
    async forget(days) {
      for (const executor of all) await executor.forget?.(days);
    },
  };
}

const placeOf = ({ place }: UnitJob): string => (place?.kind === 'lake' ? place.connection : 'a database');

const notReached = (job: UnitJob): JobRefusal => ({
  code: 'not-runnable',
  message: `${job.task} writes files of ${placeOf(job)}, which is not among the connections that keep their claims and records in this database`,
  remedy: `run or preview it with --connection ${placeOf(job)}`,
  at: undefined,
});

/** Of a stored run: `backfill.yaml` has changed since. */
const notBeside = (job: UnitJob): UnitOutcome => {
  const { message, remedy } = notReached(job);
  return {
    state: 'failed',
    durationMs: 0,
    error: { kind: 'refused', message, remedy, retryable: false, sqlState: undefined, statement: undefined },
  };
};
