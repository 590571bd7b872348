import type { FromItem } from '../../model/expression.ts';
import type { Assignment } from '../../model/statement.ts';
import type { TableReference } from '../../model/table-reference.ts';
import { accept, acceptAny, type Cursor, operator, spanFrom, startOffset, word } from '../../parse/cursor.ts';
import { readConjuncts } from '../../parse/expressions/conjuncts.ts';
import { readFromList } from '../../parse/queries/read-from.ts';
import { readAssignments } from './assignments.ts';
import type { Reading } from './reading.ts';
import { targetAmong, withoutRead } from './target-among.ts';

const modifiers = new Set(['low_priority', 'ignore', 'only']);

/** `UPDATE t SET … FROM s WHERE …`, and MySQL's `UPDATE t JOIN s ON … SET …`. */
export function readUpdate(c: Cursor): Reading {
  c.index++;
  while (word(c, 1) !== 'set' && acceptAny(c, modifiers) !== undefined);
  if (accept(c, 'or')) c.index = Math.min(c.index + 1, c.end);
  const firstRead = c.reads.length;
  const tables = readFromList(c);
  // Snowflake takes the sources in front of SET too.
  const sources = accept(c, 'from') ? readFromList(c) : [];
  const qualifier = accept(c, 'set') ? qualifierAhead(c) : undefined;
  const assignments = readAssignments(c);
  let from: readonly FromItem[] = accept(c, 'from') ? readFromList(c) : sources;
  const whereStart = startOffset(c);
  const filtered = accept(c, 'where');
  const where = filtered ? readConjuncts(c) : [];
  const whereSpan = filtered ? spanFrom(c, whereStart) : undefined;
  const owner = qualifier === undefined ? undefined : targetAmong(tables, qualifier);
  const aliased = tables.length === 1 ? aliasedTarget(tables[0], from) : undefined;
  const target = aliased ?? owner ?? tables.find((item) => item.kind === 'table');
  if (target?.kind === 'table') withoutRead(c, firstRead, target.table);
  if (aliased !== undefined && tables[0]?.kind === 'table') withoutRead(c, firstRead, tables[0].table);
  const others = tables.filter((item) => item !== target && aliased === undefined);
  from = [...others, ...from.filter((item) => item !== target)];
  const on = tables.length > 1 ? tables.flatMap((item) => item.on) : [];
  return {
    kind: 'update',
    target: target?.kind === 'table' ? target.table : undefined,
    targets: targetsOf(target, others, assignments),
    targetAlias: target?.alias,
    assignments,
    from,
    on,
    where,
    whereSpan,
  };
}

/** `UPDATE x SET … FROM t AS x` of SQL Server: the alias stands for the table; elsewhere no engine takes the name twice. */
const aliasedTarget = (first: FromItem | undefined, from: readonly FromItem[]): FromItem | undefined =>
  first?.kind === 'table' && first.alias === undefined
    ? from.find((item) => item.kind === 'table' && item.alias === first.table.name)
    : undefined;

/** MySQL: one UPDATE may set columns of several tables, each named in front of its column. */
function targetsOf(
  target: FromItem | undefined,
  others: readonly FromItem[],
  assignments: readonly Assignment[],
): readonly TableReference[] {
  const set = new Set(assignments.map(({ qualifier }) => qualifier && targetAmong(others, qualifier)));
  return [target, ...others.filter((item) => set.has(item))].flatMap((item) =>
    item?.kind === 'table' ? [item.table] : [],
  );
}

function qualifierAhead(c: Cursor): string | undefined {
  if (operator(c, 1) !== '.') return undefined;
  return c.tokens[c.index]?.text;
}
