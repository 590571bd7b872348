import { isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock } from '../../../sql/model/expression.ts';
import { blocksOf } from '../../../sql/model/sql-search.ts';
import type { Statement } from '../../../sql/model/statement.ts';
import type { Span } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { runsOnce } from '../../context/runs-once.ts';
import { editSql } from '../../fixes/sql-edit.ts';
import { type Pick, picksOf } from '../../keys/picks.ts';
import { type Tie, tieOf } from '../../keys/tie-of.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { placeOf, type StatementView, sourceText, tableKey } from '../../source/statement-view.ts';

/** A second run over the same rows may keep others of them. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    if (runsOnce(task.pipeline)) continue;
    for (const view of task.statements) {
      const { statement } = view;
      if (!writes(view) || (statement.target !== undefined && isJournalName(tableKey(view, statement.target))))
        continue;
      for (const at of drawnSamples(statement)) {
        yield {
          at: placeOf(view, at),
          message: 'The rows of the sample are drawn by lot: a second run over the same rows takes others.',
          subject: `${view.task.id} picks at ${at.start}`,
          restsOn: [view],
          fixes: [],
        };
      }
      for (const pick of picksOf(view)) {
        if (pick.by === 'limit' && pick.order === undefined && !givesRows(statement, pick.block)) continue;
        const tie = tieOf(context, view, pick);
        if (tie === undefined) continue;
        const fix = tie.kind === 'equal' ? tieBreaker(context, view, pick, tie) : undefined;
        yield {
          at: placeOf(view, pick.at),
          message: messageOf(view, pick, tie),
          subject: `${view.task.id} picks at ${pick.at.start}`,
          restsOn: [view],
          fixes: fix ? [fix] : [],
        };
      }
    }
  }
}

const drawnSamples = (statement: Statement): readonly Span[] =>
  [...statement.from, ...blocksOf(statement).flatMap(({ from }) => from)].flatMap(({ drawn }) => drawn ?? []);

const writing =
  /^(?:insert|insert_overwrite|insert_replace_where|replace|create_table_as|merge|update|delete|copy|export|unload)$/;

const writes = ({ statement, task }: StatementView): boolean =>
  writing.test(statement.kind) || (statement.kind === 'select' && /To[A-Z]\w*Operator$/.test(task.operator));

/** The rows are those that are written, by way of common and derived tables; not a value that is looked up. */
function givesRows({ query, with: common, from }: Statement, block: QueryBlock): boolean {
  const open = [
    ...(query === undefined ? [] : [query]),
    ...common.map((one) => one.query),
    ...from.flatMap((item) => (item.kind === 'query' ? [item.query] : [])),
  ];
  const seen = new Set<QueryBlock>();
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    if (next === block) return true;
    open.push(...next.with.map((one) => one.query), ...next.then.map((one) => one.query));
    // A LATERAL entry looks something up for each row, as a subquery does.
    for (const item of next.from) if (item.kind === 'query' && item.join !== 'lateral') open.push(item.query);
  }
  return false;
}

function messageOf(view: StatementView, pick: Pick, tie: Tie): string {
  const alike = pick.within.map((one) => sourceText(view, one)).join(', ');
  if (tie.kind === 'random')
    return 'The rows that are kept are drawn by lot: a second run over the same rows keeps others.';
  if (tie.kind === 'unordered')
    return alike === ''
      ? 'No order says which rows are kept, so a second run over the same rows may keep others. Order them by columns that are unique together.'
      : `No order says which of the rows with the same ${alike} is kept, so a second run over the same rows may keep another. Order them by columns that are unique together.`;
  const columns = tie.by.join(', ');
  const which = alike === '' ? `Rows with the same ${columns}` : `Rows of one ${alike} with the same ${columns}`;
  const last = tie.unique === undefined || tie.unique.length === 0 ? 'a column that is unique' : tie.unique.join(', ');
  return `${which} stand in any order, so a second run over the same rows may keep others of them. Let the order end with ${last}.`;
}

/** The columns that tell the rows apart, behind the last one of the order. */
function tieBreaker(
  context: LintContext,
  view: StatementView,
  pick: Pick,
  { unique }: Extract<Tie, { kind: 'equal' }>,
): Fix | undefined {
  if (pick.order === undefined || unique === undefined || unique.length === 0) return undefined;
  if (unique.some((name) => !/^[a-z_][a-z0-9_]*$/.test(name))) return undefined;
  const edits = editSql(context, view, [
    { start: pick.order.end, end: pick.order.end, newText: `, ${unique.join(', ')}` },
  ]);
  return edits && { title: `Let the order end with ${unique.join(', ')}`, edits, preferred: true };
}

export default {
  id: 'unstable-pick',
  severity: 'warning',
  summary: 'Rows that are kept by an order in which several are alike',
  help: 'Let the order end with a column that is unique, or give the sample a seed, so that every run keeps the same rows.',
  supersedes: [],
  provable: 'second run',
  check,
} satisfies Rule;
