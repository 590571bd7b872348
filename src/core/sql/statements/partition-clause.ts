import { type Cursor, commaList, operator, within, word } from '../parse/cursor.ts';
import { readClauseExpression } from '../parse/read-expression.ts';
import type { Statement } from '../statement.ts';

/** `PARTITION (ds = '2026-01-01', hour)`: whether every, no or some column has its value. `none` when no clause stands here. */
export function readPartitionClause(c: Cursor): NonNullable<Statement['partition']> {
  if ((word(c) !== 'partition' && word(c) !== 'partitions') || operator(c, 1) !== '(') return 'none';
  c.index++;
  const columns = within(c, () => commaList(c, () => readClauseExpression(c)));
  const fixed = columns.filter((column) => column.kind === 'binary').length;
  if (fixed === 0) return 'dynamic';
  return fixed === columns.length ? 'static' : 'mixed';
}
