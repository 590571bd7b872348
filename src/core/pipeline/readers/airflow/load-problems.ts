import type { Problem, SourceSpan } from '../../../text/span.ts';
import type { SyntaxNode, SyntaxTree } from '../../python/syntax/syntax-tree.ts';
import type { DagBuilder } from './program/program.ts';
import type { AirflowSettings } from './schedule/airflow-settings.ts';

/** Arguments that the DAG of Airflow 3 does not take any more, with what to write. */
const removedArguments: Readonly<Record<string, string>> = {
  schedule_interval: 'Write schedule=…',
  timetable: 'Write schedule=…',
  concurrency: 'Write max_active_tasks=…',
  default_view: 'Leave it out',
  orientation: 'Leave it out',
  fail_stop: 'Write fail_fast=…',
};

/** Modules that are not in Airflow 3. */
const removedModules =
  /^airflow\.(?:contrib(?:\.|$)|(?:operators|sensors|hooks)\.\w+_(?:operator|sensor|hook)$|utils\.dates$|operators\.(?:subdag|dummy)$)/;

/** What keeps a file from being loaded by the Airflow that runs it: it then has none of the file's DAGs. */
export interface Unloadable {
  readonly problem: Problem & { readonly at: SourceSpan };
  /** For one sentence: `of Airflow 3 takes no schedule_interval`. */
  readonly reason: string;
}

/** Imports at the top of a file that fail. One that is tried, or is under a condition, may be meant for another version. */
export function failingImport(
  file: string,
  text: string,
  { root }: SyntaxTree,
  settings: AirflowSettings,
): Unloadable | undefined {
  if (!settings.versionKnown) return undefined;
  for (const node of root.children) {
    if (node.type !== 'import_from_statement' && node.type !== 'import_statement') continue;
    for (const { name, at } of modulesOf(node, text)) {
      const missing = settings.version === 2 ? /^airflow\.sdk(?:\.|$)/.test(name) : removedModules.test(name);
      if (!missing) continue;
      const reason = `Airflow ${settings.version} has no module ${name}`;
      return unloadable(reason, 'Import what it was replaced by', { file, ...at });
    }
  }
  return undefined;
}

function modulesOf(node: SyntaxNode, text: string): readonly { name: string; at: { start: number; end: number } }[] {
  return node.children
    .filter(({ field }) => field === (node.type === 'import_statement' ? 'name' : 'module_name'))
    .map(({ start, end }) => ({ name: (text.slice(start, end).split(/\s/)[0] ?? '').trim(), at: { start, end } }));
}

/** An argument of the DAG that its Airflow refuses. */
export function refusedArgument({ made }: DagBuilder, settings: AirflowSettings): Unloadable | undefined {
  if (!settings.versionKnown || settings.version === 2) return undefined;
  for (const [name, cure] of Object.entries(removedArguments)) {
    const given = made.keywords.get(name);
    if (given !== undefined) return unloadable(`the DAG of Airflow 3 takes no ${name}`, cure, given.at);
  }
  return undefined;
}

function unloadable(reason: string, cure: string, at: SourceSpan): Unloadable {
  const message = `${reason.charAt(0).toUpperCase()}${reason.slice(1)}, so it cannot load this file and has none of its DAGs. ${cure}.`;
  return { reason, problem: { message, at, severity: 'error' } };
}
