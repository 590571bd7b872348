import type { SqlExpression } from '../../model/expression.ts';
import type { Statement } from '../../model/statement.ts';
import { type Cursor, commaList, operator, within, word } from '../../parse/cursor.ts';
import { readClauseExpression } from '../../parse/expressions/read-expression.ts';

export interface PartitionClause {
  readonly partition: NonNullable<Statement['partition']>;
  readonly partitionBy: readonly SqlExpression[];
}

export const noPartition: PartitionClause = { partition: 'none', partitionBy: [] };

/** `PARTITION (ds = '2026-01-01', hour)`: whether every, no or some column has its value. */
export function readPartitionClause(c: Cursor): PartitionClause {
  if ((word(c) !== 'partition' && word(c) !== 'partitions') || operator(c, 1) !== '(') return noPartition;
  c.index++;
  const partitionBy = within(c, () => commaList(c, () => readClauseExpression(c)));
  const fixed = partitionBy.filter(({ kind }) => kind === 'binary').length;
  const partition = fixed === 0 ? 'dynamic' : fixed === partitionBy.length ? 'static' : 'mixed';
  return { partition, partitionBy };
}
