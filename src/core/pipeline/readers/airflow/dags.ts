import type { Call } from '../../python/call.ts';
import { emptyCall } from '../../python/call.ts';
import type { Interpreter } from '../../python/interpreter.ts';
import { parametersOf } from '../../python/parameters.ts';
import type { FunctionValue, Value } from '../../python/value.ts';
import { hostValue } from '../../python/value.ts';
import type { DagBuilder, Program } from './program.ts';

/** `DAG(…)`, as a value and as the manager of a `with` block. */
export function openDag(program: Program, call: Call, run: Interpreter, functionName: string | undefined): DagBuilder {
  const dag: DagBuilder = {
    type: 'dag',
    made: call,
    functionName,
    assigned: new Map(),
    assign(name, value, at) {
      dag.assigned.set(name, { name, value, at, valueAt: at });
    },
    enter() {
      program.dagStack.push(dag);
      return hostValue(dag);
    },
    exit() {
      program.dagStack.pop();
    },
  };
  // A DAG of an imported module belongs to that module's file.
  if (run.isMain) program.dags.push(dag);
  return dag;
}

/** A call of a function under `@dag`: its body is the DAG. */
export function callDagFunction(
  program: Program,
  target: FunctionValue,
  decorator: Call,
  invocation: Call,
  run: Interpreter,
): Value {
  const dag = openDag(program, decorator, run, target.name);
  program.dagStack.push(dag);
  const preset = new Map<string, Value>(
    parametersOf(target.node, target.frame).map(({ name }) => [
      name,
      { kind: 'symbol', symbol: { kind: 'parameter', source: 'params', name } },
    ]),
  );
  run.callFunction(target, { ...emptyCall(invocation.at, invocation.callee), keywords: invocation.keywords }, preset);
  program.dagStack.pop();
  return hostValue(dag);
}
