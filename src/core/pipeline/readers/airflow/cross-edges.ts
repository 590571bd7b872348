import type { Problem } from '../../../text/span.ts';
import type { CalendarOffset } from '../../../time/calendar.ts';
import { plainText } from '../../python/text-value.ts';
import { listOf } from '../../python/value.ts';
import type { CrossEdge, Program, TaskBuilder } from './program.ts';
import { taskArgument } from './program.ts';

/** Edges to other DAGs: sensors that wait for them, operators that start them. */
export function crossEdges(program: Program, problems: Problem[]): CrossEdge[] {
  return program.tasks.flatMap((task) => {
    if (/^(?:ExternalTaskSensor|ExternalTaskSensorAsync)$/.test(task.operator)) return sensorEdges(task, problems);
    if (/^TriggerDagRunOperator$/.test(task.operator)) return triggerEdges(task);
    return [];
  });
}

function sensorEdges(task: TaskBuilder, problems: Problem[]): CrossEdge[] {
  const dag = taskArgument(task, 'external_dag_id');
  const otherDag = plainText(dag?.value);
  if (dag === undefined || otherDag === undefined) return [];
  const shift = sensorShift(task, problems);
  const single = taskArgument(task, 'external_task_id')?.value;
  const several = taskArgument(task, 'external_task_ids')?.value;
  const ids = (several?.kind === 'list' ? several : listOf(single === undefined ? [] : [single])).items.map((item) =>
    plainText(item),
  );
  const named = ids.filter((id) => id !== undefined);
  const edge = (otherTask: string | undefined): CrossEdge => ({
    kind: 'sensor',
    task,
    otherDag,
    otherTask,
    at: dag.at,
    shift,
  });
  return named.length === 0 ? [edge(undefined)] : named.map(edge);
}

/** The sensor looks for the run whose logical date is `execution_delta` earlier. */
function sensorShift(task: TaskBuilder, problems: Problem[]): CalendarOffset | undefined {
  const byFunction = taskArgument(task, 'execution_date_fn');
  if (byFunction !== undefined)
    problems.push({
      message: `Task ${task.name} computes the logical date that it waits for in Python; it is taken as the same logical date.`,
      at: byFunction.at,
      severity: 'info',
    });
  const delta = taskArgument(task, 'execution_delta')?.value;
  if (delta?.kind !== 'duration') return undefined;
  const { months, days, ms } = delta.offset;
  const negated = (value: number): number => (value === 0 ? 0 : -value);
  return { months: negated(months), days: negated(days), ms: negated(ms) };
}

function triggerEdges(task: TaskBuilder): CrossEdge[] {
  const dag = taskArgument(task, 'trigger_dag_id');
  const otherDag = plainText(dag?.value);
  return dag === undefined || otherDag === undefined
    ? []
    : [{ kind: 'trigger', task, otherDag, otherTask: undefined, at: dag.at, shift: undefined }];
}
