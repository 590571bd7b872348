import { marksOnly } from '../../src/core/lineage/workspace/marks-only.ts';
import type {
  BackfillRange,
  DagRun,
  DeployedDag,
  NewRun,
  Scheduler,
  TaskInstance,
} from '../../src/core/scheduler/port/scheduler.ts';
import { SchedulerError } from '../../src/core/scheduler/port/scheduler-error.ts';
import type { Instant } from '../../src/core/time/zones/instant.ts';
import { instant } from '../../src/core/time/zones/instant.ts';

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** What a task does when it is run; throws to fail. */
export type Work = (
  task: string,
  interval: { readonly start: Instant; readonly end: Instant },
  tries: number,
) => Promise<void>;

/** An Airflow in memory: what was cleared goes one state further each time somebody looks. */
export interface FakeScheduler extends Scheduler {
  readonly dags: Map<string, Mutable<DeployedDag>>;
  readonly made: readonly NewRun[];
  /** Executions of each task, `dag run task`. */
  readonly executions: string[];
  addRun(dag: string, run: DagRun, state?: string): void;
  /** So many clears are overwritten by the end of their run, as it happens where the two come at once. */
  overwritten: number;
  /** Ranges whose runs were made in one go. */
  readonly backfills: (BackfillRange & { readonly dag: string; readonly maxActiveRuns: number })[];
  /** What somebody else made of a task. */
  setState(dag: string, run: string, task: string, state: string | undefined): Promise<void>;
  /** Goes on with a run that nobody has ended, as when its head start is over: one step for each of its tasks. */
  goOn(dag: string, run: string): Promise<void>;
}

/** Called before and after each call; throws to let the caller die there. */
export type Hook = (call: string, moment: 'before' | 'after') => void | Promise<void>;

const unbegun = { state: undefined, tryNumber: 0, maxTries: 0, startedAt: undefined, endedAt: undefined };
const retriesOf = 0;
const dayMs = 86_400_000;

/** Thrown by {@link Work}: the task says that it is to be skipped. */
export const skipped = new Error('skipped');

export function fakeScheduler(dags: readonly DeployedDag[], work: Work): FakeScheduler {
  const known = new Map(dags.map((dag) => [dag.id, { ...dag }]));
  const runs = new Map<string, Map<string, Mutable<DagRun>>>();
  const instances = new Map<string, Mutable<TaskInstance>>();
  const made: NewRun[] = [];
  const executions: string[] = [];
  const stuck = new Set<TaskInstance>();
  let time = 0;
  const now = (): Instant => instant(Date.UTC(2026, 10, 29) + ++time);
  const key = (dag: string, run: string, task: string): string => `${dag} ${run} ${task}`;
  const of = (dag: string, run: string): Mutable<TaskInstance>[] =>
    (known.get(dag)?.tasks ?? []).flatMap(({ id }) => instances.get(key(dag, run, id)) ?? []);
  const running = new Map<string, Promise<void>>();
  const operatorOf = (dag: string, task: string): string =>
    known.get(dag)?.tasks.find(({ id }) => id === task)?.operator ?? '';

  const open: ReadonlySet<string | undefined> = new Set([undefined, 'queued', 'running']);
  /** What was cleared, and what it waits for, goes on. */
  const step = async (dag: string, run: string, instance: Mutable<TaskInstance>): Promise<void> => {
    if (known.get(dag)?.paused === true || stuck.has(instance)) return;
    const name = key(dag, run, instance.task);
    const before = (known.get(dag)?.tasks ?? []).filter(({ downstream }) => downstream?.includes(instance.task));
    for (const { id } of before) {
      const earlier = instances.get(key(dag, run, id));
      if (earlier !== undefined && open.has(earlier.state)) await step(dag, run, earlier);
    }
    const stands = before.map(({ id }) => instances.get(key(dag, run, id))?.state);
    if (instance.state === undefined && stands.some((state) => state !== 'success')) {
      if (stands.includes('skipped')) setAside(instance, 'skipped');
    } else if (instance.state === undefined) instance.state = 'queued';
    else if (instance.state === 'queued') {
      instance.state = 'running';
      instance.tryNumber += 1;
      instance.startedAt = now();
      instance.endedAt = undefined;
      if (marksOnly({ operator: operatorOf(dag, instance.task) })) {
        instance.endedAt = instance.startedAt;
        instance.state = 'success';
        return;
      }
      const interval = runs.get(dag)?.get(run)?.interval ?? { start: instant(0), end: instant(0) };
      executions.push(name);
      running.set(
        name,
        work(instance.task, interval, instance.tryNumber).then(
          () => end(instance, 'success'),
          (error) => end(instance, error === skipped ? 'skipped' : 'failed'),
        ),
      );
    } else if (instance.state === 'running') await running.get(name);
  };
  const end = (instance: Mutable<TaskInstance>, state: string): void => {
    if (instance.state !== 'running') return;
    instance.state = state;
    instance.endedAt = now();
  };
  /** Without having run. */
  const setAside = (instance: Mutable<TaskInstance>, state: string): void => {
    instance.state = state;
    instance.startedAt ??= now();
    instance.endedAt ??= instance.startedAt;
  };
  const clear = (dag: string, run: string, task: string): void => {
    const instance = instances.get(key(dag, run, task));
    if (instance === undefined) throw new SchedulerError('missing', 'no such task', false);
    if (['queued', 'running', 'scheduled'].includes(instance.state ?? ''))
      throw new SchedulerError('conflict', 'it is running', false);
    stuck.delete(instance);
    if (scheduler.overwritten-- > 0) stuck.add(instance);
    instance.state = undefined;
    instance.maxTries = instance.tryNumber + retriesOf;
  };
  /** A run that starts by itself: each task when those before it ended well. */
  const goOn = async (dag: string, run: string): Promise<void> => {
    let before: string | undefined = 'success';
    for (const instance of of(dag, run)) {
      if (before === 'success') await step(dag, run, instance);
      else if (instance.state === undefined && (before === 'failed' || before === 'upstream_failed'))
        instance.state = 'upstream_failed';
      before = instance.state;
    }
    const found = runs.get(dag)?.get(run);
    if (found === undefined || of(dag, run).some(({ state }) => open.has(state))) return;
    found.state = of(dag, run).every(({ state }) => state === 'success') ? 'success' : 'failed';
  };
  const ownPace = new Set<string>();
  const datesOf = (dag: string, { first, last }: BackfillRange): readonly Instant[] => {
    const there = [...(runs.get(dag)?.values() ?? [])].map(({ logicalDate }) => logicalDate);
    const days = Array.from({ length: (last - first) / dayMs + 1 }, (_, day) => instant(first + day * dayMs));
    return days.filter((day) => !there.includes(day));
  };
  /** Made, and not to begin for a while. */
  const headStart = new Set<string>();
  const scheduler: FakeScheduler = {
    description: { name: 'fake', kind: 'airflow', version: '3.0.0', major: 3, target: 'memory' },
    dags: known,
    made,
    executions,
    overwritten: 0,
    addRun: (dag, run, state = 'success') => {
      const own = runs.get(dag) ?? new Map<string, Mutable<DagRun>>();
      runs.set(dag, own.set(run.id, { ...run }));
      for (const { id } of known.get(dag)?.tasks ?? [])
        instances.set(key(dag, run.id, id), {
          task: id,
          mapIndex: -1,
          state,
          tryNumber: 1,
          maxTries: 1,
          startedAt: now(),
          endedAt: now(),
        });
    },
    health: async () => ({ starts: true, troubles: [] }),
    dag: async (id) => known.get(id),
    pool: async (name) => ({ name, slots: 128, open: 128 }),
    runs: async (dag, first, last) =>
      [...(runs.get(dag)?.values() ?? [])].filter(
        ({ logicalDate }) => logicalDate !== undefined && logicalDate >= first && logicalDate <= last,
      ),
    run: async (dag, id) => runs.get(dag)?.get(id),
    activeRuns: async () => [],
    createRun: async (dag, run) => {
      const there = [...(runs.get(dag)?.values() ?? [])].find(({ logicalDate }) => logicalDate === run.logicalDate);
      if (there !== undefined) return there;
      made.push(run);
      const { id, logicalDate, interval, note } = run;
      scheduler.addRun(dag, { id, state: 'queued', logicalDate, interval, note });
      for (const instance of of(dag, id)) Object.assign(instance, unbegun);
      headStart.add(`${dag} ${id}`);
      return { id, state: 'queued', logicalDate, interval, note };
    },
    setState: async (dag, run, task, state) => {
      Object.assign(instances.get(key(dag, run, task)) ?? {}, { state });
    },
    goOn: async (dag, run) => {
      if (!['queued', 'running'].includes(runs.get(dag)?.get(run)?.state ?? '')) return;
      for (const instance of of(dag, run)) await step(dag, run, instance);
    },
    backfills: [],
    backfillDates: async (dag, range) => datesOf(dag, range),
    backfill: async (dag, range, maxActiveRuns) => {
      scheduler.backfills.push({ dag, ...range, maxActiveRuns });
      for (const logicalDate of datesOf(dag, range)) {
        const id = `backfill__${new Date(logicalDate).toISOString()}`;
        const interval = { start: logicalDate, end: instant(logicalDate + dayMs) };
        scheduler.addRun(dag, { id, state: 'running', logicalDate, interval, note: undefined });
        for (const instance of of(dag, id)) Object.assign(instance, unbegun);
        ownPace.add(`${dag} ${id}`);
      }
    },
    isBackfilling: async () => false,
    endRun: async (dag, id, as) => {
      headStart.delete(`${dag} ${id}`);
      const found = runs.get(dag)?.get(id);
      if (found !== undefined) found.state = as;
      // As Airflow 3 does.
      for (const instance of of(dag, id))
        if (instance.state === 'running') end(instance, as);
        else if (instance.state === undefined || instance.state === 'queued') setAside(instance, 'skipped');
    },
    setDone: async (dag, run, { task }) => {
      const instance = instances.get(key(dag, run, task));
      if (instance !== undefined) setAside(instance, 'success');
    },
    instances: async (dag, run, task) => {
      if (task === undefined) return of(dag, run).map((instance) => ({ ...instance }));
      const instance = instances.get(key(dag, run, task));
      if (instance === undefined) return [];
      const isCleared = instance.state === undefined && instance.maxTries > 0;
      if (ownPace.has(`${dag} ${run}`) && !isCleared) await goOn(dag, run);
      else if (!headStart.has(`${dag} ${run}`)) await step(dag, run, instance);
      return [{ ...instance }];
    },
    durations: async () => new Map(),
    atWork: async () => [],
    clear: async (dag, run, task) => clear(dag, run, task),
    stop: async (dag, run, task) => {
      const instance = instances.get(key(dag, run, task));
      if (instance !== undefined && instance.state !== 'success') instance.state = 'failed';
    },
    note: async (dag, run, text, instead = '') => {
      const found = runs.get(dag)?.get(run);
      if (found === undefined) return;
      const replaces = instead !== '' && found.note?.includes(instead) === true;
      if (replaces) found.note = found.note?.replace(instead, () => text);
      else if (found.note?.includes(text) !== true) found.note = [found.note, text].filter(Boolean).join('\n');
    },
    logTail: async (_dag, _run, { state }) =>
      state === 'failed' ? ['Traceback', 'ValueError: no rows', 'Task killed!'] : [],
    link: (dag, run, { task }) => `memory/${dag}/${run}/${task}`,
  };
  return scheduler;
}

/** The same scheduler as another process sees it, whose calls can fail or kill by themselves. */
export function throughHook(scheduler: FakeScheduler, hook: Hook): FakeScheduler {
  const names = [
    'dag',
    'runs',
    'run',
    'createRun',
    'setDone',
    'instances',
    'clear',
    'stop',
    'note',
    'logTail',
    'health',
    'backfillDates',
    'backfill',
    'isBackfilling',
    'endRun',
  ] as const;
  const hooked = { ...scheduler };
  for (const name of names) {
    const call = scheduler[name] as (...values: unknown[]) => Promise<unknown>;
    Object.assign(hooked, {
      [name]: async (...values: unknown[]) => {
        await hook(name, 'before');
        const result = await call(...values);
        await hook(name, 'after');
        return result;
      },
    });
  }
  return hooked;
}
