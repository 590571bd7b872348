import { argument, emptyCall } from '../../../python/calls/call.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { external, hostValue, listOf, unknown } from '../../../python/values/make-value.ts';
import { mergeValues } from '../../../python/values/merge.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, FunctionValue, Interpreter, Value } from '../../../python/values/value.ts';
import { type DagBuilder, dagArgument, type Program, type TaskBuilder } from '../program/program.ts';

/** `DAG(…)`, as a value and as the manager of a `with` block. */
export function openDag(program: Program, call: Call, run: Interpreter, functionName: string | undefined): DagBuilder {
  const certain = program.isCertain();
  const twin = certain ? undefined : otherBranch(program, call);
  if (twin !== undefined) return twin;
  const dag: DagBuilder = {
    type: 'dag',
    made: call,
    certain,
    functionName,
    assigned: new Map(),
    attribute: (name) => dagAttribute(program, dag, name),
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
  const id = plainText(argument(call, 'dag_id', 0)?.value) ?? functionName;
  const folders = id === undefined ? undefined : program.searchPathOf(id);
  if (folders !== undefined) {
    const value = listOf(folders.map((folder) => derivedText(folder)));
    dag.assigned.set('template_searchpath', { name: 'template_searchpath', value, at: call.at, valueAt: call.at });
  }
  program.made++;
  // A DAG of an imported module belongs to that module's file.
  if (run.isMain) program.dags.push(dag);
  return dag;
}

/** What a file asks of a DAG that it makes. */
function dagAttribute(program: Program, dag: DagBuilder, name: string): Value | undefined {
  const tasks = (): TaskBuilder[] => program.tasks.filter((task) => task.dag === dag);
  switch (name) {
    case 'dag_id':
      return (
        dagArgument(dag, 'dag_id', 0)?.value ??
        (dag.functionName === undefined ? undefined : derivedText(dag.functionName))
      );
    case 'task':
      return external('airflow.decorators.task');
    case 'tasks':
      return listOf(tasks().map(hostValue));
    case 'get_task':
      return hostValue({
        type: 'getter',
        call: (call) => {
          const id = plainText(argument(call, 'task_id', 0)?.value);
          const found = tasks().find((task) => task.name === id);
          return found === undefined ? unknown(`the task ${id ?? 'that is not known'}`) : hostValue(found);
        },
      });
    default:
      return undefined;
  }
}

/**
 * The DAG of the same id that another branch of a condition makes: the two are one DAG, and arguments in which they
 * differ are not known.
 */
function otherBranch(program: Program, call: Call): DagBuilder | undefined {
  const id = plainText(argument(call, 'dag_id', 0)?.value);
  const twin = program.dags.find(
    (dag) => !dag.certain && id !== undefined && plainText(argument(dag.made, 'dag_id', 0)?.value) === id,
  );
  if (twin === undefined) return undefined;
  for (const name of new Set([...twin.made.keywords.keys(), ...call.keywords.keys()])) {
    const mine = call.keywords.get(name);
    const theirs = twin.assigned.get(name) ?? twin.made.keywords.get(name);
    const shown = theirs ?? mine;
    if (shown === undefined) continue;
    const value =
      mine === undefined || theirs === undefined
        ? unknown('depends on a condition that is not known before it runs')
        : mergeValues([mine.value, theirs.value]);
    twin.assigned.set(name, { ...shown, value });
  }
  return twin;
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
