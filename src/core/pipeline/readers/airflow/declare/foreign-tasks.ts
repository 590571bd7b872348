import { hostValue } from '../../../python/values/make-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import { endsOf } from '../program/edges.ts';
import type { Program } from '../program/program.ts';
import { dependOnValue, newTask } from './tasks.ts';

type Made = Extract<Value, { kind: 'instance' }>;

/**
 * The operands of `>>` with a task for each that a call from outside the workspace gives: what stands between tasks in
 * the order of a DAG is a task or a group, so it is shown, with nothing known of it, rather than left out.
 */
export function withForeignTasks(program: Program, operands: readonly Value[]): readonly Value[] {
  const isOrder = operands.some((value) => endsOf(value) !== undefined) || program.dagStack.length > 0;
  if (!isOrder || program.running !== undefined) return operands;
  const known = operands.some((value) => endsOf(value) !== undefined);
  return operands.map((value) => (known || isCalls(value) ? foreign(program, value) : value));
}

/** Made by calls only, so that no text or number that is shifted counts. */
const isCalls = (value: Value): boolean =>
  value.kind === 'instance' || (value.kind === 'list' && value.items.length > 0 && value.items.every(isCalls));

function foreign(program: Program, value: Value): Value {
  if (value.kind === 'list') return { ...value, items: value.items.map((item) => foreign(program, item)) };
  if (value.kind !== 'instance' || !isCall(value)) return value;
  const known = program.foreignTasks.get(value);
  if (known !== undefined) return known;
  const name = value.type.slice(value.type.lastIndexOf('.') + 1);
  const task = hostValue(newTask(program, name, value.call, undefined));
  program.foreignTasks.set(value, task);
  return task;
}

/** Labels of edges, assets and the like are no tasks. */
const isCall = ({ type }: Made): boolean => !/(?:Label|EdgeModifier|Asset|Dataset|AssetAlias)$/.test(type);

/** `function.override(task_id=…)(…)` of a function under `@task` that is defined outside the workspace. */
export function foreignOverride(program: Program, name: string, override: Call): Value {
  const own = name.replace(/\.override$/, '');
  const operator = own.slice(own.lastIndexOf('.') + 1);
  return hostValue({
    type: 'override',
    call: (invocation) => {
      const task = newTask(program, operator, { ...override, at: invocation.at }, undefined);
      for (const [index, value] of invocation.positional.entries())
        dependOnValue(program, task, value, invocation.positionalAt[index] ?? invocation.at);
      for (const { value, at } of invocation.keywords.values()) dependOnValue(program, task, value, at);
      return hostValue(task);
    },
  });
}

/** Says that a call from outside the workspace which is handed a DAG may make tasks of it, which are not shown. */
export function sayTasksElsewhere(program: Program, name: string, call: Call): void {
  if (
    program.running !== undefined ||
    /^(?:builtins|airflow|logging|pprint|sys)\./.test(name) ||
    looksAtDags.test(name)
  )
    return;
  const isGivenDag = [...call.positional, ...[...call.keywords.values()].map(({ value }) => value)].some(
    (value) => value.kind === 'host' && value.host.type === 'dag',
  );
  if (!isGivenDag) return;
  program.problems.push({
    message: `${call.callee}(…) is given the DAG and is defined outside the workspace: tasks that it makes are not shown.`,
    at: call.at,
    severity: 'info',
  });
}

const looksAtDags =
  /(?:^|\.)(?:\w*(?:cycle|test|debug|register|print|log|doc)\w*|append|add|update|setdefault|len|id|str|repr)$/i;

/**
 * Says that a DAG is made by something that is not followed: a class that builds on DAG, a `@dag` or a class of that name from
 * outside the workspace. What it sets for itself decides schedule and tasks, so nothing of it is shown.
 */
export function sayDagElsewhere(program: Program, name: string, at: Call['at']): void {
  if (program.running !== undefined) return;
  const short = name.slice(name.lastIndexOf('.') + 1);
  program.problems.push({
    message: `${short} makes a DAG in a way of its own, which is not followed: the DAG and its tasks are not shown.`,
    at,
    severity: 'info',
  });
}

/** `house.SalesDAG`, `house.dag`: what gives DAGs by its name, and is not Airflow's. */
export const namesDag = (name: string): boolean =>
  !name.startsWith('airflow.') && /\.(?:[A-Z]\w*D(?:AG|ag)|dag)$/.test(name);
