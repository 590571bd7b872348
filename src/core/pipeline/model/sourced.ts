import type { SourceSpan } from '../../text/span.ts';

/** A value of a pipeline file with the place that says it; `at` is undefined for a default. */
export interface Sourced<T> {
  readonly value: T;
  readonly at: SourceSpan | undefined;
}
