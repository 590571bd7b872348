import type { TaskInstance } from './scheduler.ts';

/** Where a task of a run stands, its mapped parts taken together. */
export type TaskStanding = 'waiting' | 'active' | 'success' | 'skipped' | 'failed' | 'gone';

const active = new Set([
  'running',
  'queued',
  'scheduled',
  'restarting',
  'up_for_retry',
  'up_for_reschedule',
  'deferred',
]);

/** States of one instance that are no end, and in which the scheduler does something about it, or will. */
export const isActive = ({ state }: TaskInstance): boolean => state !== undefined && active.has(state);

/** `failed` only when nothing of it goes on any more; `gone`: the run has no such task. */
export function standingOf(instances: readonly TaskInstance[]): TaskStanding {
  const present = instances.filter(({ state }) => state !== 'removed');
  if (present.length === 0) return 'gone';
  if (present.some(isActive)) return 'active';
  if (present.some(({ state }) => state === undefined)) return 'waiting';
  if (present.some(({ state }) => state === 'failed' || state === 'upstream_failed')) return 'failed';
  return present.every(({ state }) => state === 'skipped') ? 'skipped' : 'success';
}

/** What one instance is doing, in a few words for the eye. */
export function stateInWords(instances: readonly TaskInstance[]): string {
  const counts = new Map<string, number>();
  for (const { state, tryNumber } of instances) {
    const words = state === undefined ? 'not scheduled yet' : state.replaceAll('_', ' ');
    const told = tryNumber > 1 && state !== undefined ? `${words}, try ${tryNumber}` : words;
    counts.set(told, (counts.get(told) ?? 0) + 1);
  }
  const said = [...counts].map(([words, count]) => (instances.length === 1 ? words : `${count} ${words}`));
  return said.join('; ') || 'gone from its run';
}

/**
 * What tells one execution of a task from the next: any clear, any further try and any end moves it. Compared, never
 * shown.
 */
export const executionMark = (instances: readonly TaskInstance[]): string =>
  JSON.stringify(
    [...instances]
      .sort((a, b) => a.mapIndex - b.mapIndex)
      .map(({ mapIndex, state, tryNumber, maxTries, startedAt, endedAt }) => [
        mapIndex,
        state ?? null,
        tryNumber,
        maxTries,
        startedAt ?? null,
        endedAt ?? null,
      ]),
  );
