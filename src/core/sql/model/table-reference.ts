import type { Span } from '../../text/span.ts';

/** A table as named in SQL: lower case unless it was quoted, without quotes, parts joined by dots; the span is the name's. */
export interface TableReference extends Span {
  readonly name: string;
  /** True when a part of the name is a template expression: the table is then not known. */
  readonly templated: boolean;
}
