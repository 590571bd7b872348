import type { Problem, SourceSpan } from '../../../../text/span.ts';
import type { CalendarOffset } from '../../../../time/zones/calendar.ts';
import type { Condition } from '../../../model/condition.ts';
import type { TaskSql, VariableUse } from '../../../model/model.ts';
import type { TableAccess, Unread } from '../../../model/table-access.ts';
import type { SessionSetting } from '../../../model/task-session.ts';
import type {
  Call,
  ClockSite,
  DictValue,
  FunctionValue,
  HostObject,
  Keyword,
  ObjectValue,
  TextValue,
  Value,
} from '../../../python/values/value.ts';

/** A DAG as the file builds it. */
export interface DagBuilder extends HostObject {
  readonly type: 'dag';
  /** `dag.catchup = False` after the call; it beats the argument. */
  readonly assigned: Map<string, Keyword>;
  /** The call that makes it. */
  readonly made: Call;
  /** False when it is made under a condition that is not known. */
  readonly certain: boolean;
  /** Name of the function under `@dag`: the default id. */
  readonly functionName: string | undefined;
}

export interface GroupBuilder extends HostObject {
  readonly type: 'group';
  /** The call that makes it. */
  readonly made: Call;
  /** Prefix of its tasks' ids, with the dot; empty when the group does not prefix. */
  readonly prefix: string;
  readonly parent: GroupBuilder | undefined;
  /** Id inside its DAG, with the ids of its parents. */
  readonly id: string;
  readonly dag: DagBuilder | undefined;
  /** False when its id, or that of a parent, has parts that are not known before the file runs. */
  readonly named: boolean;
  readonly tasks: TaskBuilder[];
}

/** SQL that the body of a task sends. */
export interface SentSql {
  readonly text: TextValue;
  readonly call: Call;
  /** Names of the hook or driver, for the dialect. */
  readonly client: string;
  readonly connection: string | undefined;
  /** What its hook is told of the session that it opens. */
  readonly settings: readonly SessionSetting[];
  /** Texts of one session share a connection and its transaction. */
  readonly session: number;
  readonly conditions: readonly Condition[];
  /** As {@link TaskSql.commits}. */
  readonly commits: number;
  /** As {@link TaskSql.byRow}. */
  readonly byRow: boolean;
  /** As {@link TaskSql.composed}. */
  readonly composed?: TaskSql['composed'];
  readonly overwrites?: TaskSql['overwrites'];
}

export interface Callable {
  readonly function: FunctionValue;
  readonly call: Call;
  /** The operator of the workspace whose method it is. */
  readonly object?: ObjectValue;
}

export interface TaskBuilder extends HostObject {
  readonly type: 'task';
  /** The call that makes it. */
  readonly made: Call;
  /** Class name as written at the end of the call. */
  readonly operator: string;
  readonly name: string;
  /** False when it is made under a condition that is not known, so that another branch may make the same task. */
  readonly certain: boolean;
  /** Under which it is made. */
  readonly conditions: readonly Condition[];
  /** False when the name has parts that are not known before the file runs. */
  readonly named: boolean;
  readonly nameAt: SourceSpan;
  dag: DagBuilder | undefined;
  /** The DAG that was known when it was made: only its `default_args` count. */
  readonly madeIn: DagBuilder | undefined;
  readonly group: GroupBuilder | undefined;
  /** The Python that the task runs, with what it is called with. */
  readonly callable: Callable | undefined;
  /** `.expand(…)`: one task per item. `texts`: nothing but SQL is mapped over, and all of it is known; `values`: what only the run may know. */
  readonly mapped: 'texts' | 'values' | undefined;
  /** Prepares or clears up for the tasks between them. */
  role: 'setup' | 'teardown' | undefined;
  readonly sent: SentSql[];
  /** Some text that its Python is given is rendered first, and which parts of the SQL it sends are of it is not followed. */
  rendersTexts: boolean;
  /** Tables that the task's Python reads and writes by other means than SQL text, in the order of the code. */
  readonly accessed: TableAccess[];
  /** Variables that the task's Python reads and sets, in the order of the code. */
  readonly variables: VariableUse[];
  /** What of the task's Python could not be read. */
  readonly unread: Unread[];
  /** Its Python may skip it, and with it what follows. */
  maySkip: boolean;
  /** The operator of Airflow whose own work its Python has done (`super().execute(context)`), as that was made. */
  runsBase: { readonly operator: string; readonly made: Call } | undefined;
  /** What its Python gives. */
  returned: Value | undefined;
  /** The scripts of the workspace that it has Spark run, and that were followed as part of it. */
  readonly scripts: string[];
  /** Clock calls that the task's Python hands to something other than SQL. */
  readonly clockUses: { readonly site: ClockSite; readonly into: 'path' | 'argument' }[];
}

export type EdgeEnd = TaskBuilder | GroupBuilder;

export interface TaskEdge {
  readonly from: TaskBuilder;
  readonly to: TaskBuilder;
  readonly at: SourceSpan;
}

/** A sensor or trigger that names a task, or with `task` undefined the whole of another DAG. */
export interface CrossEdge {
  readonly kind: 'sensor' | 'trigger';
  readonly task: TaskBuilder;
  readonly otherDag: string;
  readonly otherTask: string | undefined;
  readonly at: SourceSpan;
  readonly shift: CalendarOffset | undefined;
}

/** Everything that one file builds while it is followed. */
export interface Program {
  readonly file: string;
  readonly dags: DagBuilder[];
  /** DAGs of the file and of the modules that it imports. */
  made: number;
  /** Tasks in the order of their calls, with or without a DAG. */
  readonly tasks: TaskBuilder[];
  readonly edges: TaskEdge[];
  readonly dagStack: DagBuilder[];
  readonly groupStack: GroupBuilder[];
  /** All groups, in the order of their calls. */
  readonly groups: GroupBuilder[];
  /** Open `with` blocks of setup or teardown tasks, with the tasks that are made inside. */
  readonly contexts: { readonly task: TaskBuilder; readonly work: TaskBuilder[] }[];
  readonly problems: Problem[];
  /** Whether what is being followed runs exactly once. */
  isCertain: () => boolean;
  /** The conditions under which what is being followed runs. */
  conditions: () => readonly Condition[];
  /** Whether it is done over and over, for each of some things that only the run knows. */
  isRepeated: () => boolean;
  /** The task whose Python is being followed. */
  running: TaskBuilder | undefined;
  /** Numbers of the sessions that Python bodies open, by the call that opens one. */
  readonly sessions: Map<unknown, number>;
  /** How often the Python bodies have committed so far, by the number of the session. */
  readonly commits: Map<number, number>;
  /** Tasks that calls from outside the workspace stand for, by what the call gave. */
  readonly foreignTasks: Map<Value, Value>;
  /** Texts that the Python of tasks writes into files, by the name of the file. */
  readonly written: { readonly path: string; readonly text: TextValue; readonly conditions: readonly Condition[] }[];
  /** Functions under `@dag` and whether they were called. */
  /** Folders of template files that a person says a DAG has, in place of its own. */
  searchPathOf: (dagId: string) => readonly string[] | undefined;
  /** Airflow Variables of which a person has said what they are. */
  variables: Readonly<Record<string, unknown>>;
  /** The same of environment variables of the scheduler. */
  environment: Readonly<Record<string, string>>;
  readonly dagFunctions: { readonly name: string; readonly at: SourceSpan; called: boolean }[];
}

export const newProgram = (file: string): Program => ({
  file,
  dags: [],
  made: 0,
  tasks: [],
  edges: [],
  dagStack: [],
  groupStack: [],
  groups: [],
  contexts: [],
  problems: [],
  isCertain: () => true,
  conditions: () => [],
  isRepeated: () => false,
  running: undefined,
  sessions: new Map(),
  commits: new Map(),
  foreignTasks: new Map(),
  written: [],
  searchPathOf: () => undefined,
  variables: {},
  environment: {},
  dagFunctions: [],
});

export const isTask = (value: Value | undefined): value is Value & { kind: 'host'; host: TaskBuilder } =>
  value?.kind === 'host' && value.host.type === 'task';

export const hostOf = <T extends HostObject>(value: Value | undefined, type: T['type']): T | undefined =>
  value?.kind === 'host' && value.host.type === type ? (value.host as T) : undefined;

/** An argument of a task: its own, else from `default_args` of the task, its groups, its DAG. */
export function taskArgument(task: TaskBuilder, name: string): Keyword | undefined {
  const own = task.made.keywords.get(name);
  if (own !== undefined) return own;
  const holders: (Call | undefined)[] = [task.made];
  for (let group = task.group; group !== undefined; group = group.parent) holders.push(group.made);
  holders.push(task.madeIn?.made);
  for (const holder of holders) {
    const entry = defaultArguments(holder)?.entries.get(name);
    if (entry !== undefined) return { name, ...entry };
  }
  return undefined;
}

/** An argument of a DAG, else from its `default_args`. */
export function dagArgument(dag: DagBuilder, name: string, position?: number): Keyword | undefined {
  const own = dag.assigned.get(name) ?? dag.made.keywords.get(name);
  if (own !== undefined) return own;
  const value = position === undefined ? undefined : dag.made.positional[position];
  const at = position === undefined ? undefined : dag.made.positionalAt[position];
  return value === undefined || at === undefined ? undefined : { name, value, at, valueAt: at };
}

export function defaultArguments(call: Call | undefined): DictValue | undefined {
  const value = call?.keywords.get('default_args')?.value;
  return value?.kind === 'dict' ? value : undefined;
}
