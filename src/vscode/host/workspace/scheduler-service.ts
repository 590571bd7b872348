import { resolve } from 'node:path';
import type { Pipeline, TaskId } from '../../../core/pipeline/model/model.ts';
import type { PlanFinding, PlanUnit } from '../../../core/plan/model/plan.ts';
import { checkCarried } from '../../../core/run/carried/check-carried.ts';
import { readLog } from '../../../core/run/carried/read-log.ts';
import { type CarriedBy, isCarried } from '../../../core/run/jobs/make-carried-job.ts';
import type { UnitJob } from '../../../core/run/unit/unit-job.ts';
import { matchDag } from '../../../core/scheduler/match/match-dag.ts';
import type { SchedulerConfig } from '../../../core/scheduler/port/scheduler-config.ts';
import { plural } from '../../../core/text/plural.ts';
import { instant } from '../../../core/time/zones/instant.ts';
import type { ChosenPipeline } from '../../../core/view/document/pipeline-view.ts';
import { resolveEvents } from '../../../node/config/resolve-events.ts';
import { reasonOf } from '../../../node/files/discover-files.ts';
import { readLineage } from '../../../node/files/read-lineage.ts';
import { collectedLineage, openScheduler } from '../../../orchestrators/open.ts';
import { schedulerAnswer } from '../scheduler-answer.ts';
import type { CarriedUnit, WorkspaceApi } from '../workspace-api.ts';
import type { FrozenPlan } from './frozen-plan.ts';
import { type LiveState, schedulerIn } from './live-workspace.ts';
import { jobsOf } from './prepare-run.ts';

/** What is asked of schedulers without running anything. */
export function schedulerService(
  state: () => LiveState,
  planned: (page: string) => FrozenPlan,
  chosen: (pipeline: string, now: number) => ChosenPipeline | undefined,
): Pick<WorkspaceApi, 'checkScheduler' | 'askScheduler' | 'carriedAt' | 'lineage' | 'taskLog'> {
  return {
    async checkScheduler({ scheduler }) {
      try {
        return await checked(scheduler, state().facts.pipelines);
      } catch (error) {
        return schedulerAnswer(error);
      }
    },
    async askScheduler({ page, connection, settings, scheduler, concurrency }) {
      const { plan, carriedBy, state: then } = planned(page);
      const prepared = jobsOf(then, plan, 'asked', { connection, settings, options: {}, carriedBy });
      try {
        const context = { pipelines: then.facts.pipelines, concurrency };
        const { refused, notes } = await checkCarried(await openScheduler(scheduler), plan, prepared, context);
        const taskOf = new Map(plan.units.map(({ id, task }) => [id, task]));
        const isNothing = refused.size === plan.units.length;
        const findings = new Map<string, PlanFinding>();
        for (const [unit, { message, remedy }] of refused) {
          if (prepared.refused.has(unit)) continue;
          const severity = isNothing ? 'error' : 'warning';
          const said = `${message}; ${remedy}`;
          findings.set(said, { code: 'not-runnable', severity, message: said, task: taskOf.get(unit) });
        }
        return { kind: 'asked', findings: [...findings.values()], notes };
      } catch (error) {
        return schedulerAnswer(error);
      }
    },
    async carriedAt({ task, now }) {
      const found = state().facts.tasks.get(task);
      const interval = found && chosen(found.pipeline.id, now)?.interval;
      const scheduler = schedulerIn(state().config);
      if (found === undefined || interval === undefined || scheduler === undefined) return undefined;
      const { start, end } = interval.data;
      return { scheduler, dag: found.pipeline.id, task: found.task.name, start, end };
    },
    async lineage({ task, scheduler }) {
      const { config, facts, root } = state();
      const place = resolveEvents(config, scheduler ?? schedulerIn(config), process.env);
      const known = facts.tasks.get(task);
      if (place === undefined || known === undefined) return undefined;
      if ('problem' in place) throw new Error(place.problem);
      const [dag, name] = [known.pipeline.id, known.task.name];
      if (place.kind === 'files') return readLineage(resolve(root, place.path), dag, name);
      return collectedLineage(place.collector, dag, name).catch((error: unknown) => {
        throw new Error(`the events at ${place.collector.url} cannot be read: ${reasonOf(error)}`);
      });
    },
    async taskLog({ scheduler, dag, task, start, end }) {
      try {
        const interval = { start: instant(start), end: instant(end) };
        return { kind: 'log', text: await readLog(await openScheduler(scheduler), { dag, task }, interval) };
      } catch (error) {
        return schedulerAnswer(error);
      }
    },
  };
}

/** One DAG after the other: a scheduler in production has other things to do. */
async function checked(scheduler: SchedulerConfig, pipelines: readonly Pipeline[]) {
  const asked = await openScheduler(scheduler);
  const { troubles, starts } = await asked.health();
  const said: string[] = troubles.map((trouble) => `${trouble}.`);
  let well = 0;
  const ours = pipelines.filter(({ format }) => format === 'airflow');
  for (const pipeline of ours) {
    const differences = matchDag(pipeline, await asked.dag(pipeline.id));
    if (differences.length === 0) well++;
    said.push(...differences.map(({ message, remedy }) => `${message}; ${remedy}.`));
  }
  const { version, target } = asked.description;
  const health = starts ? '' : ', starts nothing';
  const title = `${scheduler.name}: Airflow ${version} at ${target}${health}; ${well} of ${plural(ours.length, 'DAG')} as deployed.`;
  return { kind: 'checked', title, said, well: starts && said.length === 0 } as const;
}

/** The scheduler that units of a task are given to, by its name. */
export function carrierOf(
  { facts }: Pick<LiveState, 'facts'>,
  task: TaskId,
  executor: PlanUnit['executor'] | undefined,
  carriedBy: CarriedBy | undefined,
): string | undefined {
  const known = facts.tasks.get(task);
  if (known === undefined || executor === undefined) return undefined;
  return isCarried({ executor }, known, carriedBy) ? carriedBy?.scheduler : undefined;
}

/** The scheduler that has, or had, units of a task. */
export function carriedIn(
  { plan, state, stored, carriedBy }: Omit<FrozenPlan, 'stamp'>,
  task: TaskId,
): string | undefined {
  const units = (plan.byTask.get(task) ?? []).flatMap((at) => plan.units[at] ?? []);
  if (stored === undefined) return carrierOf(state, task, units[0]?.executor, carriedBy);
  return units.flatMap(({ id }) => stored.jobs.get(id)?.carried?.scheduler ?? [])[0];
}

export function carriedUnit(job: UnitJob | undefined): CarriedUnit | undefined {
  if (job?.carried === undefined) return undefined;
  const { scheduler, dag, task } = job.carried;
  return { scheduler, dag, task, ...job.interval };
}
