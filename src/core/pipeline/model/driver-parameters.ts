import type { TemplateEnvironment } from '../../template/names/template-environment.ts';
import type { PythonValue } from '../../template/python/python-value.ts';
import type { SourceSpan } from '../../text/span.ts';

/** Values for the placeholders of a statement, by name or in order. */
export type DriverArguments = Extract<PythonValue, { readonly kind: 'dict' | 'list' | 'tuple' }>;

/** What an operator hands to its driver with the SQL. Each text among the values is a template. */
export interface DriverParameters {
  readonly values: DriverArguments;
  /** The whole `parameters=…`. */
  readonly at: SourceSpan;
  /** The driver gets each statement by itself, and all of the values with each. */
  readonly perStatement: boolean;
  /** What the DAG adds to Jinja for the texts; absent where that is nothing. */
  readonly environment?: TemplateEnvironment;
}

/** The texts among the values, which Airflow renders. */
export function templatesIn(value: PythonValue): readonly string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  switch (value.kind) {
    case 'list':
    case 'tuple':
      return value.items.flatMap(templatesIn);
    case 'dict':
      return [...value.entries.values()].flatMap(([, item]) => templatesIn(item));
    default:
      return [];
  }
}
