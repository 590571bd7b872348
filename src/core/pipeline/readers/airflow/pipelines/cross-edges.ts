import type { SymbolicValue } from '../../../../template/names/symbolic-value.ts';
import type { Problem, SourceSpan } from '../../../../text/span.ts';
import type { CalendarOffset } from '../../../../time/zones/calendar.ts';
import { emptyCall } from '../../../python/calls/call.ts';
import { parametersOf } from '../../../python/evaluate/parameters.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { FunctionValue, Interpreter, Keyword, Value } from '../../../python/values/value.ts';
import { contextObject, contextParameter } from '../declare/context-values.ts';
import { isNone } from '../program/arguments.ts';
import { type CrossEdge, type Program, type TaskBuilder, taskArgument } from '../program/program.ts';
import { renderedValue } from '../templates/rendered-value.ts';

/** Edges to other DAGs: sensors that wait for them, operators that start them. */
export function crossEdges(program: Program, run: Interpreter, problems: Problem[]): CrossEdge[] {
  return program.tasks.flatMap((task) => {
    if (/^ExternalTaskSensor(?:Async)?$/.test(task.operator)) return sensorEdges(task, run, problems);
    return task.operator === 'TriggerDagRunOperator' ? triggerEdges(task, problems) : [];
  });
}

function sensorEdges(task: TaskBuilder, run: Interpreter, problems: Problem[]): CrossEdge[] {
  const dag = taskArgument(task, 'external_dag_id');
  const otherDag = nameOf(dag, 'waits for', task, problems);
  if (dag === undefined || otherDag === undefined) return [];
  const names = namesOf(taskArgument(task, 'external_task_ids')) ?? namesOf(taskArgument(task, 'external_task_id'));
  const group = namesOf(taskArgument(task, 'external_task_group_id'));
  // A name that is not known may be any task of the DAG.
  const others = group ?? names ?? [undefined];
  return others.flatMap((otherTask) =>
    sensorShifts(task, run, problems).map(
      (shift): CrossEdge => ({ kind: 'sensor', task, otherDag, otherTask, at: dag.at, shift }),
    ),
  );
}

function namesOf(given: Keyword | undefined): readonly (string | undefined)[] | undefined {
  if (given === undefined || isNone(given.value)) return undefined;
  const values = given.value.kind === 'list' ? given.value.items : [given.value];
  const names = values.map(templateless);
  return names.length === 0 || names.includes(undefined) ? [undefined] : names;
}

const templateless = (value: Value): string | undefined => {
  const text = plainText(value);
  return text?.includes('{{') ? undefined : text;
};

function nameOf(given: Keyword | undefined, does: string, task: TaskBuilder, problems: Problem[]): string | undefined {
  const name = given && templateless(given.value);
  if (given !== undefined && name === undefined)
    problems.push({
      message: `Which DAG task ${task.name} ${does} is not known before it runs, so the two are not joined.`,
      at: given.at,
      severity: 'info',
    });
  return name;
}

/**
 * How far the logical dates that a sensor looks for are from its own: `execution_delta` earlier, or what
 * `execution_date_fn` computes, which may be several. Airflow gives the function the logical date first and all names
 * of the context by keyword.
 */
function sensorShifts(
  task: TaskBuilder,
  run: Interpreter,
  problems: Problem[],
): readonly (CalendarOffset | undefined)[] {
  const delta = taskArgument(task, 'execution_delta');
  if (delta !== undefined && !isNone(delta.value)) {
    if (delta.value.kind === 'duration') return [negated(delta.value.offset)];
    return unknownShift(task, delta.at, problems);
  }
  const computed = taskArgument(task, 'execution_date_fn');
  if (computed === undefined || isNone(computed.value)) return [undefined];
  const result = computed.value.kind === 'function' ? callWithDate(computed.value, computed.at, run) : undefined;
  const dates = result?.kind === 'list' && !result.open ? result.items : result === undefined ? [] : [result];
  const shifts = dates.map((date) => (date.kind === 'symbol' ? shiftOf(date.symbol) : undefined));
  return shifts.length > 0 && shifts.every((shift) => shift !== undefined)
    ? shifts.map((shift) => (isZero(shift) ? undefined : shift))
    : unknownShift(task, computed.at, problems);
}

function unknownShift(task: TaskBuilder, at: SourceSpan, problems: Problem[]): readonly undefined[] {
  problems.push({
    message: `Which logical date task ${task.name} waits for is not known before it runs; it is taken as its own.`,
    at,
    severity: 'info',
  });
  return [undefined];
}

function callWithDate(callee: FunctionValue, at: SourceSpan, run: Interpreter): Value | undefined {
  const date = contextParameter('logical_date');
  if (date === undefined) return undefined;
  const preset = new Map<string, Value>([['**', contextObject()]]);
  for (const { name } of parametersOf(callee.node, callee.frame)) {
    const value = contextParameter(name) ?? (name === 'context' ? contextObject() : undefined);
    if (value !== undefined) preset.set(name, value);
  }
  return run.callFunction(callee, emptyCall(at, callee.name, [date]), preset);
}

/** A time that is the logical date moved by a fixed distance. */
function shiftOf(symbol: SymbolicValue): CalendarOffset | undefined {
  if (symbol.kind !== 'time' || symbol.time.anchor !== 'start') return undefined;
  if (symbol.form !== 'datetime' && symbol.form !== 'timestamp') return undefined;
  let sum: CalendarOffset = { months: 0, days: 0, ms: 0 };
  for (const step of symbol.time.steps) {
    if (step.kind !== 'shift' || step.zone !== 'UTC') return undefined;
    const { months, days, ms } = step.offset;
    sum = { months: sum.months + months, days: sum.days + days, ms: sum.ms + ms };
  }
  return sum;
}

/** `{{ ds }}`: the day of the logical date, which is the date itself on a daily grid. */
const isDayOf = (date: Value): boolean =>
  date.kind === 'symbol' &&
  date.symbol.kind === 'time' &&
  date.symbol.time.anchor === 'start' &&
  date.symbol.time.steps.every(({ kind }) => kind === 'floor');

const isZero = ({ months, days, ms }: CalendarOffset): boolean => months === 0 && days === 0 && ms === 0;

function negated({ months, days, ms }: CalendarOffset): CalendarOffset {
  const minus = (value: number): number => (value === 0 ? 0 : -value);
  return { months: minus(months), days: minus(days), ms: minus(ms) };
}

/**
 * The run that is started has the logical date that it is given (`logical_date`, in Airflow 2 also `execution_date`).
 * Without one it has the moment of the start, which no file tells: the edge then joins equal dates, as a backfill of both
 * DAGs would have them.
 */
function triggerEdges(task: TaskBuilder, problems: Problem[]): CrossEdge[] {
  const dag = taskArgument(task, 'trigger_dag_id');
  const otherDag = nameOf(dag, 'starts', task, problems);
  if (dag === undefined || otherDag === undefined) return [];
  const given = taskArgument(task, 'logical_date') ?? taskArgument(task, 'execution_date');
  const date = given && renderedValue(given.value);
  const forward = date?.kind === 'symbol' ? shiftOf(date.symbol) : undefined;
  if (given !== undefined && date !== undefined && forward === undefined && !isNone(date) && !isDayOf(date))
    problems.push({
      message: `Which logical date the DAG gets that task ${task.name} starts is not known before it runs; it is taken as the task's own.`,
      at: given.at,
      severity: 'info',
    });
  const shift = forward === undefined || isZero(forward) ? undefined : negated(forward);
  return [{ kind: 'trigger', task, otherDag, otherTask: undefined, at: dag.at, shift }];
}
