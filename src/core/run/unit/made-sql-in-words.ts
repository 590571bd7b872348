import type { UnitJob } from './unit-job.ts';

/**
 * Of a rehearsal, said before it starts and at its end: one sentence for each task, without a full stop, that keeps it
 * from claiming that nothing was done. Empty where no task runs SQL that it makes.
 */
export const madeSqlInWords = (jobs: Iterable<Pick<UnitJob, 'task' | 'makesSql'>>): readonly string[] =>
  [...new Map([...jobs].map(({ task, makesSql = [] }) => [task, makesSql])).entries()].flatMap(([task, makers]) =>
    makers.length === 0
      ? []
      : [
          `${task} runs SQL that it makes in ${makers.join(', ')}; what that does outside the database was not looked at`,
        ],
  );
