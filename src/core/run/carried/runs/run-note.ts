import type { DagRun } from '../../../scheduler/port/scheduler.ts';

/** Who has a run's tasks run, and in which run of a plan: said on each run of a DAG. */
export const runNote = (planRun: string, owner: string): string => `Backfill Assistant, run ${planRun}, by ${owner}`;

/**
 * On the run itself, since whoever made it may die at any moment and whoever goes on may be another process: while this stands
 * there, nothing of ours is at work in the run, and how its tasks stand says nothing.
 */
const unsettled = '; its tasks are not set aside yet';
const ended = '; it was ended';
const beganItself = '; it began by itself before its tasks were set aside';

/** The note of a run that is made, from its first moment until its tasks are set aside; `note` says who does it and why. */
export const unsettledNote = (note: string): string => `${note}${unsettled}`;

/** The same of a run that went by itself and is ended. */
export const endedNote = (note: string): string => `${note}${ended}${unsettled}`;

/** The line of a note that says so, and what stands there once they are; `began`: some had begun before that. */
export function settledNote(
  note: string,
  began: boolean,
): { readonly unsettled: string; readonly settled: string } | undefined {
  const line = note.split('\n').find((text) => text.includes(unsettled));
  if (line === undefined) return undefined;
  const wasEnded = line.includes(`${ended}${unsettled}`);
  const settled = line.replace(ended, '').replace(unsettled, began && !wasEnded ? beganItself : '');
  return { unsettled: line, settled };
}

export const isUnsettled = (run: DagRun | undefined): boolean => run?.note?.includes(unsettled) === true;

/** Whether a run of the plan made it, and its scheduler began with its tasks before they were set aside. */
export const beganUnasked = (run: DagRun | undefined, planRun: string): boolean =>
  run?.note?.split('\n').some((line) => line.includes(`run ${planRun},`) && line.includes(beganItself)) === true;
