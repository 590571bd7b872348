import { isRetentionDelete } from '../../../lineage/writes/retention-delete.ts';
import { blocksBelow, filtersOf, queriesIn } from '../../../sql/model/sql-search.ts';
import type { ColumnTrace } from '../../bounds/column-trace.ts';
import { type Comparison, comparisonOf } from '../../bounds/comparison.ts';
import { deletedSlice, insertedTraces, insertsAfter, unqualifiedText } from '../../bounds/deleted-slice.ts';
import { usesInterval } from '../../bounds/interval-columns.ts';
import { compareRanges, constantRange, isPoint, rangeOf, type SliceRange } from '../../bounds/slice-range.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import {
  placeOf,
  type StatementView,
  sameTable,
  type TaskView,
  tableKey,
  writeSubject,
  writesTo,
} from '../../source/statement-view.ts';

/** A second run doubles what is written beyond the DELETE, and loses what is deleted beyond the INSERT. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    for (const deletion of task.statements) {
      const { kind, target } = deletion.statement;
      if (kind !== 'delete' || target === undefined || isRetentionDelete(deletion.statement)) continue;
      const key = tableKey(deletion, target);
      const inserts = insertsAfter(task, deletion, key);
      const [first] = inserts;
      if (first === undefined) continue;
      const found = movingBound(deletion, inserts, key) ?? differentRange(context, task, deletion, inserts);
      if (found === undefined) continue;
      yield {
        at: placeOf(deletion, deletion.statement.head),
        message: found.message,
        subject: writeSubject(first, key),
        restsOn: [deletion, ...inserts],
        related: [{ message: 'the rows are written here', at: placeOf(first, first.statement.head) }],
        fixes: found.fix ? [found.fix] : [],
      };
    }
  }
}

interface Mismatch {
  readonly message: string;
  readonly fix?: Fix | undefined;
}

/** Both statements ask the target where to begin, and the DELETE changes the answer before the INSERT asks. */
function movingBound(deletion: StatementView, inserts: readonly StatementView[], key: string): Mismatch | undefined {
  if (!boundsFromTable(deletion, key) || !inserts.some((insert) => boundsFromTable(insert, key))) return undefined;
  return {
    message:
      'The bound is read from the table that is being changed: after the DELETE the INSERT finds another one and writes rows that were not deleted.',
  };
}

const boundsFromTable = (view: StatementView, key: string): boolean =>
  [...filtersOf(view.statement)].some(({ conjunct }) => {
    const comparison = comparisonOf(conjunct);
    return [comparison?.low?.value, comparison?.high?.value].some(
      (bound) =>
        bound !== undefined &&
        [...queriesIn(bound)].some((query) =>
          [...blocksBelow(query)].some((block) =>
            block.from.some((item) => item.kind === 'table' && sameTable(tableKey(view, item.table), key)),
          ),
        ),
    );
  });

function differentRange(
  context: LintContext,
  task: TaskView,
  deletion: StatementView,
  inserts: readonly StatementView[],
): Mismatch | undefined {
  const cuts = deletedSlice(deletion);
  const [cut] = cuts;
  const others = task.statements.filter(
    (other) => other !== deletion && other.statement.kind === 'delete' && writesTo(other, tableKeyOf(deletion)),
  );
  if (cut === undefined || others.length > 0) return undefined;
  const deleted = rangeOf(deletion, cuts, cut.unit);
  if (deleted === undefined) return undefined;
  const traces = inserts.flatMap((insert) =>
    insertedTraces(insert, cut.column.name).map((trace) => ({ insert, trace })),
  );
  const ranges = traces.map(({ insert, trace }) => insertedRange(insert, trace, deleted));
  if (ranges.some((range) => range === undefined)) return undefined;
  const outcomes = ranges.flatMap((range) => range ?? []).map((range) => compareRanges(task.pipeline, deleted, range));
  const fix =
    inserts.length === 1 && traces.length === 1 ? sameBoundFix(context, deletion, cuts, traces[0]) : undefined;
  if (outcomes.includes('narrower')) {
    return {
      message: `The INSERT writes a wider range of ${cut.column.name} than the DELETE removes, so a second run doubles the rows in between.`,
      fix,
    };
  }
  if (outcomes.length > 0 && outcomes.every((outcome) => outcome === 'wider') && outcomes.length === 1) {
    return {
      message: `The DELETE removes a wider range of ${cut.column.name} than the INSERT writes, so every run loses the rows in between.`,
      fix,
    };
  }
  return undefined;
}

const tableKeyOf = (view: StatementView): string =>
  view.statement.target ? tableKey(view, view.statement.target) : '';

function insertedRange(insert: StatementView, trace: ColumnTrace, deleted: SliceRange): SliceRange | undefined {
  if (trace.kind === 'unknown') return undefined;
  if (trace.kind === 'constant') return constantRange(insert, trace.value);
  const cuts = trace.cuts.filter((cut) => usesInterval(insert, cut.conjunct));
  if (cuts.length > 0) return cuts.length === trace.cuts.length ? rangeOf(insert, cuts, trace.unit) : undefined;
  if (trace.cuts.length > 0) return undefined;
  // Another column is cut. It need not run with the target's, but a whole range of it never fits into one instant.
  if (!isPoint(deleted)) return undefined;
  const elsewhere = trace.block.where.flatMap((conjunct) =>
    usesInterval(insert, conjunct) ? (comparisonOf(conjunct) ?? []) : [],
  );
  const range = elsewhere.length > 0 ? rangeOf(insert, elsewhere, undefined) : undefined;
  return range && !isPoint(range) ? range : undefined;
}

/** The INSERT's own bound for the DELETE, where the column goes through unchanged and the predicates stand alone. */
function sameBoundFix(
  context: LintContext,
  deletion: StatementView,
  cuts: readonly Comparison[],
  inserted: { readonly insert: StatementView; readonly trace: ColumnTrace } | undefined,
): Fix | undefined {
  const { trace, insert } = inserted ?? {};
  const first = cuts[0]?.conjunct;
  const last = cuts.at(-1)?.conjunct;
  if (
    trace?.kind !== 'column' ||
    insert === undefined ||
    insert.sql !== deletion.sql ||
    first === undefined ||
    last === undefined
  )
    return undefined;
  if (trace.unit !== undefined || trace.cuts.length === 0 || trace.name !== cuts[0]?.column.name) return undefined;
  // Replaced in one piece, so nothing else may stand between the first and the last of them.
  const between = deletion.statement.where.filter(
    (conjunct) => conjunct.start >= first.start && conjunct.end <= last.end,
  );
  if (between.length !== cuts.length) return undefined;
  const predicates = trace.cuts.map((cut) => unqualifiedText(insert, cut));
  const edits = editSql(context, deletion, [{ start: first.start, end: last.end, newText: predicates.join(' AND ') }]);
  return edits && { title: 'Delete by the bound of the INSERT', edits, preferred: true };
}

export default {
  id: 'delete-insert-range-mismatch',
  severity: 'error',
  summary: 'A DELETE and its INSERT that cover different ranges',
  help: 'Use one and the same bound in both statements.',
  supersedes: ['watermark-from-target', 'plain-insert', 'delete-insert-not-atomic'],
  provable: 'second run',
  check,
} satisfies Rule;
