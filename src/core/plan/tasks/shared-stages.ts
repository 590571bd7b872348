import type { WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';
import type { TakenTurn } from '../model/plan-request.ts';
import type { RunStages, RunTable } from './run-stages.ts';

/**
 * Whether what a task reads of a table cannot be of a writer in another pipeline: its own run empties and fills the table
 * before.
 */
export const isOfOtherRuns = (
  { tasks }: WorkspaceFacts,
  stages: RunStages,
  table: string,
  reader: TaskId,
  writer: TaskId,
): boolean =>
  tasks.get(reader)?.pipeline !== tasks.get(writer)?.pipeline &&
  stages.of(reader).some((one) => one.table === table && one.using.includes(reader));

/**
 * Where several pipelines empty and fill one table, each for itself, their runs take turns, in the order in which the
 * schedules start them. Of those that start together the one comes first that the other depends on.
 */
export function turnsAtStages(
  { pipelines, tasks }: WorkspaceFacts,
  stagesOf: (id: TaskId) => RunStages,
  parentsOf: (id: TaskId) => readonly TaskId[],
): (task: TaskId) => readonly TakenTurn[] {
  const byTable = new Map<string, { readonly pipeline: Pipeline; readonly one: RunTable }[]>();
  for (const [id, { task, pipeline }] of tasks) {
    for (const one of stagesOf(id).of(id)) {
      if (one.first !== id) continue;
      const key = JSON.stringify([one.table, task.place]);
      byTable.set(key, [...(byTable.get(key) ?? []), { pipeline, one }]);
    }
  }
  const shared = [...byTable.values()].filter(
    (some) => some.length > 1 && some.some(({ one }) => one.using.length > 0),
  );
  if (shared.length === 0) return () => [];
  const ranks = ranksOf(pipelines, (id) => tasks.get(id)?.pipeline, parentsOf);
  const turns = new Map<TaskId, TakenTurn[]>();
  for (const sharing of shared) {
    for (const { pipeline, one } of sharing) {
      for (const other of sharing) {
        if (other.pipeline === pipeline) continue;
        const users = [...new Set([...other.one.emptying, ...other.one.filling, ...other.one.using])];
        const isFirst = (ranks.get(other.pipeline) ?? 0) < (ranks.get(pipeline) ?? 0);
        turns.set(one.first, [...(turns.get(one.first) ?? []), { users, isFirst }]);
      }
    }
  }
  return (task) => turns.get(task) ?? [];
}

/** A place for each pipeline behind those that its tasks depend on, as far as that has an order. */
function ranksOf(
  pipelines: readonly Pipeline[],
  pipelineOf: (id: TaskId) => Pipeline | undefined,
  parentsOf: (id: TaskId) => readonly TaskId[],
): ReadonlyMap<Pipeline, number> {
  const ranks = new Map<Pipeline, number>();
  const open = new Set<Pipeline>();
  const visit = (pipeline: Pipeline): void => {
    if (open.has(pipeline)) return;
    open.add(pipeline);
    for (const { id } of pipeline.tasks) {
      for (const parent of parentsOf(id)) {
        const other = pipelineOf(parent);
        if (other !== undefined) visit(other);
      }
    }
    ranks.set(pipeline, ranks.size);
  };
  for (const pipeline of pipelines) visit(pipeline);
  return ranks;
}
