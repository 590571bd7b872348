import type { Call } from '../../python/call.ts';
import type { Interpreter } from '../../python/interpreter.ts';
import { parametersOf } from '../../python/parameters.ts';
import type { Value } from '../../python/value.ts';
import { contextObject, contextParameter } from './context-values.ts';
import type { Program } from './program.ts';
import { renderedValue } from './rendered-value.ts';

/** Follows the Python of every task once, with the interval's names as symbols, and notes the SQL that it sends. */
export function followCallables(program: Program, run: Interpreter): void {
  for (const task of program.tasks) {
    if (task.callable === undefined) continue;
    const { function: target, call } = task.callable;
    const preset = new Map<string, Value>([['**', contextObject()]]);
    for (const { name } of parametersOf(target.node, target.frame)) {
      const value = contextParameter(name) ?? (/^_*context$/.test(name) ? contextObject() : undefined);
      if (value !== undefined) preset.set(name, value);
    }
    program.running = task;
    run.callFunction(target, rendered(call), preset);
    program.running = undefined;
  }
}

/** Arguments are templates: one that is a single expression arrives as its value. */
function rendered(call: Call): Call {
  return {
    ...call,
    positional: call.positional.map(renderedValue),
    keywords: new Map(
      [...call.keywords].map(([name, keyword]) => [name, { ...keyword, value: renderedValue(keyword.value) }]),
    ),
  };
}
