import type { JinjaExpression } from '../language/expression.ts';

/** A function whose result is one expression of its parameters and of Airflow's own names. */
export interface TemplateFunction {
  readonly parameters: readonly { readonly name: string; readonly fallback: JinjaExpression | undefined }[];
  readonly body: JinjaExpression;
}

/** A constant or a function. */
export type TemplateName = JinjaExpression | TemplateFunction;

export const isFunction = (name: TemplateName): name is TemplateFunction => 'parameters' in name;

/** What a DAG adds to Jinja for one text. */
export interface TemplateEnvironment {
  /** `user_defined_macros`, as far as the text uses them; none is called like a name of Airflow's context. */
  readonly names: ReadonlyMap<string, TemplateName>;
  /** `user_defined_filters`: the value that is filtered is the first parameter. */
  readonly filters: ReadonlyMap<string, TemplateFunction>;
  /** Templates that the text imports, by the path that it names them with. */
  readonly modules: ReadonlyMap<string, string>;
  /** Set where no schedule starts its runs: whoever does may hand them a `dag_run.conf`, which is empty otherwise. */
  readonly conf?: 'unknown' | undefined;
}

export const emptyEnvironment: TemplateEnvironment = { names: new Map(), filters: new Map(), modules: new Map() };
