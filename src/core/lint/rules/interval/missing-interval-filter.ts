import { isStagingName } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock } from '../../../sql/model/expression.ts';
import { blocksBelow } from '../../../sql/model/sql-search.ts';
import type { TableReference } from '../../../sql/model/table-reference.ts';
import type { ColumnTrace } from '../../bounds/column-trace.ts';
import type { Comparison } from '../../bounds/comparison.ts';
import { deletedSlice, insertedTraces, insertsAfter, unqualifiedText } from '../../bounds/deleted-slice.ts';
import { holesIn, usesInterval } from '../../bounds/interval-columns.ts';
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
  tableLabel,
  writeSubject,
} from '../../source/statement-view.ts';

/** A second run deletes one slice and inserts all of the input, so that all other slices double. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const { kind } = task.pipeline.schedule.value;
    if (kind !== 'cron' && kind !== 'delta') continue;
    for (const deletion of task.statements) {
      const { kind: does, target } = deletion.statement;
      const cuts = does === 'delete' ? deletedSlice(deletion) : [];
      const column = cuts[0]?.column.name;
      if (target === undefined || column === undefined) continue;
      const key = tableKey(deletion, target);
      for (const insert of insertsAfter(task, deletion, key)) {
        for (const [branch, trace] of insertedTraces(insert, column).entries()) {
          const input = wholeInput(context, task, insert, trace, branch);
          if (input === undefined) continue;
          const fix = filterFix(context, deletion, cuts, insert, trace);
          yield {
            at: placeOf(insert, input),
            message: `No bound of the interval cuts ${tableLabel(insert, input)}, so every run writes all of its rows while only one slice of ${tableLabel(deletion, target)} is replaced; if ${tableLabel(insert, input)} holds one interval only, declare its window as "all" in backfill.yaml.`,
            subject: writeSubject(insert, key),
            restsOn: [deletion, insert],
            fixes: fix ? [fix] : [],
          };
        }
      }
    }
  }
}

/** The input that is read whole though the target is replaced by slices; `undefined` where something may cut it. */
function wholeInput(
  context: LintContext,
  task: TaskView,
  insert: StatementView,
  trace: ColumnTrace,
  branch: number,
): TableReference | undefined {
  const { query } = insert.statement;
  const block = branch === 0 ? query : query?.then[branch - 1]?.query;
  if (trace.kind === 'unknown' || query === undefined || block === undefined) return undefined;
  // Each branch of a UNION reads for itself; the common tables belong to all of them.
  const common = block === query ? [] : query.with.flatMap((table) => blocksBelow(table.query));
  if (mayCut(insert, [...blocksBelow(block, true), ...common])) return undefined;
  const input = trace.kind === 'column' ? trace.table : drivingTable(block);
  if (input === undefined || input.templated) return undefined;
  const key = tableKey(insert, input);
  if (
    isStagingName(key) ||
    isDeclared(context, task, key) ||
    insert.statement.targets.some((target) => sameTable(tableKey(insert, target), key))
  )
    return undefined;
  const earlier = [...task.statements, ...context.runEarlier(task, key)].filter(({ statement }) =>
    statement.targets.some((target) => target.name === key),
  );
  const sliced = context.isSliced(key);
  // Filled by the same run, it may hold this interval only; a snapshot of a table that has no slices is whole by intent.
  if (earlier.length > 0 && !sliced) return undefined;
  return trace.kind === 'column' || sliced ? input : undefined;
}

/** A filter, or a table's name, that depends on the interval or on something that cannot be read. */
function mayCut(insert: StatementView, blocks: readonly QueryBlock[]): boolean {
  const { text } = insert.sql.masked;
  return blocks.some((block) => {
    if (block.limit !== undefined) return true;
    const filters = [...block.where, ...block.having, ...block.qualify, ...block.from.flatMap((item) => item.on)];
    const named = block.from.some(
      (item) => item.kind === 'function' || (item.kind === 'table' && item.cte === undefined && item.table.templated),
    );
    return (
      named ||
      filters.some(
        (filter) =>
          usesInterval(insert, filter) ||
          holesIn(insert, filter).length > 0 ||
          isBound(text.slice(filter.start, filter.end)) ||
          filter.kind === 'exists' ||
          (filter.kind === 'in' && filter.query !== undefined),
      )
    );
  });
}

/** A parameter that the driver binds: `%(day)s`, `%s`, `:day`, `?`, `$1`. */
const isBound = (text: string): boolean => /%\(\w+\)s|%s|\?|\$\d|(^|[^:\w]):[a-z_]\w*/i.test(text);

const drivingTable = (query: QueryBlock): TableReference | undefined => {
  const [first] = query.from;
  return first?.kind === 'table' && first.cte === undefined ? first.table : undefined;
};

const isDeclared = (context: LintContext, task: TaskView, key: string): boolean =>
  (context.factsOf(task)?.reads ?? []).some((read) => read.provenance === 'declared' && sameTable(read.table, key));

/** The DELETE's own bound as the filter, where the column has the same name in the one table that is read. */
function filterFix(
  context: LintContext,
  deletion: StatementView,
  cuts: readonly Comparison[],
  insert: StatementView,
  trace: ColumnTrace,
): Fix | undefined {
  const block = insert.statement.query;
  if (trace.kind !== 'column' || block === undefined || trace.block !== block || trace.unit !== undefined)
    return undefined;
  const [from, ...others] = block.from;
  if (from === undefined || others.length > 0 || block.then.length > 0) return undefined;
  if (cuts.some((cut) => cut.column.name !== trace.name || cut.unit !== undefined) || deletion.sql !== insert.sql)
    return undefined;
  const filter = cuts.map((cut) => unqualifiedText(deletion, cut)).join(' AND ');
  const where = block.whereSpan;
  const alternatives = block.where.some((one) => one.kind === 'binary' && /^or$/i.test(one.operator));
  if (alternatives) return undefined;
  const at = where?.end ?? from.end;
  const edits = editSql(context, insert, [
    { start: at, end: at, newText: where ? ` AND ${filter}` : ` WHERE ${filter}` },
  ]);
  return edits && { title: 'Read only the slice that is replaced', edits, preferred: true };
}

export default {
  id: 'missing-interval-filter',
  severity: 'error',
  summary: 'An input that no bound of the interval restricts, though the write replaces one slice',
  help: 'Cut the input by the same half-open interval: `>= start AND < end`.',
  supersedes: ['plain-insert'],
  check,
} satisfies Rule;
