import type { Span } from '../../../text/span.ts';
import type { Statement, StatementKind } from '../../model/statement.ts';

/** What one reader found out; everything left out takes its empty value. */
export type Reading = Partial<Omit<Statement, 'kind' | 'start' | 'end' | 'reads'>> & { readonly kind: StatementKind };

/** A statement of which nothing but its place and kind is known. */
export const emptyStatement = (span: Span, kind: StatementKind): Statement => ({
  kind,
  start: span.start,
  end: span.end,
  head: span,
  target: undefined,
  targetAlias: undefined,
  targets: [],
  reads: [],
  columns: [],
  query: undefined,
  with: [],
  valueRows: 0,
  values: [],
  where: [],
  whereSpan: undefined,
  from: [],
  on: [],
  assignments: [],
  conflict: undefined,
  branches: [],
  definitions: [],
  keys: [],
  partitionedBy: [],
  partition: undefined,
  partitionBy: [],
  temporary: false,
  ifNotExists: false,
  orReplace: false,
  byName: false,
  nondeterministic: [],
  outputColumns: [],
  trust: { answer: 'full' },
  renamedTo: undefined,
  copyDirection: undefined,
  modifying: [],
  body: [],
  conditional: false,
  routine: undefined,
});
