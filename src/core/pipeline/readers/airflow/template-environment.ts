import type { TaskSql } from '../../model.ts';
import type { Keyword } from '../../python/call.ts';
import { keyValue } from '../../python/iterate.ts';
import { plainText } from '../../python/text-value.ts';
import type { Value } from '../../python/value.ts';
import { booleanOf } from './arguments.ts';
import { type DagBuilder, dagArgument, type TaskBuilder, taskArgument } from './program.ts';

/**
 * Why Airflow could render this SQL otherwise than its defaults do: the DAG gives Jinja names, filters or an environment
 * of its own. `undefined` when nothing of it reaches the text.
 */
export function ownRendering(task: TaskBuilder, dag: DagBuilder, sql: readonly TaskSql[]): string | undefined {
  const environment = dagArgument(dag, 'jinja_environment_kwargs');
  // These may change what a template is, so even a text that looks plain is not safe.
  if (isGiven(environment) && !onlyWhitespace(environment.value)) return because('jinja_environment_kwargs');
  const templates = sql.flatMap(({ source }) => source.text.match(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#/g) ?? []);
  if (templates.length === 0) return undefined;
  if (isGiven(environment)) return because('jinja_environment_kwargs');
  const native =
    taskArgument(task, 'render_template_as_native_obj') ?? dagArgument(dag, 'render_template_as_native_obj');
  if (native !== undefined && booleanOf(native)?.value !== false) return because('render_template_as_native_obj');
  const missing = dagArgument(dag, 'template_undefined');
  if (isGiven(missing) && !isStrict(missing.value)) return because('template_undefined');
  for (const name of ['user_defined_macros', 'user_defined_filters']) {
    const used = usedName(dagArgument(dag, name)?.value, templates);
    if (used !== undefined) return `${because(name)}${used === '' ? '' : `: ${used}`}`;
  }
  return undefined;
}

const because = (name: string): string => `its DAG renders templates with ${name}`;

const isGiven = (keyword: Keyword | undefined): keyword is Keyword =>
  keyword !== undefined &&
  !(keyword.value.kind === 'scalar' && keyword.value.value === null) &&
  !(keyword.value.kind === 'dict' && !keyword.value.open && keyword.value.entries.size === 0);

/** Airflow's own default. */
const isStrict = (value: Value): boolean => value.kind === 'external' && /(?:^|\.)StrictUndefined$/.test(value.name);

const whitespaceSettings: ReadonlySet<string | undefined> = new Set([
  'trim_blocks',
  'lstrip_blocks',
  'keep_trailing_newline',
]);

/** Settings that touch only texts which hold templates. */
const onlyWhitespace = (value: Value): boolean =>
  value.kind === 'dict' &&
  !value.open &&
  [...value.entries.keys()].every((key) => whitespaceSettings.has(plainText(keyValue(key))));

/** A name of the dict that a template may mean; empty when the names are not all known. */
function usedName(value: Value | undefined, templates: readonly string[]): string | undefined {
  if (value === undefined || (value.kind === 'scalar' && value.value === null)) return undefined;
  if (value.kind !== 'dict' || value.open) return '';
  for (const key of value.entries.keys()) {
    const name = plainText(keyValue(key));
    if (name === undefined) return '';
    if (templates.some((template) => template.match(/\w+/g)?.includes(name) === true)) return name;
  }
  return undefined;
}
