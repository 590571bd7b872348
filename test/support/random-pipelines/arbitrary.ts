import fc from 'fast-check';
import { dayMs, type Grain, grains, hourMs, intervalsOf, tickAt, type Zone, zones } from './civil.ts';
import { type Dag, isDay, type Read, type Row, type TaskModel, type TimeType, type WorkspaceModel } from './model.ts';
import { windowsOn } from './windows.ts';
import { writesOf } from './writes.ts';

/** The last day of a history: shortly after clocks changed, and soon after a month began. */
const lastDays = [Date.UTC(2024, 3, 5), Date.UTC(2024, 2, 12), Date.UTC(2024, 9, 29), Date.UTC(2024, 10, 6)] as const;

const number = fc.nat({ max: 1000 });
const dagGenes = fc.record({ grain: number, zone: number, spelling: number, days: number });
const taskGenes = fc.record({
  dag: number,
  sources: fc.array(number, { minLength: 1, maxLength: 2 }),
  windows: fc.array(number, { minLength: 2, maxLength: 2 }),
  special: number,
  write: number,
  spelling: number,
  factor: fc.integer({ min: 1, max: 3 }),
  addend: fc.nat({ max: 9 }),
});
const rowGenes = fc.record({ at: fc.nat({ max: 100_000 }), k: fc.nat({ max: 3 }), v: fc.nat({ max: 99 }) });

export interface ChangeGenes {
  readonly kind: 'rows' | 'code' | 'both';
  readonly task: number;
  /** Shares of the history, in percent. */
  readonly from: number;
  readonly days: number;
  readonly how: number;
  readonly added: readonly { readonly at: number; readonly k: number; readonly v: number }[];
}

export interface Case {
  readonly model: WorkspaceModel;
  readonly raw: readonly Row[];
  readonly change: ChangeGenes;
  /** For what is random about a run: where faults strike, how many runners. */
  readonly chance: readonly number[];
}

export const historyOf = (model: WorkspaceModel): readonly [from: number, to: number] => [
  Math.min(...model.dags.map(({ start }) => start)),
  model.now,
];

export const cases: fc.Arbitrary<Case> = fc
  .record({
    lastDay: number,
    rawType: fc.constantFrom<TimeType>('timestamptz', 'timestamptz', 'timestamp', 'date'),
    session: fc.constantFrom<Zone>('UTC', 'UTC', 'UTC', ...zones),
    ddl: fc.boolean(),
    dags: fc.array(dagGenes, { minLength: 1, maxLength: 3 }),
    tasks: fc.array(taskGenes, { minLength: 2, maxLength: 6 }),
    rows: fc.array(rowGenes, { minLength: 10, maxLength: 90, size: 'max' }),
    change: fc.record({
      kind: fc.constantFrom<ChangeGenes['kind']>('rows', 'code', 'both'),
      task: number,
      from: fc.nat({ max: 99 }),
      days: fc.integer({ min: 1, max: 3 }),
      how: number,
      added: fc.array(rowGenes, { maxLength: 6 }),
    }),
    chance: fc.array(number, { minLength: 12, maxLength: 12 }),
  })
  .map((genes) => {
    const end = (lastDays[genes.lastDay % lastDays.length] as number) + 7 * hourMs;
    const dags = genes.dags.map((dag, index) => dagFrom(dag, index, end));
    const tasks: TaskModel[] = [];
    for (const task of genes.tasks) tasks.push(taskFrom(task, tasks, dags, genes.rawType, genes.session, end));
    const model: WorkspaceModel = {
      schema: 'w',
      rawType: genes.rawType,
      dags: dags.filter((dag) => tasks.some((task) => task.dag === dag)),
      tasks,
      sessionZone: genes.session,
      now: end,
      ddl: genes.ddl,
    };
    return {
      model,
      raw: genes.rows.map((row) => rawRow(row, model)),
      change: genes.change,
      chance: genes.chance,
    };
  });

/** A row somewhere in the history, often exactly on an hour. */
export function rawRow(genes: { at: number; k: number; v: number }, model: WorkspaceModel): Row {
  const from = Math.max(historyOf(model)[0], model.now - 12 * dayMs) - dayMs;
  const minutes = Math.floor(((genes.at / 100_000) * (model.now + dayMs - from)) / 60_000);
  const at = from + (genes.at % 3 === 0 ? Math.floor(minutes / 60) * 60 : minutes) * 60_000;
  const t = isDay(model.rawType) ? Math.floor(at / dayMs) * dayMs : at;
  return { t, k: genes.k, n: 1, v: genes.v };
}

const cron: Readonly<Record<Grain, readonly string[]>> = {
  hourly: ['"@hourly"', '"0 * * * *"', 'timedelta(hours=1)'],
  'six-hourly': ['"0 */6 * * *"', '"0 0,6,12,18 * * *"'],
  daily: ['"@daily"', '"0 0 * * *"'],
  'half-past-two': ['"30 2 * * *"'],
  weekly: ['"@weekly"', '"0 0 * * 0"', '"0 0 * * SUN"'],
  monthly: ['"@monthly"', '"0 0 1 * *"'],
};

/** Days of history; few where there are many runs a day. */
const historyDays: Readonly<Record<Grain, readonly [least: number, more: number]>> = {
  hourly: [1, 1],
  'six-hourly': [2, 3],
  daily: [5, 7],
  'half-past-two': [5, 7],
  weekly: [21, 14],
  monthly: [62, 31],
};

function dagFrom(
  genes: { grain: number; zone: number; spelling: number; days: number },
  index: number,
  end: number,
): Dag {
  // Days are the most usual, so that chains of them are.
  const grain = ([...grains, 'daily', 'daily'] as const)[genes.grain % (grains.length + 2)] as Grain;
  const zone = zones[genes.zone % zones.length] as Zone;
  const [least, more] = historyDays[grain];
  const days = least + (genes.days % (more + 1));
  const schedule = cron[grain][genes.spelling % cron[grain].length] as string;
  return { id: `dag_${index}`, grain, zone, start: tickAt(Math.floor(end / dayMs - days) * dayMs, zone), schedule };
}

const newestEnd = ({ grain, zone, start }: Dag, now: number): number =>
  intervalsOf(grain, zone, start, now).at(-1)?.end ?? Number.NEGATIVE_INFINITY;

interface TaskGenes {
  readonly dag: number;
  readonly sources: readonly number[];
  readonly windows: readonly number[];
  readonly special: number;
  readonly write: number;
  readonly spelling: number;
  readonly factor: number;
  readonly addend: number;
}

/** Rebuilt whole from whole tables: the same whatever the interval. */
const isPure = (task: TaskModel): boolean =>
  task.write.kind === 'replace' && task.reads.every(({ window }) => window === undefined);

/** Filled anew by each interval, for readers of the same interval. */
export const isStage = (task: TaskModel): boolean => task.write.kind === 'replace' && !isPure(task);

function taskFrom(
  genes: TaskGenes,
  earlier: readonly TaskModel[],
  dags: readonly Dag[],
  rawType: TimeType,
  session: Zone,
  end: number,
): TaskModel {
  const { spelling, special } = genes;
  const dag = dags[genes.dag % dags.length] as Dag;
  const name = `task_${earlier.length}`;
  const common = {
    id: `${dag.id}.${name}`,
    dag,
    name,
    table: `t${earlier.length}`,
    factor: genes.factor,
    addend: genes.addend,
    fix: undefined,
    layout: spelling,
    dimension: undefined,
    staged: false,
  };
  const stages = earlier.filter((task) => task.dag === dag && isStage(task));
  if (stages.length > 0 && special % 2 === 0) {
    const stage = stages[special % stages.length] as TaskModel;
    const reads: Read[] = [{ table: stage.table, type: stage.write.type, window: undefined }];
    const writes = writesOf(dag, reads, spelling).filter(
      ({ kind }) => kind === 'delete+insert' || kind === 'upsert-key',
    );
    return { ...common, staged: true, reads, write: writes[genes.write % writes.length] as TaskModel['write'] };
  }
  const windowed = [
    { table: 'raw_events', type: rawType },
    ...earlier
      .filter(({ write }) => write.kind === 'delete+insert' || write.kind === 'upsert-key')
      .map(({ table, write }) => ({ table, type: write.type })),
  ];
  // A table that is read whole is read as it is then: rows that come after the reader's newest interval are not meant.
  const whole = earlier
    .filter((task) => !isStage(task) && newestEnd(task.dag, end) <= newestEnd(dag, end))
    .map(({ table, write }) => ({ table, type: write.type }));
  if (whole.length > 0 && special % 7 === 1) {
    const source = whole[(genes.sources[0] as number) % whole.length] as { table: string; type: TimeType };
    const reads: Read[] = [{ ...source, window: undefined }];
    const writes = writesOf(dag, reads, spelling).filter(({ kind }) => kind === 'replace');
    return { ...common, reads, write: writes[genes.write % writes.length] as TaskModel['write'] };
  }
  const reads = genes.sources.map((gene, index): Read => {
    // The newest tables are the likeliest: chains, not stars.
    const back = gene % (windowed.length * 2);
    const source = windowed[back < windowed.length ? back : windowed.length - 1] as { table: string; type: TimeType };
    const windows = windowsOn(source.type, session, spelling + index);
    const gene2 = genes.windows[index] as number;
    const window = windows[gene2 % 3 === 0 ? 0 : gene2 % windows.length];
    return { ...source, window };
  });
  const writes = writesOf(dag, reads, spelling);
  const write = writes[genes.write % writes.length] as TaskModel['write'];
  const self = selfRead(dag, common.table, write, session, spelling);
  const dimensions = earlier.filter((task) => isPure(task) && task.write.stamp !== undefined);
  if (special % 5 === 2 && self !== undefined) return { ...common, reads: [...reads, self], write };
  if (special % 5 === 3 && dimensions.length > 0 && write.kind !== 'upsert-latest') {
    return { ...common, reads, write, dimension: (dimensions[special % dimensions.length] as TaskModel).table };
  }
  return { ...common, reads, write };
}

/** What the run before wrote, where the grid is even. */
function selfRead(
  dag: Dag,
  table: string,
  write: TaskModel['write'],
  session: Zone,
  spelling: number,
): Read | undefined {
  if (write.kind === 'replace' || write.kind === 'upsert-latest' || write.name === 'local-day') return undefined;
  if (write.stamp === undefined) return undefined;
  const days = isDay(write.type);
  if (days ? !['daily', 'half-past-two'].includes(dag.grain) : !['hourly', 'daily'].includes(dag.grain))
    return undefined;
  const windows = windowsOn(write.type, session, spelling);
  const names = days ? ['lag'] : ['before'];
  const before = {
    name: 'before',
    sql: `ts >= '{{ data_interval_start - macros.timedelta(hours=${dag.grain === 'hourly' ? 1 : 25}) }}' and ts < '{{ data_interval_start }}'`,
    range: ({ start }: { start: number }) => [start - (dag.grain === 'hourly' ? 1 : 25) * hourMs, start] as const,
  };
  const window = [...windows, before].find(({ name }) => names.includes(name));
  return window === undefined ? undefined : { table, type: write.type, window };
}

export const hasUpserts = (model: WorkspaceModel): boolean =>
  model.tasks.some(({ write }) => write.kind === 'upsert-key' || write.kind === 'upsert-latest');

export const unitCount = (model: WorkspaceModel): number =>
  model.tasks.reduce((sum, { dag }) => sum + intervalsOf(dag.grain, dag.zone, dag.start, model.now).length, 0);
