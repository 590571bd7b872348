import { hostValue } from '../../../python/values/make-value.ts';
import type { Call, Value } from '../../../python/values/value.ts';
import { edgeBetween, endsOf } from '../program/edges.ts';
import type { Program, TaskBuilder } from '../program/program.ts';

/** `task.as_setup()`, `task.as_teardown(setups=…)`: a teardown comes right behind its setups too. */
export function asSetupOrTeardown(program: Program, task: TaskBuilder, role: 'setup' | 'teardown', call: Call): Value {
  const self = hostValue(task);
  task.role = role;
  const setups = role === 'teardown' ? (call.keywords.get('setups')?.value ?? call.positional[0]) : undefined;
  if (setups !== undefined) {
    for (const setup of endsOf(setups) ?? []) if (setup.type === 'task') setup.role = 'setup';
    edgeBetween(program, setups, self, call.at);
  }
  return self;
}

/** `with teardown:` or `with setup:`: what is made inside runs between the two. */
export function enterContext(program: Program, task: TaskBuilder): void {
  program.contexts.push({ task, work: [] });
}

export function exitContext(program: Program): void {
  const context = program.contexts.pop();
  if (context === undefined || context.task.role === undefined) return;
  const { task } = context;
  const outer = program.contexts.at(-1)?.task;
  const setups = task.role === 'setup' ? [task] : partners(program, task);
  const teardowns = task.role === 'teardown' ? [task] : partners(program, task);
  const work = context.work.filter(({ role }) => role === undefined);
  const first = work.filter((made) => !program.edges.some(({ to }) => to === made));
  const last = work.filter((made) => !program.edges.some(({ from }) => from === made));
  const connect = (from: readonly TaskBuilder[], to: readonly TaskBuilder[]): void => {
    for (const source of from)
      for (const target of to) program.edges.push({ from: source, to: target, at: task.made.at });
  };
  connect(setups, first.length > 0 ? first : work.slice(0, 1));
  connect(last.length > 0 ? last : work.slice(-1), teardowns);
  if (outer?.role === undefined) return;
  connect(outer.role === 'setup' ? [outer] : partners(program, outer), setups);
  connect(teardowns, outer.role === 'teardown' ? [outer] : partners(program, outer));
}

/** The setups of a teardown, the teardowns of a setup. */
function partners(program: Program, task: TaskBuilder): readonly TaskBuilder[] {
  const others = program.edges.flatMap(({ from, to }) => {
    if (task.role === 'setup') return from === task && to.role === 'teardown' ? [to] : [];
    return to === task && from.role === 'setup' ? [from] : [];
  });
  return [...new Set(others)];
}
