import type { Task } from '../../pipeline/model/model.ts';
import { tasksByBranch } from '../../pipeline/routines/tasks-by-branch.ts';
import type { ReadFact, TaskFacts, Unknown, WriteFact } from '../facts/facts.ts';

/**
 * The facts of a task as far as they hold in each branch of its templates: where another one writes other rows of a table, writes
 * them otherwise or reads others, that is not known. `factsOf`: those of the task as it is in one way.
 */
export function factsOfBranches(task: Task, factsOf: (task: Task) => TaskFacts): TaskFacts {
  let facts = factsOf(task);
  for (const other of tasksByBranch(task)) facts = inBoth(facts, factsOf(other.task), `when ${other.when}`);
  return facts;
}

function inBoth(facts: TaskFacts, other: TaskFacts, when: string): TaskFacts {
  const unknowns: Unknown[] = [];
  const writes = facts.writes.map((write): WriteFact => {
    const same = other.writes.find(({ table }) => table === write.table);
    if (same === undefined || write.slice.kind === 'unknown' || cutOf(same) === cutOf(write)) return write;
    const reason = `${when}, its template takes another branch, which ${same.mode === write.mode ? 'writes other rows' : `writes it by ${same.mode}, not ${write.mode}`}; say under writes in backfill.yaml which rows an interval owns`;
    const at = same.sliceAt ?? same.at ?? write.at;
    unknowns.push({
      task: facts.task,
      about: 'slice',
      table: write.table,
      message: `The rows of ${write.table} that one interval owns are not known: ${reason}.`,
      at,
    });
    const { sliceAt: _, ...rest } = write;
    return { ...rest, mode: same.mode === write.mode ? write.mode : 'unknown', slice: { kind: 'unknown', reason } };
  });
  const reads = facts.reads.map((read): ReadFact => {
    const others = other.reads.filter(({ table }) => table === read.table);
    if (others.length === 0 || read.window.kind === 'unknown' || others.some((one) => windowOf(one) === windowOf(read)))
      return read;
    const reason = `${when}, its template takes another branch, which reads other rows of it`;
    const at = others[0]?.windowAt ?? others[0]?.at;
    unknowns.push({
      task: facts.task,
      about: 'window',
      table: read.table,
      message: `The range that it reads of ${read.table} is not known: ${reason}.`,
      at,
    });
    return { ...read, window: { kind: 'unknown', reason, at } };
  });
  if (unknowns.length === 0) return facts;
  return { ...facts, writes, reads, unknowns: [...facts.unknowns, ...unknowns] };
}

/** By what two writes are the same; the place of the condition that says it counts for nothing. */
const cutOf = ({ slice, mode, provenance }: WriteFact): string => {
  if (slice.kind !== 'range') return JSON.stringify([provenance === 'declared' ? '' : mode, slice]);
  const { column, lo, hi, cut } = slice;
  return JSON.stringify([provenance === 'declared' ? '' : mode, column, lo, hi, cut]);
};

const windowOf = ({ window }: ReadFact): string =>
  window.kind === 'range' ? JSON.stringify([window.column, window.lo, window.hi]) : window.kind;
