import { spanIn } from '../../../python/calls/frame.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { childOf } from '../../../python/syntax/syntax-tree.ts';
import { hostValue, unknown } from '../../../python/values/make-value.ts';
import type { Call, FunctionValue, HostObject, Interpreter, Value } from '../../../python/values/value.ts';
import { edgeBetween } from '../program/edges.ts';
import { programOf } from '../program/program-of.ts';
import { openGroup } from './groups.ts';
import { dependOnValue, newTask } from './tasks.ts';

/** A function under `@task`: each call of it is a task. */
export function taskDecorator(target: FunctionValue, decorator: Call, flavour: string): HostObject {
  const nameNode = childOf(target.node, 'name');
  const nameAt = nameNode === undefined ? decorator.at : spanIn(target.frame, nameNode);
  const create = (invocation: Call, overrides: Call['keywords'], mapped: boolean, run: Interpreter): Value => {
    const program = programOf(run);
    const keywords = new Map([...decorator.keywords, ...overrides]);
    // The task's place is its function, where a person looks for it; the call only wires it.
    const at = spanIn(target.frame, target.node);
    const task = newTask(
      program,
      flavour === 'task' ? '@task' : `@task.${flavour}`,
      { ...decorator, at, keywords },
      { function: target, call: invocation },
      { mapped: mapped ? 'values' : undefined, defaultName: target.name, numbered: true, nameAt },
    );
    if (flavour === 'setup' || flavour === 'teardown') task.role = flavour;
    for (const [index, value] of invocation.positional.entries())
      dependOnValue(program, task, value, invocation.positionalAt[index] ?? invocation.at);
    for (const { value, at: keywordAt } of invocation.keywords.values()) dependOnValue(program, task, value, keywordAt);
    return hostValue(task);
  };
  const withOverrides = (overrides: Call['keywords'], partial: Call['keywords']): HostObject => ({
    type: 'task-function',
    isFree: true,
    holds: [target, ...valuesOf(decorator.keywords), ...valuesOf(overrides), ...valuesOf(partial)],
    call: (invocation, run) => create(invocation, overrides, false, run),
    attribute(name) {
      if (name === 'override')
        return hostValue({ type: 'override', call: ({ keywords }) => hostValue(withOverrides(keywords, partial)) });
      if (name === 'partial')
        return hostValue({ type: 'partial', call: ({ keywords }) => hostValue(withOverrides(overrides, keywords)) });
      if (name === 'expand' || name === 'expand_kwargs')
        return hostValue({
          type: 'expand',
          call: (invocation, run) =>
            create(
              { ...invocation, keywords: new Map([...partial, ...invocation.keywords]), open: true },
              overrides,
              true,
              run,
            ),
        });
      return undefined;
    },
  });
  return withOverrides(new Map(), new Map());
}

/** A function under `@task_group`: each call opens a group and runs the body in it. */
export function taskGroupFunction(target: FunctionValue, decorator: Call): HostObject {
  const open = (keywords: Call['keywords'], invocation: Call, run: Interpreter, source?: Call): Value => {
    const program = programOf(run);
    const group = openGroup(program, { ...decorator, keywords }, target.name, true);
    for (const { value, at } of source?.keywords.values() ?? []) edgeBetween(program, value, hostValue(group), at);
    for (const value of source?.positional ?? []) edgeBetween(program, value, hostValue(group), invocation.at);
    program.groupStack.push(group);
    const returned = run.callFunction(target, invocation);
    program.groupStack.pop();
    // What the body returns takes the group's place in dependencies.
    const nothing = returned.kind === 'unknown' || (returned.kind === 'scalar' && returned.value === null);
    return nothing ? hostValue(group) : returned;
  };
  const withArguments = (keywords: Call['keywords'], partial: Call['keywords']): HostObject => ({
    type: 'group-function',
    isFree: true,
    holds: [target, ...valuesOf(keywords), ...valuesOf(partial)],
    call: (invocation, run) => open(keywords, invocation, run),
    attribute(name) {
      if (name === 'override')
        return hostValue({
          type: 'override',
          call: (call) => hostValue(withArguments(new Map([...keywords, ...call.keywords]), partial)),
        });
      if (name === 'partial')
        return hostValue({
          type: 'partial',
          call: (call) => hostValue(withArguments(keywords, new Map([...partial, ...call.keywords]))),
        });
      if (name === 'expand' || name === 'expand_kwargs')
        return hostValue({
          type: 'expand',
          call: (call, run) =>
            open(
              keywords,
              {
                ...call,
                positional: [],
                positionalAt: [],
                keywords: new Map([...onePerGroup(call, target), ...partial]),
                open: true,
              },
              run,
              call,
            ),
        });
      return undefined;
    },
  });
  return withArguments(decorator.keywords, new Map());
}

/** Inside a mapped group an argument is one of the items; where a task makes them it is still that task's. */
function onePerGroup(call: Call, target: FunctionValue): Call['keywords'] {
  const [dicts] = call.positional;
  const at = call.positionalAt[0] ?? call.at;
  const perParameter =
    dicts?.kind === 'host'
      ? parametersOf(target.node, target.frame).map(({ name }) => ({ name, value: dicts, at, valueAt: at }))
      : [];
  return new Map(
    [...perParameter, ...call.keywords.values()].map((keyword) => [
      keyword.name,
      keyword.value.kind === 'host'
        ? keyword
        : { ...keyword, value: unknown('one of the items that the group is mapped over') },
    ]),
  );
}

const valuesOf = (keywords: Call['keywords']): readonly Value[] => [...keywords.values()].map(({ value }) => value);
