import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { tablesOf, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';
import type { WriteFact } from '../facts/facts.ts';
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

/**
 * Whether a mark is put where the interval of the run ends, although it may stand behind that already: a rerun of an older
 * interval sets it back, and the runs behind it read their rows once more. `isTime` tells of a placeholder that it is a time of
 * the interval.
 */
export const setsBack = ({ assignments, where }: Statement, isTime: (hole: number) => boolean): boolean =>
  assignments.some(({ column, value }) => {
    const parts = within(value);
    const isOfInterval = parts.some(
      (one) => (one.kind === 'hole' && isTime(one.hole)) || (one.kind === 'template-string' && one.holes.some(isTime)),
    );
    const looksBack = [...parts, ...where.flatMap((conjunct) => (isOrdering(conjunct) ? within(conjunct) : []))];
    return isOfInterval && !looksBack.some((one) => one.kind === 'column' && one.name === column);
  });

const isOrdering = (conjunct: SqlExpression): boolean =>
  conjunct.kind === 'binary' && /^[<>]=?$|^is distinct from$/i.test(conjunct.operator);

/** The table of the mark behind which every INSERT of `items` reads, and whether a run of an older interval sets it back. */
export function markOfAll(
  items: readonly TaskStatement[],
  all: readonly TaskStatement[],
): Pick<WriteFact, 'behindMark' | 'markSetBack'> {
  const statements = all.map(({ statement }) => statement);
  const isTimeIn =
    ({ sql }: TaskStatement) =>
    (hole: number) =>
      sql.masked.holes[hole]?.value.kind === 'time';
  const marks = items
    .filter(({ statement }) => statement.kind === 'insert')
    .map((item) => {
      const at = statements.indexOf(item.statement);
      const isOpen = (hole: number) => !isTimeIn(item)(hole);
      const found = highWaterMark(statements.slice(0, at), item.statement, statements.slice(at + 1), isOpen);
      return all.find(({ statement }) => statement === found);
    });
  const table = marks.includes(undefined) ? undefined : marks[0]?.statement.target?.name;
  if (table === undefined) return {};
  const isSetBack = marks.some((mark) => mark !== undefined && setsBack(mark.statement, isTimeIn(mark)));
  return { behindMark: table, ...(isSetBack ? { markSetBack: true } : {}) };
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
