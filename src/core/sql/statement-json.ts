import type { LineIndex } from '../text/line-index.ts';
import type { Position, Span } from '../text/span.ts';
import { mainPredicates } from './model/predicates.ts';
import type { MergeBranch, Statement, StatementKind } from './model/statement.ts';

/** One entry of `show --statements`: names in lower case, absent facts `null`, range 1-based with its end exclusive. */
export interface StatementJson {
  readonly kind: StatementKind;
  readonly target: string | null;
  readonly targets: readonly string[];
  readonly reads: readonly string[];
  readonly predicates: readonly string[];
  readonly conflict: 'update' | 'nothing' | null;
  readonly set: readonly string[];
  readonly branches: readonly MergeBranch['action'][];
  readonly nondeterministic: readonly string[];
  readonly columns: readonly (string | null)[];
  readonly partition: NonNullable<Statement['partition']> | null;
  readonly temporary: boolean;
  readonly range: { readonly start: Position; readonly end: Position };
}

export function statementJson(statement: Statement, lines: LineIndex): StatementJson {
  const lower = (text: string): string => text.toLowerCase();
  const range = (span: Span) => ({ start: lines.position(span.start), end: lines.position(span.end) });
  return {
    kind: statement.kind,
    target: statement.target === undefined ? null : lower(statement.target.name),
    targets: statement.targets.map((target) => lower(target.name)),
    reads: [...new Set(statement.reads.map((read) => lower(read.name)))],
    predicates: mainPredicates(statement).map(({ column, operator }) => `${lower(column)} ${operator}`),
    conflict: statement.conflict?.action ?? null,
    set: [...new Set(statement.assignments.map(({ column }) => lower(column)))],
    branches: statement.branches.map(({ action }) => action),
    nondeterministic: [...new Set(statement.nondeterministic.map(({ name }) => name))],
    columns: statement.outputColumns.map((column) => (column === undefined ? null : lower(column))),
    partition: statement.partition ?? null,
    temporary: statement.temporary,
    range: range(statement),
  };
}
