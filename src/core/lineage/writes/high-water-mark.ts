import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { tablesOf } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { TaskStatement } from './task-statements.ts';

/**
 * The UPDATE that moves a mark on (`etl.mark.last_id`) behind which an INSERT reads (`id > (SELECT last_id FROM etl.mark)`, or a
 * placeholder that a SELECT of the mark before it fills), so that a second run adds none of the rows again. `isOpen` tells
 * of a placeholder that it is no time of the interval. `>=` reads the last row again and is none.
 */
export function highWaterMark(
  before: readonly Statement[],
  insert: Statement,
  after: readonly Statement[],
  isOpen: (hole: number) => boolean,
): Statement | undefined {
  if (insert.kind !== 'insert' || insert.query === undefined || insert.query.then.length > 0) return undefined;
  const looked = before.flatMap(({ kind, query }) => (kind === 'select' && query !== undefined ? [query] : []));
  const asked = insert.query.where.flatMap((conjunct) => {
    const bound = boundOf(conjunct);
    if (bound?.kind === 'subquery') return [bound.query];
    return bound?.kind === 'hole' && isOpen(bound.hole) ? looked : [];
  });
  return after.find(
    ({ kind, target, assignments }) =>
      kind === 'update' &&
      target !== undefined &&
      target.name !== insert.target?.name &&
      asked.some((query) =>
        marks(query).some(
          ([table, column]) => table === target.name && assignments.some((one) => one.column === column),
        ),
      ),
  );
}

/** The table of the mark behind which every INSERT of `items` reads. */
export function markOfAll(items: readonly TaskStatement[], all: readonly TaskStatement[]): string | undefined {
  const statements = all.map(({ statement }) => statement);
  const marks = items
    .filter(({ statement }) => statement.kind === 'insert')
    .map(({ statement, sql }) => {
      const at = statements.indexOf(statement);
      const isOpen = (hole: number) => sql.masked.holes[hole]?.value.kind !== 'time';
      return highWaterMark(statements.slice(0, at), statement, statements.slice(at + 1), isOpen)?.target?.name;
    });
  return marks.includes(undefined) ? undefined : marks[0];
}

/** What a column has to be greater than. */
function boundOf(conjunct: SqlExpression): SqlExpression | undefined {
  if (conjunct.kind !== 'binary') return undefined;
  const { left, operator, right } = conjunct;
  if (operator === '>' && left.kind === 'column') return right;
  return operator === '<' && right.kind === 'column' ? left : undefined;
}

/** Table and column of the one value that a query gives. */
function marks(query: QueryBlock): readonly (readonly [string, string])[] {
  const [table] = tablesOf(query);
  const [item] = query.select;
  if (table === undefined || query.from.length !== 1 || query.select.length !== 1) return [];
  return item?.expression.kind === 'column' ? [[table.table.name, item.expression.name]] : [];
}
