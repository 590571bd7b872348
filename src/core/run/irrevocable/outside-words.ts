import type { TaskId } from '../../pipeline/model/model.ts';
import type { JobRefusal } from '../unit/job-refusal.ts';
import type { UnitJob } from '../unit/unit-job.ts';

/** What a preview or proof would do for good: how often it runs each unit. */
export interface Rehearsal {
  readonly name: 'preview' | 'prove';
  readonly times: number;
}

export const previewing: Rehearsal = { name: 'preview', times: 1 };

/** As written, twice on other plans, and from empty slices. */
export const proving: Rehearsal = { name: 'prove', times: 4 };

/** Why a unit is not rehearsed that nobody has confirmed. */
export const outsideRefusal = (
  { task, statements, outside = [] }: Pick<UnitJob, 'task' | 'statements' | 'outside'>,
  rehearsal: Rehearsal,
): JobRefusal => ({
  code: 'irrevocable',
  message: `${task} ${outsideInWords(outside)}`,
  remedy: `take that out of the task, or confirm that ${often(rehearsal)}: --irrevocable ${task}`,
  at: statements[0]?.at,
});

/** A task of a preview or proof that waits for somebody to say that it may do what stays. */
export interface OutsideTask {
  readonly task: TaskId;
  /** Says what stays, and how often it is done. */
  readonly question: string;
}

/** Tasks that nobody has confirmed yet, each once. */
export function outsideTasks(
  jobs: ReadonlyMap<string, UnitJob>,
  rehearsal: Rehearsal,
  confirmed: ReadonlySet<TaskId>,
): readonly OutsideTask[] {
  const found = new Map<TaskId, { readonly outside: readonly string[]; units: number }>();
  for (const { task, outside } of jobs.values()) {
    if (outside === undefined || confirmed.has(task)) continue;
    const known = found.get(task);
    if (known === undefined) found.set(task, { outside, units: 1 });
    else known.units += 1;
  }
  return [...found].map(([task, { outside, units }]) => ({
    task,
    question: outsideQuestion(task, outside, units, rehearsal),
  }));
}

const outsideQuestion = (task: TaskId, outside: readonly string[], units: number, rehearsal: Rehearsal): string =>
  `${task} ${outsideInWords(outside)}. ${
    rehearsal.name === 'preview' ? 'A preview' : 'A proof'
  } does it ${rehearsal.times * units === 1 ? 'once' : `${rehearsal.times * units} times`}. Do it so?`;

/** What is done before a unit of a real run is known to stay. */
export const outsideNote = (outside: readonly string[]): string =>
  `It ${outsideInWords(outside)}. That is done, whatever becomes of its rows.`;

export const outsideInWords = (outside: readonly string[]): string =>
  `does what no rollback takes back: ${outside.join('; ')}`;

/** Said before a run is confirmed; empty where there is nothing to say. */
export const outsideText = (jobs: ReadonlyMap<string, UnitJob>): string =>
  [...new Map([...jobs.values()].map(({ task, outside }) => [task, outside])).entries()]
    .flatMap(([task, outside]) =>
      outside === undefined
        ? []
        : [
            `outside ${task} ${outsideInWords(outside)}; it is done once for each unit, whatever becomes of its rows, and whether a rerun changes rows again is not tried\n`,
          ],
    )
    .join('');

const often = ({ name, times }: Rehearsal): string =>
  name === 'preview' ? 'a preview does it once for each unit' : `a proof does it ${times} times for each unit`;
