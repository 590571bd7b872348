import { argument, emptyCall } from '../../../python/calls/call.ts';
import { externalBase } from '../../../python/calls/class-member.ts';
import { environment } from '../../../python/library/builtin-call.ts';
import { hostValue, none, unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, FunctionValue, Host, Interpreter, Value } from '../../../python/values/value.ts';
import { tellsOfSpark } from '../../spark/session/spark-work.ts';
import { sparkCall, sparkStarNames } from '../../spark/spark-call.ts';
import { composedSql } from '../callables/composed-sql.ts';
import { observeCall } from '../callables/observe-call.ts';
import { sayDefinedOutside, sayMadeOutside } from '../callables/outside-calls.ts';
import { taskSpark } from '../callables/task-spark.ts';
import { edgeBetween } from '../program/edges.ts';
import { hostOf, type Program, type TaskBuilder } from '../program/program.ts';
import { hostFor, programOf } from '../program/program-of.ts';
import { assetDefinition } from './asset-definition.ts';
import { contextObject } from './context-values.ts';
import { callDagFunction, openDag } from './dags.ts';
import { foreignOverride, namesDag, sayDagElsewhere, sayTasksElsewhere, withForeignTasks } from './foreign-tasks.ts';
import { openGroup } from './groups.ts';
import { pluginName } from './plugin-names.ts';
import { saidEnvironment, saidVariable } from './said-variable.ts';
import { taskDecorator, taskGroupFunction } from './task-flow.ts';
import { callableOf, looksLikeOperator, mappedOperator, operatorTask, output } from './tasks.ts';
import { operatorBase, withLaterAttributes, workspaceOperatorTask } from './workspace-operators.ts';

/** Notes of the running task that its class has the operator that it builds on do its work. */
function runBase(
  { running }: Program,
  { object, after }: Extract<Value, { kind: 'super' }>,
  run: Interpreter,
): boolean {
  const operator = operatorBase(after);
  if (running === undefined || operator === undefined || object.kind !== 'object') return false;
  if (running.callable?.object !== object) return false;
  const made = withLaterAttributes(running.made, object);
  running.runsBase = { operator, made };
  const given = callableOf(made);
  if (given !== undefined) run.callFunction(given.function, given.call);
  return true;
}

/** Gives the names of Airflow their meaning: DAGs, operators, decorators, hooks, dependencies. */
export function airflowHost(program: Program): Host {
  const host = hostFor(program, {
    callExternal(name, call, run) {
      const last = name.slice(name.lastIndexOf('.') + 1);
      if (last === 'DAG') return hostValue(openDag(program, call, run, undefined));
      // `DatabricksWorkflowTaskGroup` and the like are groups as well.
      if (last === 'TaskGroup' || (isAirflow(name) && last.endsWith('TaskGroup')))
        return hostValue(openGroup(program, call));
      if (isAirflow(name)) {
        const decorated = decoratorCall(name, last, call);
        if (decorated !== undefined) return decorated;
        if (last === 'chain' || last === 'chain_linear') return chain(program, call);
        if (last === 'cross_downstream')
          return edgeBetween(program, call.positional[0] ?? none, call.positional[1] ?? none, call.at);
        if (last === 'XComArg') {
          const task = hostOf<TaskBuilder>(argument(call, 'operator', 0)?.value, 'task');
          if (task !== undefined) return output(program, task);
        }
        if (last === 'Label') return unknown('a label');
        if (last === 'get_current_context') return contextObject();
        if (/(?:^|\.)Variable\.(?:get|set)$/.test(name)) {
          const key = plainText(argument(call, 'key', 0)?.value);
          if (key !== undefined)
            program.running?.variables.push({ name: key, does: last === 'set' ? 'set' : 'get', at: call.at });
          if (last === 'set') return none;
          const said = key === undefined ? undefined : saidVariable(program, key, call);
          if (said !== undefined) return said;
          return { kind: 'symbol', symbol: { kind: 'parameter', source: 'var', name: key ?? 'a Variable' } };
        }
      }
      if (name === 'typing.cast') return call.positional[1];
      const composed = composedSql(name, call);
      if (composed !== undefined) return composed;
      if (/(?:^|\.)(?:sqlalchemy(?:\.sql)?\.text|contextlib\.closing|sqlalchemy\.sql\.expression\.text)$/.test(name))
        return call.positional[0];
      if (last === 'override' && call.keywords.has('task_id')) return foreignOverride(program, name, call);
      const spark = sparkCall(name, call, run);
      if (spark !== undefined) return spark;
      if (looksLikeOperator(name, call)) return operatorTask(program, name, call);
      if (namesDag(name) && run.isMain) sayDagElsewhere(program, name, call.at);
      else sayTasksElsewhere(program, name, call);
      const given = observeCall(program, name, call, run);
      if (given === undefined) sayDefinedOutside(program, name, call);
      return given;
    },

    raised(error) {
      const name = error.kind === 'external' ? error.name : error.kind === 'instance' ? error.type : '';
      if (program.running !== undefined && name.endsWith('.AirflowSkipException')) program.running.maySkip = true;
    },

    effects: () =>
      [program.tasks, program.dags, program.edges, program.groups, program.problems, program.dagFunctions].reduce(
        (sum, list) => sum + list.length,
        program.made,
      ),

    notes: () => {
      const { sent, accessed, unread, clockUses, variables } = program.running ?? {};
      return [sent, accessed, unread, clockUses, variables].reduce((sum, list) => sum + (list?.length ?? 0), 0);
    },

    importedName: pluginName,

    starNames: sparkStarNames,

    externalItem: (name, key) =>
      name === 'os.environ' ? (saidEnvironment(program, key) ?? environment(key)) : undefined,

    callMethod(self, name, call, run) {
      if (self.kind === 'external') return undefined;
      if (self.kind === 'super' && name === 'execute' && runBase(program, self, run))
        return unknown('what its operator gives');
      if (self.kind === 'class' && name === 'partial' && operatorBase(self) !== undefined)
        return mappedOperator(program, call, (whole, mapped) =>
          workspaceOperatorTask(program, self, whole, run, { mapped }),
        );
      const given = observeCall(program, name, call, run, self);
      if (given === undefined) sayMadeOutside(program, self, call);
      return given;
    },

    callUnknown(callee, call, run) {
      // `sessionmaker(engine)()`: what a client makes is the client again.
      if (callee.kind === 'instance' && /(?:sessionmaker|scoped_session)$/.test(callee.type)) return callee;
      observeCall(program, call.callee, call, run);
      return undefined;
    },

    construct(value, call, run) {
      if (/^airflow\.(?:.*\.)?DAG$/.test(externalBase(value) ?? '') && run.isMain)
        sayDagElsewhere(program, value.name, call.at);
      if (operatorBase(value) === undefined && !call.keywords.has('task_id')) return undefined;
      return workspaceOperatorTask(program, value, call, run);
    },

    shift(operator, left, right, at) {
      const [first = left, second = right] = withForeignTasks(program, [left, right]);
      return operator === '>>'
        ? edgeBetween(program, first, second, at)
        : edgeBetween(program, second, first, at, second);
    },

    decorate(decorator, target, at, run) {
      if (target.kind !== 'function' && target.kind !== 'host') return undefined;
      const name = decorator.kind === 'external' ? decorator.name : decoratorName(decorator);
      const call = decorator.kind === 'instance' ? decorator.call : emptyCall(at, 'decorator');
      if (decorator.kind === 'external' && namesDag(decorator.name)) sayDagElsewhere(program, decorator.name, at);
      if (name === undefined || target.kind !== 'function') return name === undefined ? undefined : target;
      return decorated(program, name, call, target, run);
    },
  });
  tellsOfSpark(host, () => taskSpark(program));
  return host;
}

const isAirflow = (name: string): boolean => name.startsWith('airflow.');

/** `@task(…)`, `@dag(…)`: the call only carries arguments until it meets the function. */
function decoratorCall(name: string, last: string, call: Call): Value | undefined {
  if (last === 'dag' || last === 'task_group' || taskFlavour(name) !== undefined) {
    // `task(function)` without the `@` sign.
    return { kind: 'instance', type: name, call };
  }
  return undefined;
}

/** `task`, or the flavour behind it: `@task.branch`, which is `branch_task` too. */
function taskFlavour(name: string): string | undefined {
  const [, flavour, whole] =
    /^airflow\.(?:decorators|sdk)(?:\.\w+)*?\.(?:task\.(\w+)|(task|setup|teardown)(?:\.\w+)?)$/.exec(name) ?? [];
  if (flavour !== undefined || whole !== undefined) return flavour ?? name.slice(name.lastIndexOf('.') + 1);
  const [, own] = /^airflow\.(?:decorators|providers\.(?:\w+\.)+decorators)(?:\.\w+)*?\.(\w+)_task$/.exec(name) ?? [];
  return own === 'python' ? 'task' : own;
}

const decoratorName = (decorator: Value): string | undefined =>
  decorator.kind === 'instance' ? decorator.type : undefined;

function decorated(
  program: Program,
  name: string,
  call: Call,
  target: FunctionValue,
  run: Interpreter,
): Value | undefined {
  const last = name.slice(name.lastIndexOf('.') + 1);
  if (!isAirflow(name)) return undefined;
  if (last === 'dag') {
    const known = { name: target.name, at: call.at, called: false };
    // One of an imported module may be meant for others.
    if (run.isMain) program.dagFunctions.push(known);
    return hostValue({
      type: 'dag-function',
      isFree: true,
      holds: [target, ...[...call.keywords.values()].map(({ value }) => value)],
      call(invocation, caller) {
        known.called = true;
        return callDagFunction(programOf(caller), target, call, invocation, caller);
      },
      attribute: () => undefined,
    });
  }
  if (/^airflow\.sdk(?:\.\w+)*?\.asset(?:\.multi)?$/.test(name))
    return assetDefinition(program, target, call, last === 'multi', run);
  if (last === 'task_group') return hostValue(taskGroupFunction(target, call));
  const flavour = taskFlavour(name);
  if (flavour !== undefined) return hostValue(taskDecorator(target, call, flavour));
  return undefined;
}

/** `chain(a, [b, c], [d, e], f)`: neighbours are joined; two lists of one length pairwise. */
function chain(program: Program, call: Call): Value {
  const links = withForeignTasks(program, call.positional);
  for (const [index, from] of links.entries()) {
    const to = links[index + 1];
    if (to === undefined) break;
    const at = call.positionalAt[index + 1] ?? call.at;
    const start = call.positionalAt[index]?.start ?? at.start;
    const span = { ...at, start: Math.min(start, at.start) };
    if (
      from.kind === 'list' &&
      to.kind === 'list' &&
      !call.callee.endsWith('linear') &&
      from.items.length === to.items.length
    )
      for (const [place, item] of from.items.entries()) edgeBetween(program, item, to.items[place] ?? none, span);
    else edgeBetween(program, from, to, span);
  }
  return none;
}
