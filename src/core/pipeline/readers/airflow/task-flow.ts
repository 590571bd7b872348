import type { Call } from '../../python/call.ts';
import { spanIn } from '../../python/interpreter.ts';
import { childOf } from '../../python/syntax-tree.ts';
import type { FunctionValue, HostObject, Value } from '../../python/value.ts';
import { hostValue } from '../../python/value.ts';
import { openGroup } from './groups.ts';
import type { Program } from './program.ts';
import { dependOnValue, newTask } from './tasks.ts';

/** A function under `@task`: each call of it is a task. */
export function taskDecorator(program: Program, target: FunctionValue, decorator: Call, flavour: string): HostObject {
  const nameNode = childOf(target.node, 'name');
  const nameAt = nameNode === undefined ? decorator.at : spanIn(target.frame, nameNode);
  const create = (invocation: Call, overrides: Call['keywords'], mapped: boolean): Value => {
    const keywords = new Map([...decorator.keywords, ...overrides]);
    // The task's place is its function, where a person looks for it; the call only wires it.
    const at = spanIn(target.frame, target.node);
    const task = newTask(
      program,
      flavour === 'task' ? '@task' : `@task.${flavour}`,
      { ...decorator, at, keywords },
      { function: target, call: invocation },
      { mapped, defaultName: freeName(program, target.name), nameAt },
    );
    for (const [index, value] of invocation.positional.entries())
      dependOnValue(program, task, value, invocation.positionalAt[index] ?? invocation.at);
    for (const { value, at: keywordAt } of invocation.keywords.values()) dependOnValue(program, task, value, keywordAt);
    return hostValue(task);
  };
  const withOverrides = (overrides: Call['keywords'], partial: Call['keywords']): HostObject => ({
    type: 'task-function',
    call: (invocation) => create(invocation, overrides, false),
    attribute(name) {
      if (name === 'override')
        return hostValue({ type: 'override', call: ({ keywords }) => hostValue(withOverrides(keywords, partial)) });
      if (name === 'partial')
        return hostValue({ type: 'partial', call: ({ keywords }) => hostValue(withOverrides(overrides, keywords)) });
      if (name === 'expand' || name === 'expand_kwargs')
        return hostValue({
          type: 'expand',
          call: (invocation) =>
            create(
              { ...invocation, keywords: new Map([...partial, ...invocation.keywords]), open: true },
              overrides,
              true,
            ),
        });
      return undefined;
    },
  });
  return withOverrides(new Map(), new Map());
}

/** Airflow numbers repeated calls of one function: `load`, `load__1`, `load__2`. */
function freeName(program: Program, name: string): string {
  const prefix = program.groupStack.at(-1)?.prefix ?? '';
  const dag = program.dagStack.at(-1);
  const taken = new Set(program.tasks.filter((task) => task.dag === dag).map((task) => task.name));
  if (!taken.has(prefix + name)) return name;
  for (let number = 1; ; number++) if (!taken.has(`${prefix}${name}__${number}`)) return `${name}__${number}`;
}

/** A function under `@task_group`: each call opens a group and runs the body in it. */
export function taskGroupFunction(program: Program, target: FunctionValue, decorator: Call): HostObject {
  return {
    type: 'group-function',
    call(invocation, run) {
      const group = openGroup(program, decorator, target.name);
      program.groupStack.push(group);
      run.callFunction(target, invocation);
      program.groupStack.pop();
      return hostValue(group);
    },
  };
}
