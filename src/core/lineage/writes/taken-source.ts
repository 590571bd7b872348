import type { CommonTable, QueryBlock } from '../../sql/model/expression.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TaskStatement } from './task-statements.ts';

/**
 * The DELETE in front of an INSERT from which all of its rows come: `WITH m AS (DELETE FROM queue … RETURNING *) INSERT …
 * SELECT … FROM m`. A second run finds none there, so it adds none again. Not where other rows come in too (UNION, an
 * outer join) or a row comes from none (`count(*)`).
 */
export function takenSource(statement: Statement): Statement | undefined {
  const { kind, query, modifying, target } = statement;
  if (kind !== 'insert' || query === undefined) return undefined;
  const common = [...statement.with, ...query.with];
  return modifying.find((inner) => {
    if (inner.kind !== 'delete' || inner.target === undefined || inner.target.name === target?.name) return false;
    const named = common.find((table) => table.query.start === inner.start);
    return named !== undefined && comesFrom(query, named, common);
  });
}

/** The table out of which each INSERT of `items` takes its rows, where no statement of the task fills it. */
export function takenByAll(items: readonly TaskStatement[], all: readonly TaskStatement[]): string | undefined {
  const inserts = items.filter(({ statement }) => statement.kind === 'insert');
  const sources = inserts.map(({ statement }) => takenSource(statement)?.target?.name);
  const [first] = sources;
  if (first === undefined || sources.includes(undefined)) return undefined;
  const fills = ({ statement: { kind, targets } }: TaskStatement): boolean =>
    kind !== 'delete' && targets.some(({ name }) => sources.includes(name));
  return all.some(fills) ? undefined : first;
}

function comesFrom(query: QueryBlock, source: CommonTable, common: readonly CommonTable[]): boolean {
  const { from, then, groupBy, select } = query;
  if (!then.every((branch) => comesFrom(branch.query, source, common))) return false;
  if (from.some(({ join }) => join === 'right' || join === 'full')) return false;
  const isOneRow = select.some(
    ({ expression }) =>
      expression.kind === 'call' &&
      expression.window === undefined &&
      oneRow.has(expression.name) &&
      groupBy.length === 0,
  );
  if (isOneRow) return false;
  return from.some((item) => {
    if (!needed.has(item.join)) return false;
    if (item.kind === 'query') return comesFrom(item.query, source, common);
    if (item.kind !== 'table' || item.cte === undefined) return false;
    if (item.cte === source.name) return true;
    const table = common.find(({ name }) => name === item.cte);
    return (
      table !== undefined &&
      comesFrom(
        table.query,
        source,
        common.filter((one) => one !== table),
      )
    );
  });
}

const needed: ReadonlySet<string> = new Set(['first', 'inner', 'comma', 'cross']);
const oneRow: ReadonlySet<string> = new Set([
  'count',
  'sum',
  'min',
  'max',
  'avg',
  'array_agg',
  'string_agg',
  'json_agg',
  'jsonb_agg',
]);
