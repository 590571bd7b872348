import { argument, type Call, emptyCall } from '../../python/call.ts';
import type { FunctionValue, HostObject, Value } from '../../python/value.ts';
import { hostValue, none, unknown } from '../../python/value.ts';
import { edgeBetween } from './edges.ts';
import { type DagBuilder, type GroupBuilder, hostOf, type Program, type TaskBuilder } from './program.ts';

/** Callables that take a `task_id` and are no operators. */
const notOperators = /^(?:xcom_pull|get_task|clear)$|(?:Builder|Config|Hook|Request|Factory|Context|Link|Key)$/;

/** A call that makes a task: an operator or sensor of Airflow, or anything that is given a `task_id`. */
export function looksLikeOperator(name: string, call: Call): boolean {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (call.keywords.has('task_id') && !notOperators.test(last)) return true;
  return /(?:Operator|Sensor|SensorAsync)(?:\.partial)?$/.test(name) && name.startsWith('airflow.');
}

/** A task from the call of an operator class; `.partial(…)` waits for `.expand(…)`. */
export function operatorTask(program: Program, operator: string, call: Call): Value {
  if (operator === 'partial') {
    const name = call.callee.replace(/\.partial$/, '');
    return mappedOperator(program, name.slice(name.lastIndexOf('.') + 1), call);
  }
  return hostValue(newTask(program, operator, call, callableOf(call)));
}

function mappedOperator(program: Program, operator: string, partial: Call): Value {
  return hostValue({
    type: 'partial',
    attribute: (name) =>
      name === 'expand' || name === 'expand_kwargs'
        ? hostValue({
            type: 'expand',
            call: (expansion) => {
              const keywords = new Map([...partial.keywords, ...expansion.keywords]);
              const call: Call = { ...partial, at: { ...partial.at, end: expansion.at.end }, keywords };
              return hostValue(newTask(program, operator, call, callableOf(call), { mapped: true }));
            },
          })
        : undefined,
  });
}

function callableOf(call: Call): TaskBuilder['callable'] {
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
    },
  };
}

export interface TaskOptions {
  readonly mapped?: boolean;
  readonly defaultName?: string;
  readonly nameAt?: Call['at'];
}

/** Adds a task to the DAG and group that are open, or to the ones that its arguments name. */
export function newTask(
  program: Program,
  operator: string,
  call: Call,
  callable: { readonly function: FunctionValue; readonly call: Call } | undefined,
  options: TaskOptions = {},
): TaskBuilder {
  const id = argument(call, 'task_id');
  const idText = id?.value.kind === 'text' ? id.value : undefined;
  const group = hostOf<GroupBuilder>(call.keywords.get('task_group')?.value, 'group') ?? program.groupStack.at(-1);
  const dag = hostOf<DagBuilder>(call.keywords.get('dag')?.value, 'dag') ?? program.dagStack.at(-1);
  const plain = idText?.mapped.text ?? (id === undefined ? options.defaultName : undefined);
  const task: TaskBuilder = {
    type: 'task',
    made: call,
    operator,
    name: `${group?.prefix ?? ''}${plain ?? operator}`,
    named: plain !== undefined && (idText === undefined || idText.holes.length === 0),
    certain: program.isCertain(),
    nameAt: id?.valueAt ?? options.nameAt ?? call.at,
    dag,
    madeIn: dag,
    group,
    callable,
    mapped: options.mapped ?? false,
    sent: [],
    accessed: [],
    unread: [],
    clockUses: [],
    attribute: (name) => taskAttribute(program, task, name),
    item: () => output(program, task),
    assign: () => {},
    enter: () => hostValue(task),
  };
  program.tasks.push(task);
  for (let holder = group; holder !== undefined; holder = holder.parent) holder.tasks.push(task);
  for (const keyword of call.keywords.values()) dependOnValue(program, task, keyword.value, keyword.at);
  return task;
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
    attribute: (name) => (/^set_/.test(name) ? taskAttribute(program, task, name) : output(program, task)),
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
  if (name === 'as_setup' || name === 'as_teardown') return hostValue({ type: 'setter', call: () => self });
  return unknown(`the attribute ${name} of a task`);
}
