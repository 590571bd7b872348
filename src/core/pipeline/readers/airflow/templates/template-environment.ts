import { importedTemplates } from '../../../../template/names/imported-templates.ts';
import type { TemplateEnvironment } from '../../../../template/names/template-environment.ts';
import { isContextName } from '../../../../template/names/time-names.ts';
import { templatesIn } from '../../../model/driver-parameters.ts';
import type { FileSet, TaskSql } from '../../../model/model.ts';
import { keyValue } from '../../../python/values/iterate.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { DictValue, Keyword, Value } from '../../../python/values/value.ts';
import { booleanOf } from '../program/arguments.ts';
import { type DagBuilder, dagArgument, type TaskBuilder, taskArgument } from '../program/program.ts';
import { templateFile } from './template-file.ts';
import { templateFilter, templateName } from './template-names.ts';

/**
 * Why Airflow could render this SQL otherwise than its defaults do: the DAG gives Jinja names, filters or an environment
 * of its own. `undefined` when nothing of it reaches the text.
 */
export function ownRendering(task: TaskBuilder, dag: DagBuilder, sql: readonly TaskSql[]): string | undefined {
  const environment = dagArgument(dag, 'jinja_environment_kwargs');
  // These may change what a template is, so even a text that looks plain is not safe.
  if (isGiven(environment) && !onlyWhitespace(environment.value)) return because('jinja_environment_kwargs');
  const texts = sql.flatMap(({ source, environment, parameters }) => [
    { text: source.text, environment },
    ...(parameters === undefined
      ? []
      : [{ text: templatesIn(parameters.values).join('\n'), environment: parameters.environment }]),
  ]);
  const templates = texts.flatMap(({ text, environment }) => [
    ...templatesOf(text),
    ...(environment?.modules.values() ?? []),
  ]);
  if (templates.length === 0) return undefined;
  if (isGiven(environment)) return because('jinja_environment_kwargs');
  const native =
    taskArgument(task, 'render_template_as_native_obj') ?? dagArgument(dag, 'render_template_as_native_obj');
  const staysText = sql.every(({ source, parameters }) => parameters === undefined && isTextNatively(source.text));
  if (native !== undefined && booleanOf(native)?.value !== false && !staysText)
    return because('render_template_as_native_obj');
  const missing = dagArgument(dag, 'template_undefined');
  if (isGiven(missing) && !isStrict(missing.value)) return because('template_undefined');
  for (const [name, part] of [
    ['user_defined_macros', 'names'],
    ['user_defined_filters', 'filters'],
  ] as const) {
    const isRead = (used: string): boolean => texts.some(({ environment }) => environment?.[part].has(used));
    const used = unreadName(dagArgument(dag, name)?.value, templates, isRead);
    if (used !== undefined) return `${because(name)}${used === '' ? '' : `: ${used}`}`;
  }
  return undefined;
}

const because = (name: string): string => `its DAG renders templates with ${name}`;

/**
 * Whether Jinja's native types render the text as plain Jinja does. They make a literal of Python out of what reads as
 * one, which a statement never does: it begins with a word and has more behind it. A block that is put together by itself
 * (a macro, `{% set x %}…{% endset %}`) could become one on the way.
 */
const isTextNatively = (text: string): boolean =>
  /^\s*(?:--[^\n]*\n\s*|\/\*[\s\S]*?\*\/\s*)*[A-Za-z]+\s+\S/.test(text) &&
  (text.match(/\{%-?\s*\w+/g) ?? []).every((tag) => /(?:if|elif|else|endif|for|endfor)$/.test(tag));

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

/** Names and filters of the DAG's own, as far as the text uses them and what they do is known. */
export function templateEnvironment(
  text: string,
  task: TaskBuilder,
  { files, file, conf }: Pick<TemplateEnvironment, 'conf'> & { readonly files: FileSet; readonly file: string },
): TemplateEnvironment | undefined {
  const templates = templatesOf(text);
  if (templates.length === 0) return undefined;
  const argument = (name: string): Value | undefined => task.dag && dagArgument(task.dag, name)?.value;
  const searchPath = argument('template_searchpath');
  const modules = importedTemplates(text, (path) => {
    const found = templateFile(files, path, file, searchPath);
    return found === undefined ? undefined : files.read(found);
  });
  const used = [...templates, ...modules.values()];
  const names = own(argument('user_defined_macros'), used, templateName);
  const filters = own(argument('user_defined_filters'), used, templateFilter);
  for (const name of names.keys()) if (isContextName(name)) names.delete(name);
  const given = conf === 'unknown' && used.some((text) => text.includes('dag_run')) ? { conf } : {};
  return names.size + filters.size + modules.size === 0 && !('conf' in given)
    ? undefined
    : { names, filters, modules, ...given };
}

const templatesOf = (text: string): readonly string[] => text.match(/\{\{[\s\S]*?\}\}|\{%[\s\S]*?%\}|\{#/g) ?? [];

function own<T>(given: Value | undefined, templates: readonly string[], read: (value: Value) => T | undefined) {
  const known = new Map<string, T>();
  if (given?.kind !== 'dict' || given.open) return known;
  for (const name of usedNames(given, templates)) {
    const entry = given.entries.get(name);
    const value = entry && read(entry.value);
    if (value !== undefined) known.set(name, value);
  }
  return known;
}

/** A name of the dict that a template may mean and that is not read; empty when the names are not all known. */
function unreadName(
  value: Value | undefined,
  templates: readonly string[],
  isRead: (name: string) => boolean,
): string | undefined {
  if (value === undefined || (value.kind === 'scalar' && value.value === null)) return undefined;
  if (value.kind !== 'dict' || value.open) return '';
  if ([...value.entries.keys()].some((key) => plainText(keyValue(key)) === undefined)) return '';
  return usedNames(value, templates).find((name) => !isRead(name));
}

function usedNames({ entries }: DictValue, templates: readonly string[]): readonly string[] {
  const words = new Set(templates.flatMap((template) => template.match(/\w+/g) ?? []));
  return [...entries.keys()].filter((name) => words.has(name));
}
