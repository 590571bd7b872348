import type { Problem } from '../../../../text/span.ts';
import type { Argument, Executor, Task, TaskSql } from '../../../model/model.ts';
import { placeOfTask } from '../../../model/reader-options.ts';
import type { Sourced } from '../../../model/sourced.ts';
import type { TableAccess, Unread } from '../../../model/table-access.ts';
import type { TaskSession } from '../../../model/task-session.ts';
import { keyValue } from '../../../python/values/iterate.ts';
import { symbolOf } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Keyword, Value } from '../../../python/values/value.ts';
import { passesContext, timesTaken } from '../declare/interval-taken.ts';
import { onlyRunsBase } from '../declare/only-runs-base.ts';
import { connectionArgument, connectionOf } from '../operators/operator-connection.ts';
import { shellSent } from '../operators/shell-sent.ts';
import type { SqlOperator } from '../operators/sql-operator.ts';
import { emptyOperators, sqlOperators, templateExtensions } from '../operators/sql-operators.ts';
import { booleanOf, numberOf } from '../program/arguments.ts';
import { assetArgument } from '../program/assets.ts';
import { type DagBuilder, dagArgument, type TaskBuilder, taskArgument } from '../program/program.ts';
import type { AirflowSettings } from '../schedule/airflow-settings.ts';
import { taskDates } from '../schedule/start-date.ts';
import { driverParameters } from '../session/driver-parameters.ts';
import { operatorSession } from '../session/operator-session.ts';
import { ownRendering } from '../templates/template-environment.ts';
import { operatorUnread } from '../transfers/opaque-operators.ts';
import { transferAccesses } from '../transfers/transfer-accesses.ts';
import { transferOperators } from '../transfers/transfer-operators.ts';
import { clockParams, withClockParams } from './clock-params.ts';
import { hiddenQueries } from './hidden-queries.ts';
import { lateNamedTables } from './late-named-tables.ts';
import { dialectOf, operatorSql, type SqlContext, sentTaskSql } from './task-sql.ts';

/** A task of the model from what the file builds. */
export function buildTask(
  built: TaskBuilder,
  id: string,
  dag: DagBuilder,
  given: Task['params'] | undefined,
  context: SqlContext,
  settings: AirflowSettings,
  problems: Problem[],
): Task {
  const { runsBase } = built;
  const task: TaskBuilder =
    runsBase !== undefined && onlyRunsBase(built)
      ? { ...built, ...runsBase, callable: undefined, runsBase: undefined }
      : built;
  // A class of the workspace with code of its own is that code, however it is called.
  const isOwn = task.callable?.object !== undefined;
  const operator = isOwn ? undefined : sqlOperators[task.operator];
  const connection = operator === undefined ? undefined : connectionOf(task, operator);
  const sending = operator === undefined ? undefined : sendingOf(task, operator, connection, context);
  const shell = shellSent(task);
  const unread = shell === undefined && task.scripts.length === 0 ? [...operatorUnread(task)] : [];
  const clocks = clockParams(task, dag);
  const written =
    operator === undefined
      ? [
          ...baseSql(task, context, problems, unread),
          ...sentTaskSql(shell === undefined ? task : { ...task, sent: shell }, context),
        ]
      : operatorSql(task, operator, connection, context, problems, unread, sending?.session?.settings ?? []);
  const sql = written.map((one) => withClockParams(one, clocks));
  if (task.mapped !== undefined && operator !== undefined && sql.length === 0 && unread.length === 0)
    unread.push({ hides: 'statement', reason: 'its SQL is one of the values that it is mapped over', at: task.nameAt });
  const accesses = [...transferAccesses(asItsBase(task)), ...task.accessed];
  if (!task.named)
    problems.push({
      message: `The task_id ${JSON.stringify(task.name)} is not known before the file runs, so this task can be checked but not planned.`,
      at: task.nameAt,
      severity: 'info',
    });
  if (task.made.positional.length > 0 && isNamedOnly(task.operator))
    problems.push({
      message: `Airflow refuses arguments of ${task.operator} without a name. Write each as name=value.`,
      at: task.made.positionalAt[0] ?? task.nameAt,
      severity: 'error',
    });
  const decides = whatFollows(task);
  const taken = task.callable === undefined ? [] : timesTaken(task.callable);
  const dates = taskDates(task, settings, problems);
  const params = {
    ...plainDict(dagArgument(dag, 'params')?.value),
    ...plainDict(taskArgument(task, 'params')?.value),
    ...given,
  };
  const executor = executorOf(task, dag, operator, connection, sql, accesses, unread, sending);
  const place = placeOfTask(executor, context.options);
  return {
    id,
    name: task.name,
    at: task.made.at,
    nameAt: task.nameAt,
    operator: task.operator,
    sql,
    executor,
    ...(place === undefined ? {} : { place }),
    ...(sending?.session === undefined ? {} : { session: sending.session }),
    retries: retriesOf(taskArgument(task, 'retries'), settings),
    triggerRule: triggerRuleOf(taskArgument(task, 'trigger_rule')),
    autocommit: booleanOf(taskArgument(task, 'autocommit')),
    splitStatements:
      booleanOf(taskArgument(task, 'split_statements')) ??
      (operator?.split === undefined ? undefined : { value: operator.split, at: undefined }),
    params,
    arguments: [...task.made.keywords.values()].map(argumentOf),
    accesses,
    outlets: assetArgument(taskArgument(task, 'outlets')),
    inlets: assetArgument(taskArgument(task, 'inlets')),
    unread: [...unread, ...task.unread, ...lateNamedTables(sql, params), ...hiddenQueries(sql)],
    // Waiting for the tasks behind the last run implies waiting for the task itself.
    dependsOnPast: ['depends_on_past', 'wait_for_downstream'].some(
      (name) => booleanOf(taskArgument(task, name))?.value === true,
    ),
    ...(dates === undefined ? {} : { dates }),
    ...(taken.length === 0 ? {} : { timesTaken: taken }),
    ...(task.callable !== undefined && passesContext(task.callable) ? { passesContext: true } : {}),
    ...(task.variables.length === 0 ? {} : { variables: task.variables }),
    ...(decides === undefined ? {} : { decides }),
  };
}

/** The task as the operator that a class of the workspace has do its work, before or behind code of its own. */
const asItsBase = (task: TaskBuilder): TaskBuilder =>
  task.runsBase === undefined ? task : { ...task, made: task.runsBase.made, operator: task.runsBase.operator };

/** What that operator sends. */
function baseSql(task: TaskBuilder, context: SqlContext, problems: Problem[], unread: Unread[]): readonly TaskSql[] {
  const asBase = asItsBase(task);
  const operator = sqlOperators[asBase.operator];
  if (task.runsBase === undefined || operator === undefined) return [];
  return operatorSql(asBase, operator, connectionOf(asBase, operator), context, problems, unread, []);
}

/** What a branch, a short circuit or a task that may be skipped says about those behind it. */
function whatFollows({ operator, returned, maySkip }: TaskBuilder): Task['decides'] {
  if (/Branch\w*Operator$|^@task\.branch/.test(operator)) {
    // One that names several tasks lets them all run.
    const given = returned?.kind === 'unknown' ? (returned.options ?? []) : returned === undefined ? [] : [returned];
    return given.some((value) => value.kind === 'list' && value.items.length > 1) ? undefined : 'one-of';
  }
  return maySkip || /^(?:ShortCircuit|LatestOnly)Operator$|^@task\.short_circuit$/.test(operator)
    ? 'whether'
    : undefined;
}

/** Real operators of Airflow, which all do; a callable that only has a `task_id` may be anything. */
const isNamedOnly = (operator: string): boolean =>
  sqlOperators[operator] !== undefined ||
  transferOperators.has(operator) ||
  emptyOperators.has(operator) ||
  /^(?:Bash|Python)Operator$/.test(operator);

const argumentOf = ({ name, at, valueAt, value }: Keyword): Argument => ({ name, at, valueAt, value: symbolOf(value) });

function retriesOf(given: Keyword | undefined, { defaultRetries }: AirflowSettings): Sourced<number> | undefined {
  if (given !== undefined) return numberOf(given);
  return defaultRetries === undefined ? undefined : { value: defaultRetries, at: undefined };
}

/** How the operator sends its SQL; `unread`: what of it a run from here would not do in the same way. */
interface Sending {
  readonly session: TaskSession | undefined;
  readonly unread: string | undefined;
}

function sendingOf(
  task: TaskBuilder,
  operator: SqlOperator,
  connection: string | undefined,
  context: SqlContext,
): Sending | undefined {
  if (operator.schedulerOnly !== undefined || operator.checks === true) return undefined;
  const dialect = dialectOf(operator, connection, context.options);
  const session = operatorSession(task, dialect);
  if (session !== undefined && 'reason' in session) return { session: undefined, unread: session.reason };
  const parameters = driverParameters(task, dialect, templateExtensions(operator), context);
  return { session, unread: parameters !== undefined && 'reason' in parameters ? parameters.reason : undefined };
}

function executorOf(
  task: TaskBuilder,
  dag: DagBuilder,
  operator: SqlOperator | undefined,
  connection: string | undefined,
  sql: readonly TaskSql[],
  accesses: readonly TableAccess[],
  unread: readonly Unread[],
  sending: Sending | undefined,
): Executor {
  const airflow = (reason: string): Executor => ({ kind: 'airflow', reason });
  if (!task.named) return { kind: 'none', reason: 'its task_id is not known before the file runs' };
  if (task.mapped === 'values') return airflow('is mapped: Airflow makes a task of it for each value');
  if (emptyOperators.has(task.operator)) return airflow(`does nothing by itself (${task.operator})`);
  if (operator === undefined)
    return airflow(
      task.scripts.length > 0
        ? `has Spark run ${task.scripts.join(', ')}`
        : task.callable === undefined
          ? `${task.operator} runs in Airflow only`
          : 'runs Python code',
    );
  if (operator.checks === true) return airflow('only checks data and writes nothing');
  if (operator.schedulerOnly !== undefined) return airflow(operator.schedulerOnly);
  if (accesses.some(({ direction }) => direction === 'write')) return airflow('has its result written by the service');
  // Running it on a default connection instead could write to the wrong database.
  if (connection === undefined && connectionArgument(task, operator) !== undefined)
    return airflow('its connection is not known before it runs');
  if (sql.some(({ conditions = [] }) => conditions.length > 0))
    return airflow('which SQL it runs depends on a condition that is not known before it runs');
  if (unread.some(({ hides }) => hides === 'statement')) return airflow('its SQL is not known before it runs');
  if (sql.length === 0) return airflow('its SQL is not known before it runs');
  if (sending?.unread !== undefined) return airflow(sending.unread);
  const hole = sql.flatMap((text) => text.pythonHoles).find(({ origin }) => origin !== 'parameter');
  if (hole !== undefined) return airflow(`its SQL has a part that is not known before it runs: ${hole.source}`);
  const rendering = ownRendering(task, dag, sql);
  if (rendering !== undefined) return airflow(rendering);
  const database = sending?.session?.database?.value;
  return { kind: 'warehouse', connection, ...(database === undefined ? {} : { database }) };
}

/** `trigger_rule="all_done"` or `TriggerRule.ALL_DONE`. */
function triggerRuleOf(keyword: Keyword | undefined): Sourced<string> | undefined {
  if (keyword === undefined) return undefined;
  const text = plainText(keyword.value);
  const name =
    keyword.value.kind === 'external' ? keyword.value.name.slice(keyword.value.name.lastIndexOf('.') + 1) : undefined;
  const value = text ?? name?.toLowerCase();
  return value === undefined ? undefined : { value, at: keyword.at };
}

/** The constant part of a `params` dict as plain data; `Param(default)` gives its default. */
function plainDict(value: Value | undefined): Record<string, unknown> {
  const plain = value === undefined ? undefined : plainValue(value);
  return typeof plain === 'object' && plain !== null && !Array.isArray(plain) ? (plain as Record<string, unknown>) : {};
}

function plainValue(value: Value, depth = 0): unknown {
  if (depth > 10) return undefined;
  switch (value.kind) {
    case 'scalar':
      // Plain data has no whole number that is a float, and `2` divides otherwise than `2.0`.
      return value.isFloat === true ? undefined : value.value;
    case 'text':
      return value.holes.length === 0 ? value.mapped.text : undefined;
    case 'list': {
      const items = value.items.map((item) => plainValue(item, depth + 1));
      return value.open || items.includes(undefined) ? undefined : items;
    }
    case 'dict': {
      const entries: [string, unknown][] = [];
      for (const [key, entry] of value.entries) {
        const name = plainText(keyValue(key));
        const plain = plainValue(entry.value, depth + 1);
        if (name !== undefined && plain !== undefined) entries.push([name, plain]);
      }
      return Object.fromEntries(entries);
    }
    case 'instance': {
      if (!/(?:^|\.)Param$/.test(value.type)) return undefined;
      const preset = value.call.positional[0] ?? value.call.keywords.get('default')?.value;
      return preset === undefined ? undefined : plainValue(preset, depth + 1);
    }
    default:
      return undefined;
  }
}
