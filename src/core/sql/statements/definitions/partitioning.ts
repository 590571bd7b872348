import type { ColumnDefinition } from '../../model/statement.ts';
import {
  accept,
  acceptAny,
  type Cursor,
  commaList,
  done,
  isName,
  operator,
  skipOne,
  token,
  within,
} from '../../parse/cursor.ts';
import { nameOf } from '../../parse/names.ts';
import { readColumnDefinition } from './table-definition.ts';

/** By which columns a table's rows are kept apart. */
export interface Partitioning {
  /** In order; a column inside an expression (`DATE(ts)`, `bucket(16, id)`) counts as that column. */
  readonly columns: readonly string[];
  /** Columns that only this clause defines, as in Hive. */
  readonly definitions: readonly ColumnDefinition[];
}

const methods = new Set(['linear', 'range', 'list', 'hash', 'key', 'columns']);

/** `PARTITION BY` and `PARTITIONED BY` of CREATE TABLE; `undefined`, at the same place, when neither stands here. */
export function readPartitioning(c: Cursor): Partitioning | undefined {
  const isHive = accept(c, 'partitioned', 'by');
  if (!isHive && !accept(c, 'partition', 'by')) return undefined;
  while (acceptAny(c, methods) !== undefined);
  const columns: string[] = [];
  const definitions: ColumnDefinition[] = [];
  const item = (): undefined => {
    const typed = isHive && isName(token(c)) && isName(token(c, 1));
    const definition = typed ? readColumnDefinition(c) : undefined;
    if (definition !== undefined) definitions.push(definition);
    const column = definition?.name ?? readColumn(c);
    if (column !== undefined) columns.push(column);
    return undefined;
  };
  if (operator(c) !== '(') item();
  else {
    within(c, () =>
      commaList(c, () => {
        item();
        while (!done(c) && operator(c) !== ',') skipOne(c);
        return undefined;
      }),
    );
  }
  return { columns, definitions };
}

/** A column, or the first one inside of calls and brackets. */
function readColumn(c: Cursor): string | undefined {
  const here = token(c);
  if (isName(here) && here !== undefined && operator(c, 1) !== '(') {
    c.index++;
    return nameOf(here, c.dialect);
  }
  if (isName(here)) c.index++;
  if (operator(c) !== '(') return undefined;
  return within(c, () => {
    let found: string | undefined;
    while (!done(c) && found === undefined) {
      found = readColumn(c);
      if (found === undefined && !done(c)) skipOne(c);
    }
    c.index = c.end;
    return found;
  });
}
