import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { type SliceReplacement, sliceReplacement } from '../relational/task/slice-replacement.ts';
import { planTask, type TaskPlan } from '../relational/task/task-plan.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { boundedRows } from './bounded-rows.ts';
import { type MergedQuery, mergedQuery } from './merged-query.ts';
import { conjuncts } from './sql-zones.ts';
import { type Apart, isApart, varyingText } from './varying-text.ts';

/** Units of one task as one piece of work: the same rows as one after the other. */
export interface JoinedUnits {
  /** Oldest first, at least two; each has one slice. */
  readonly jobs: readonly UnitJob[];
  readonly plan: TaskPlan & { readonly kind: 'ready' };
  /** Of the first unit: the target, its columns, and what errors are said of. */
  readonly replacement: SliceReplacement;
  readonly query: MergedQuery;
  /** The rows of all slices, and which of them each row is of (from 1), as SQL over the target's columns. */
  readonly slices: { readonly predicate: string; readonly number: string };
  /** Comparisons of constants, as SQL, that have to be true. */
  readonly checks: readonly string[];
}

/**
 * Whether the statements of these units, one after the other without a gap, can be sent as one pair: each empties its slice and
 * fills it with one query that the interval only cuts. Decided by their texts alone; what only the database knows
 * is asked before anything is written.
 */
export function joinUnits(jobs: readonly UnitJob[]): JoinedUnits | Apart {
  const [first] = jobs;
  if (first === undefined || jobs.length < 2) return { apart: 'there is only one interval' };
  const other = jobs.map(whyAlone).find((reason) => reason !== undefined);
  if (other !== undefined) return { apart: other };
  const plan = planTask(first);
  if (plan.kind === 'refused') return { apart: plan.reason };
  const replacements: SliceReplacement[] = [];
  for (const job of jobs) {
    const own = planTask(job);
    const replacement = own.kind === 'ready' ? sliceReplacement(own.statements, job.slices) : undefined;
    if (replacement === undefined)
      return {
        apart: 'it does more, or less, than one DELETE of its slice and one INSERT … SELECT that does not read it',
      };
    replacements.push(replacement);
  }
  const [replacement] = replacements;
  const predicates = jobs.map(({ slices }) => slices[0]?.predicate);
  if (replacement === undefined || predicates.includes(undefined))
    return { apart: 'it empties its whole table in each interval' };
  const [call] = readSql(plainText(replacement.fill.text), 'postgres').statements.flatMap(
    (one) => one.nondeterministic,
  );
  if (call !== undefined) return { apart: `it calls ${call.name}, which each run has another value of` };
  const slices = joinedSlices(predicates as readonly string[]);
  if (isApart(slices)) return slices;
  const query = mergedQuery(replacements.map(({ select }) => select));
  if (isApart(query)) return query;
  const checks = [...new Set([...slices.checks, ...query.checks])];
  return { jobs, plan, replacement, query, slices, checks };
}

function joinedSlices(
  predicates: readonly string[],
): { readonly predicate: string; readonly number: string; readonly checks: readonly string[] } | Apart {
  const text = varyingText(predicates);
  if (isApart(text)) return text;
  const rows = boundedRows(text, conjuncts(text.tokens, { from: 0, to: text.tokens.length }));
  if (isApart(rows)) return rows;
  const [unit, ...others] = rows.units;
  if (unit === undefined) return { apart: 'its slice is the same in each interval' };
  let predicate = '';
  let at = 0;
  for (const { from, to, text: sql } of [...rows.edits].sort((a, b) => a.from - b.from)) {
    predicate += text.first.slice(at, text.tokens[from]?.start) + sql;
    at = text.tokens[to - 1]?.end ?? text.first.length;
  }
  predicate += text.first.slice(at);
  const same = others.map(({ number }) => ` and ${unit.number} = ${number}`).join('');
  return {
    predicate: `(${predicate}\n${same})`,
    number: unit.number,
    checks: rows.units.flatMap(({ checks }) => checks),
  };
}

/** Why a unit is never one of several, in words that follow "because". */
function whyAlone(job: UnitJob): string | undefined {
  const [slice, ...more] = job.slices;
  if (job.carried !== undefined) return 'its scheduler carries it out';
  if (job.notAtomic !== undefined) return 'it is not one transaction';
  if (job.outside !== undefined) return 'it does what no rollback takes back';
  if (job.role !== undefined) return 'it runs as another role';
  if (job.restores !== undefined || job.fromNothing) return 'it is no run of its task';
  if (job.options.compare === 'none') return 'nothing is compared, and rows are told apart by what is';
  if (slice === undefined || more.length > 0) return 'it does not write one table';
  if (slice.column === undefined || slice.from === undefined || slice.to === undefined)
    return 'it does not own a range of its table';
  if (slice.stage === true || (job.filledBy ?? []).length > 0) return 'it has a table that each run fills anew';
  return undefined;
}
