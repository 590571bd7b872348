import type { SqlExpression } from '../../sql/model/expression.ts';
import type { Assignment, Statement } from '../../sql/model/statement.ts';
import type { TableReference } from '../../sql/model/table-reference.ts';
import type { SourceSpan } from '../../text/span.ts';
import type { Returned } from './read-term.ts';

/** A statement with what its offsets and names mean. */
export interface StatementInText {
  readonly statement: Statement;
  readonly text: string;
  /** What tells a table from others. */
  readonly nameOf: (table: TableReference) => string;
  readonly placeOf: (span: Assignment | SqlExpression) => SourceSpan | undefined;
  readonly returned: (call: SqlExpression & { readonly kind: 'call' }) => readonly Returned[];
}
