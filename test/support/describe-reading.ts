import type { Edge, FileReading, Pipeline, Task } from '../../src/core/pipeline/model/model.ts';
import type { TableAccess } from '../../src/core/pipeline/model/table-access.ts';
import type { WorkspaceReading } from '../../src/core/pipeline/model/workspace-reading.ts';
import type { SymbolicValue } from '../../src/core/template/names/symbolic-value.ts';
import { lineIndex } from '../../src/core/text/line-index.ts';
import { locate } from '../../src/core/text/mapped-text.ts';
import type { SourceSpan } from '../../src/core/text/span.ts';
import { cronText, type IntervalShape, type Schedule } from '../../src/core/time/schedules/schedule.ts';
import type { CalendarOffset } from '../../src/core/time/zones/calendar.ts';

/** A reading as compact text, for golden files: everything that other parts of the product rely on, with places. */
export function describeReading(reading: WorkspaceReading): string {
  const place = (span: SourceSpan | undefined): string => {
    if (span === undefined) return '-';
    const text = reading.text(span.file);
    if (text === undefined) return `${span.file}:?`;
    const index = lineIndex(text);
    const start = index.position(span.start);
    const words = text.slice(span.start, span.end).replace(/\s+/g, ' ');
    return `${span.file}:${start.line}:${start.column} «${words.length > 50 ? `${words.slice(0, 35)} … ${words.slice(-10)}` : words}»`;
  };
  const lines: string[] = [];
  for (const file of reading.files) {
    lines.push(`file ${file.file}${file.dependsOn.length > 0 ? ` uses ${file.dependsOn.join(', ')}` : ''}`);
    for (const pipeline of file.pipelines) lines.push(...describePipeline(pipeline, place).map((line) => `  ${line}`));
    for (const line of describeProblems(file, place)) lines.push(`  ${line}`);
  }
  return `${lines.join('\n')}\n`;
}

type Place = (span: SourceSpan | undefined) => string;

function describePipeline(pipeline: Pipeline, place: Place): string[] {
  const { anchor } = pipeline;
  const date = (at: number | undefined): string => (at === undefined ? '-' : new Date(at).toISOString());
  return [
    `pipeline ${pipeline.id} (${pipeline.format}, Airflow ${pipeline.airflowVersion}, ${pipeline.zone}) at ${place(pipeline.at)}`,
    `  schedule ${describeSchedule(pipeline.schedule.value)} at ${place(pipeline.schedule.at)}`,
    `  from ${date(anchor.startDate)} to ${date(anchor.endDate)} at ${place(pipeline.startDateAt)}`,
    `  catchup ${pipeline.catchup.value} at ${place(pipeline.catchup.at)}${pipeline.maxActiveRuns ? `, max_active_runs ${pipeline.maxActiveRuns.value} at ${place(pipeline.maxActiveRuns.at)}` : ''}`,
    ...pipeline.tasks.flatMap((task) => describeTask(task, place).map((line) => `  ${line}`)),
    ...pipeline.edges.map((edge) => `  ${describeEdge(edge)} at ${place(edge.at)}`),
    ...pipeline.clockCalls.map(
      (call) =>
        `  clock ${call.name} into ${call.flowsInto}${call.task ? ` of ${call.task}` : ''} at ${place(call.at)}`,
    ),
  ];
}

const describeEdge = ({ kind, from, to, shift }: Edge): string =>
  `${kind} ${from} → ${to}${shift === undefined ? '' : ` shifted by ${describeOffset(shift)}`}`;

function describeSchedule(schedule: Schedule): string {
  switch (schedule.kind) {
    case 'cron':
      return `cron ${cronText(schedule)} in ${schedule.zone}, ${describeIntervals(schedule.intervals)}`;
    case 'delta':
      return `every ${describeOffset(schedule.step)} in ${schedule.zone}, ${describeIntervals(schedule.intervals)}`;
    case 'assets':
      return `assets ${schedule.assets.join(', ')}`;
    case 'unknown':
      return `unknown: ${schedule.reason}`;
    default:
      return schedule.kind;
  }
}

const describeIntervals = (shape: IntervalShape): string =>
  typeof shape === 'string' ? shape : `${shape.before} ms before the tick`;

const describeOffset = ({ months, days, ms }: CalendarOffset): string => `${months} months ${days} days ${ms} ms`;

function describeTask(task: Task, place: Place): string[] {
  const settings = [
    task.retries && `retries ${task.retries.value} at ${place(task.retries.at)}`,
    task.triggerRule && `trigger_rule ${task.triggerRule.value}`,
    task.autocommit && `autocommit ${task.autocommit.value}`,
    task.splitStatements && `split_statements ${task.splitStatements.value}`,
    task.dependsOnPast && 'depends_on_past',
    Object.keys(task.params).length > 0 && `params ${JSON.stringify(task.params)}`,
  ].filter((setting) => typeof setting === 'string');
  const executor =
    task.executor.kind === 'warehouse'
      ? `warehouse ${task.executor.connection ?? '-'}`
      : `${task.executor.kind}: ${task.executor.reason}`;
  return [
    `task ${task.id} ${task.operator} (${executor}) named at ${place(task.nameAt)}`,
    ...settings.map((setting) => `  ${setting}`),
    ...task.arguments.map((argument) => `  argument ${argument.name} = ${describeValue(argument.value)}`),
    ...task.sql.flatMap((sql) => [
      `  sql ${sql.origin}, ${sql.dialect}${sql.session === undefined ? '' : `, session ${sql.session}`}`,
      ...sql.reading.statements.map(
        (statement) =>
          `    ${statement.kind} ${statement.target?.name ?? '-'} at ${place(locate(sql.source, statement.head))}`,
      ),
      ...sql.masked.holes.map(
        (hole) =>
          `    hole ${hole.origin} ${hole.source} = ${describeValue(hole.value)} at ${place(locate(sql.source, hole))}`,
      ),
    ]),
    ...task.accesses.map((access) => `  ${describeAccess(access, place)}`),
    ...task.inlets.map(({ value, at }) => `  inlet ${value} at ${place(at)}`),
    ...task.outlets.map(({ value, at }) => `  outlet ${value} at ${place(at)}`),
    ...task.unread.map(({ hides, reason, at }) => `  unread ${hides}: ${reason} at ${place(at)}`),
  ];
}

function describeAccess(
  { direction, table, by, mode, partition, key, at, session }: TableAccess,
  place: Place,
): string {
  const parts = [
    `${direction} ${describeValue(table.value)} by ${by}`,
    mode && `${mode.value}${mode.at === undefined ? ' by default' : ` at ${place(mode.at)}`}`,
    partition && `partition ${describeValue(partition.value)}`,
    key.length > 0 && `key ${key.join(', ')}`,
    session !== undefined && `session ${session}`,
    `at ${place(at)}`,
  ];
  return parts.filter((part) => typeof part === 'string').join(', ');
}

function describeValue(value: SymbolicValue): string {
  switch (value.kind) {
    case 'time': {
      const steps = value.time.steps.map((step) =>
        step.kind === 'floor'
          ? ` floor ${step.unit} ${step.zone}`
          : step.kind === 'wall'
            ? ` wall ${step.from} ${step.zone}`
            : ` shift ${describeOffset(step.offset)}`,
      );
      return `${value.time.anchor}${steps.join('')} as ${JSON.stringify(value.form)}`;
    }
    case 'literal':
      return JSON.stringify(value.value);
    case 'clock':
      return `clock ${value.name}`;
    case 'parameter':
      return `${value.source} ${value.name}`;
    case 'state':
      return `state ${value.name}`;
    case 'unknown':
      return `unknown (${value.reason})`;
  }
}

const describeProblems = (file: FileReading, place: Place): string[] =>
  file.problems.map(({ severity, message, at }) => `${severity}: ${message} at ${place(at)}`);
