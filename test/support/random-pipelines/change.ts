import { type ChangeGenes, hasUpserts, rawRow } from './arbitrary.ts';
import { dayMs, floorDay } from './civil.ts';
import type { Row, TaskModel, WorkspaceModel } from './model.ts';
import { intervalsOfTask, inWindow } from './oracle.ts';

export interface Changed {
  readonly model: WorkspaceModel;
  readonly raw: readonly Row[];
  /** What a person who knows what was changed has to select; `undefined`: nothing is touched by it. */
  readonly selection: { readonly tasks: readonly string[]; readonly from: number; readonly to: number } | undefined;
}

/**
 * Source rows of a range come out different, or one task's code is corrected for a range. Where tasks upsert, no row
 * goes away: an upsert never removes one, in a clean run as little as in a rerun.
 */
export function change(model: WorkspaceModel, raw: readonly Row[], genes: ChangeGenes): Changed {
  const readers = model.tasks.filter(({ reads }) => reads.some(({ table }) => table === 'raw_events'));
  const candidates = genes.kind === 'code' ? model.tasks : readers;
  const aim = candidates[genes.task % candidates.length] as TaskModel;
  const intervals = intervalsOfTask(aim, model);
  const hit = intervals[Math.floor((intervals.length * genes.from) / 100)];
  // The day in which the interval begins; of a long one the newest days, where the rows are.
  const from = floorDay(Math.max(hit?.start ?? model.now, (hit?.end ?? model.now) - 8 * dayMs));
  const to = from + genes.days * dayMs;
  const inRange = ({ t }: Row): boolean => t >= from && t < to;
  const affected: { task: TaskModel; start: number; end: number }[] = [];
  let rows = raw;
  let changedModel = model;
  if (genes.kind !== 'code') {
    const removing = !hasUpserts(model);
    rows = raw.flatMap((row, index) => {
      if (!inRange(row)) return [row];
      if (removing && (index + genes.how) % 3 === 0) return [];
      return [{ ...row, v: row.v + 1 + (genes.how % 5) }];
    });
    const added = genes.added.map((one) => rawRow(one, model)).filter(inRange);
    rows = [...rows, ...added];
    const touched = [...raw.filter(inRange), ...added];
    for (const task of model.tasks) {
      const reads = task.reads.filter(({ table }) => table === 'raw_events');
      for (const interval of intervalsOfTask(task, model)) {
        if (reads.some((read) => touched.some((row) => inWindow(read, interval, row))))
          affected.push({ task, ...interval });
      }
    }
  }
  if (genes.kind !== 'rows') {
    const task = aim;
    // By the day in which an interval begins.
    const fix = { from: Math.min(from, floorDay(hit?.start ?? from)), to, add: 1 + (genes.how % 50) };
    changedModel = { ...model, tasks: model.tasks.map((one) => (one === task ? { ...task, fix } : one)) };
    for (const interval of intervalsOfTask(task, model)) {
      const day = floorDay(interval.start);
      if (day >= fix.from && day < fix.to) affected.push({ task, ...interval });
    }
  }
  const selection =
    affected.length === 0
      ? undefined
      : {
          // What reads a staging table can only run together with what fills it.
          tasks: [...new Set(affected.flatMap(({ task }) => [task.id, ...stagesOf(task, model)]))],
          from: Math.min(...affected.map(({ start }) => start)),
          to: Math.max(...affected.map((one) => one.end)),
        };
  return { model: changedModel, raw: rows, selection };
}

/** The tasks that fill what a task reads whole, by the same run of their DAG. */
export const stagesOf = ({ staged, reads }: TaskModel, { tasks }: WorkspaceModel): readonly string[] =>
  staged ? tasks.filter(({ table }) => reads.some((read) => read.table === table)).map(({ id }) => id) : [];
