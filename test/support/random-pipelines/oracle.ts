import { floorDay, type Interval, intervalsOf } from './civil.ts';
import { modulus, type Read, type Row, type TaskModel, type WorkspaceModel } from './model.ts';

export type Tables = ReadonlyMap<string, readonly Row[]>;

export const intervalsOfTask = (task: TaskModel, model: WorkspaceModel): readonly Interval[] =>
  intervalsOf(task.dag.grain, task.dag.zone, task.dag.start, model.now);

/** All tables after one clean run of every interval in order, worked out row by row. */
export function cleanRun(model: WorkspaceModel, raw: readonly Row[]): Tables {
  const tables = new Map<string, readonly Row[]>([['raw_events', raw]]);
  /** What a table that is emptied by each run held after the run of an interval. */
  const staged = new Map<string, ReadonlyMap<number, readonly Row[]>>();
  for (const task of model.tasks) {
    const snapshots = new Map<number, readonly Row[]>();
    let target: readonly Row[] = [];
    tables.set(task.table, target);
    for (const interval of intervalsOfTask(task, model)) {
      const rowsOf = (read: Read): readonly Row[] =>
        task.staged
          ? (staged.get(read.table)?.get(interval.start) ?? [])
          : (tables.get(read.table) ?? []).filter((row) => inWindow(read, interval, row));
      const dimension = new Map((tables.get(task.dimension ?? '') ?? []).map(({ k, v }) => [k, v]));
      const rows = task.reads.flatMap(rowsOf);
      target = written(task, interval, target, rows, dimension);
      tables.set(task.table, target);
      snapshots.set(interval.start, target);
    }
    staged.set(task.table, snapshots);
  }
  return tables;
}

export function inWindow({ window }: Read, interval: Interval, { t }: Row): boolean {
  if (window === undefined) return true;
  const [from, to] = window.range(interval);
  return t >= from && t < to;
}

function written(
  task: TaskModel,
  interval: Interval,
  old: readonly Row[],
  rows: readonly Row[],
  dimension: ReadonlyMap<number, number>,
): readonly Row[] {
  const { write } = task;
  if (write.kind === 'upsert-latest') return latest(task, interval, old, rows);
  const groups = new Map<string, { t: number; k: number; n: number; v: number }>();
  for (const row of rows) {
    const t = write.stamp?.value(interval) ?? row.t;
    const group = groups.get(`${t} ${row.k}`) ?? { t, k: row.k, n: 0, v: 0 };
    group.n += row.n;
    group.v += row.v + (dimension.get(row.k) ?? 0);
    groups.set(`${t} ${row.k}`, group);
  }
  const made = [...groups.values()].map(({ t, k, n, v }) => ({ t, k, n: n % modulus, v: newValue(task, interval, v) }));
  const same = (a: Row, b: Row): boolean => a.t === b.t && a.k === b.k;
  switch (write.kind) {
    case 'replace':
      return made;
    case 'upsert-key':
      return [...old.filter((row) => !made.some((other) => same(row, other))), ...made];
    case 'delete+insert': {
      const [from, to] = write.removes?.(interval) ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
      return [...old.filter(({ t }) => t < from || t >= to), ...made];
    }
  }
}

const newValue = ({ factor, addend, fix }: TaskModel, interval: Interval, sum: number): number => {
  const day = floorDay(interval.start);
  const fixed = fix !== undefined && day >= fix.from && day < fix.to ? fix.add : 0;
  return (sum * factor + addend + fixed) % modulus;
};

/** One row a key: the newest, of those the one with the largest numbers, unless the table has a newer one. */
function latest(task: TaskModel, interval: Interval, old: readonly Row[], rows: readonly Row[]): readonly Row[] {
  const result = new Map(old.map((row) => [row.k, row]));
  const best = new Map<number, Row>();
  for (const row of rows) {
    const other = best.get(row.k);
    if (other === undefined || row.t > other.t || (row.t === other.t && (row.n - other.n || row.v - other.v) > 0)) {
      best.set(row.k, row);
    }
  }
  for (const row of best.values()) {
    const known = result.get(row.k);
    if (known === undefined || row.t >= known.t) result.set(row.k, { ...row, v: newValue(task, interval, row.v) });
  }
  return [...result.values()];
}
