import { argument, emptyCall } from '../../../python/calls/call.ts';
import { hostValue, listOf, none, unknown } from '../../../python/values/make-value.ts';
import type { Call, HostObject, Keyword, ObjectValue, Value } from '../../../python/values/value.ts';
import { runInside } from '../callables/run-inside.ts';
import { edgeBetween } from '../program/edges.ts';
import { numberedName } from '../program/numbered-name.ts';
import {
  type Callable,
  type DagBuilder,
  type GroupBuilder,
  hostOf,
  type Program,
  type TaskBuilder,
} from '../program/program.ts';
import { asSetupOrTeardown, enterContext, exitContext } from './setup-teardown.ts';

/** Callables that take a `task_id` and are no operators. */
const notOperators = /^(?:xcom_pull|get_task|clear)$|(?:Builder|Config|Hook|Request|Factory|Context|Link|Key)$/;

/** A call that makes a task: an operator or sensor of Airflow, or anything that is given a `task_id`. */
export function looksLikeOperator(name: string, call: Call): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (call.keywords.has('task_id') && !notOperators.test(last)) return true;
  return /(?:Operator|Sensor|SensorAsync)(?:\.partial)?$/.test(name) && name.startsWith('airflow.');
}

/** A task from the call of an operator class; `.partial(…)` waits for `.expand(…)`. */
export function operatorTask(program: Program, name: string, call: Call): Value {
  const made = name.replace(/\.partial$/, '');
  // By the class and not by what the file calls it.
  const last = made.slice(made.lastIndexOf('.') + 1);
  if (made === name) return hostValue(newTask(program, last, call, callableOf(call)));
  return mappedOperator(program, call, (whole, mapped) =>
    hostValue(newTask(program, last, whole, callableOf(whole), { mapped })),
  );
}

/** `.partial(…).expand(…)`: `make` gets the arguments of both, and for which values Airflow makes a task each. */
export function mappedOperator(
  program: Program,
  partial: Call,
  make: (whole: Call, mapped: TaskBuilder['mapped']) => Value,
): Value {
  return hostValue({
    type: 'partial',
    attribute: (name) =>
      name === 'expand' || name === 'expand_kwargs'
        ? hostValue({
            type: 'expand',
            call: (expansion) => {
              const texts = mappedTexts(name, expansion);
              const made = make(
                {
                  ...partial,
                  at: { ...partial.at, end: expansion.at.end },
                  keywords: new Map([
                    ...partial.keywords,
                    ...expansion.keywords,
                    ...(texts === undefined ? [] : [['sql', texts] as const]),
                  ]),
                },
                texts === undefined ? 'values' : 'texts',
              );
              const task = hostOf<TaskBuilder>(made, 'task');
              if (task !== undefined)
                for (const value of expansion.positional) dependOnValue(program, task, value, expansion.at);
              return made;
            },
          })
        : undefined,
  });
}

/** Where nothing but SQL is mapped over, and the file says which, all of it in one list. */
function mappedTexts(
  name: 'expand' | 'expand_kwargs',
  { keywords, positional, positionalAt, at }: Call,
): Keyword | undefined {
  if (name === 'expand') {
    const given = keywords.get('sql');
    return keywords.size === 1 && given?.value.kind === 'list' && !given.value.open ? given : undefined;
  }
  const [list] = positional;
  if (list?.kind !== 'list' || list.open || list.items.length === 0) return undefined;
  const texts = list.items.map((item) =>
    item.kind === 'dict' && !item.open && item.entries.size === 1 ? item.entries.get('sql')?.value : undefined,
  );
  if (!texts.every((text) => text !== undefined)) return undefined;
  return { name: 'sql', value: listOf(texts), at, valueAt: positionalAt[0] ?? at };
}

/** The Python that an operator is given, with the arguments that it is given for it. */
export function callableOf(call: Call): Callable | undefined {
  const value = call.keywords.get('python_callable')?.value;
  if (value?.kind !== 'function') return undefined;
  const positional = call.keywords.get('op_args')?.value;
  const keywords = call.keywords.get('op_kwargs')?.value;
  const entries = keywords?.kind === 'dict' ? [...keywords.entries] : [];
  return {
    function: value,
    call: {
      ...emptyCall(call.at, call.callee, positional?.kind === 'list' ? positional.items : []),
      keywords: new Map(entries.map(([name, entry]) => [name, { name, ...entry }])),
      open: isOpen(positional) || isOpen(keywords),
    },
  };
}

const isOpen = (value: Value | undefined): boolean =>
  value !== undefined && !((value.kind === 'list' || value.kind === 'dict') && !value.open);

export interface TaskOptions {
  readonly mapped?: TaskBuilder['mapped'];
  readonly defaultName?: string;
  readonly nameAt?: Call['at'];
  /** A task_id that is taken gets a number, as with calls of a function under `@task`. */
  readonly numbered?: boolean;
  /** Of an operator class of the workspace: its attributes can be asked for. */
  readonly object?: ObjectValue;
}

/** Adds a task to the DAG and group that are open, or to the ones that its arguments name. */
export function newTask(
  program: Program,
  operator: string,
  call: Call,
  callable: Callable | undefined,
  options: TaskOptions = {},
): TaskBuilder {
  const id = argument(call, 'task_id');
  const idText = id?.value.kind === 'text' ? id.value : undefined;
  const group = hostOf<GroupBuilder>(call.keywords.get('task_group')?.value, 'group') ?? program.groupStack.at(-1);
  const dag = hostOf<DagBuilder>(call.keywords.get('dag')?.value, 'dag') ?? program.dagStack.at(-1);
  const prefix = group?.prefix ?? '';
  const plain = idText?.mapped.text ?? (id === undefined ? options.defaultName : undefined);
  const task: TaskBuilder = {
    type: 'task',
    made: call,
    operator,
    name: `${prefix}${plain === undefined ? operator : options.numbered ? freeName(program, dag, prefix, plain) : plain}`,
    named: plain !== undefined && (group?.named ?? true) && (idText === undefined || idText.holes.length === 0),
    certain: program.isCertain(),
    conditions: program.conditions(),
    nameAt: id?.valueAt ?? options.nameAt ?? call.at,
    dag,
    madeIn: dag,
    group,
    callable,
    mapped: options.mapped,
    sent: [],
    rendersTexts: false,
    runsBase: undefined,
    accessed: [],
    variables: [],
    unread: [],
    clockUses: [],
    scripts: [],
    maySkip: false,
    returned: undefined,
    attribute: (name) => options.object?.attributes.get(name) ?? taskAttribute(program, task, name),
    item: () => output(program, task),
    assign: () => {},
    role: undefined,
    enter: () => {
      enterContext(program, task);
      return hostValue(task);
    },
    exit: () => exitContext(program),
  };
  // An operator that the Python of a task makes is no task of the DAG; its `execute` may be called.
  if (program.running !== undefined) return task;
  program.tasks.push(task);
  program.contexts.at(-1)?.work.push(task);
  for (let holder = group; holder !== undefined; holder = holder.parent) holder.tasks.push(task);
  for (const keyword of call.keywords.values()) dependOnValue(program, task, keyword.value, keyword.at);
  return task;
}

/** Calls of one function are numbered: `load`, `load__1`, `load__2`. */
function freeName(program: Program, dag: DagBuilder | undefined, prefix: string, name: string): string {
  const taken = new Set(program.tasks.filter((task) => task.dag === dag).map((task) => task.name));
  return numberedName(prefix, name, taken);
}

/** `operator.output`, or the result of a `@task` call, used as an argument: the maker runs first. */
export function dependOnValue(program: Program, task: TaskBuilder, value: Value, at: Call['at'], depth = 0): void {
  if (depth > 5) return;
  if (value.kind === 'host' && (value.host.type === 'output' || value.host.type === 'task'))
    edgeBetween(program, value, hostValue(task), at);
  else if (value.kind === 'list') for (const item of value.items) dependOnValue(program, task, item, at, depth + 1);
  else if (value.kind === 'dict')
    for (const entry of value.entries.values()) dependOnValue(program, task, entry.value, at, depth + 1);
}

/** What a task returns (an XCom), which remembers its task. */
export const output = (program: Program, task: TaskBuilder): Value => {
  const host: HostObject & { readonly task: TaskBuilder } = {
    type: 'output',
    task,
    item: () => output(program, task),
    attribute: (name) => (/^(?:set|as)_/.test(name) ? taskAttribute(program, task, name) : output(program, task)),
    call: () => output(program, task),
  };
  return hostValue(host);
};

function taskAttribute(program: Program, task: TaskBuilder, name: string): Value | undefined {
  const self = hostValue(task);
  if (name === 'output') return output(program, task);
  if (name === 'set_upstream' || name === 'set_downstream')
    return hostValue({
      type: 'setter',
      call: ({ positional, keywords, at }) => {
        const other = positional[0] ?? keywords.get('task_or_task_list')?.value ?? none;
        if (name === 'set_upstream') edgeBetween(program, other, self, at);
        else edgeBetween(program, self, other, at);
        return none;
      },
    });
  if (name === 'execute' && program.running !== undefined)
    return hostValue({ type: 'setter', call: (_, run) => runInside(program, task, run) });
  if (name === 'as_setup' || name === 'as_teardown')
    return hostValue({
      type: 'setter',
      call: (call) => asSetupOrTeardown(program, task, name === 'as_setup' ? 'setup' : 'teardown', call),
    });
  return unknown(`the attribute ${name} of a task`);
}
