import type { Problem } from '../../../../text/span.ts';
import type { Edge, Pipeline, Task } from '../../../model/model.ts';
import type { Sourced } from '../../../model/sourced.ts';
import { stem } from '../../../python/library/paths.ts';
import type { ClockSite } from '../../../python/values/value.ts';
import { booleanOf, isNone, numberOf } from '../program/arguments.ts';
import { uniqueEdges } from '../program/edges.ts';
import { findCycle } from '../program/find-cycle.ts';
import { type CrossEdge, type DagBuilder, dagArgument, type Program, type TaskBuilder } from '../program/program.ts';
import type { AirflowSettings } from '../schedule/airflow-settings.ts';
import { withDeclaredTimes } from '../schedule/declared-dag.ts';
import { scheduleOf, timetableZone } from '../schedule/schedule.ts';
import { datesOf } from '../schedule/start-date.ts';
import { buildTask } from './build-task.ts';
import { clockCallsOf } from './clock-calls.ts';
import { joinWays } from './join-ways.ts';
import type { SqlContext } from './task-sql.ts';

/** A DAG of the file as a pipeline of the model. */
export function buildPipeline(
  dag: DagBuilder,
  program: Program,
  cross: readonly CrossEdge[],
  clockSites: readonly ClockSite[],
  settings: AirflowSettings,
  context: SqlContext,
  problems: Problem[],
): Pipeline {
  const { id, isStandIn } = dagId(dag, context.file, problems);
  const said = context.options.dags?.[id];
  const builders = program.tasks.filter((task) => task.dag === dag);
  const dates = datesOf(dag, builders, settings);
  problems.push(...dates.problems);
  const ownZone = dates.zone === settings.defaultZone ? (timetableZone(dag)?.zone ?? dates.zone) : dates.zone;
  const ownCatchup = catchupOf(dag, settings, problems);
  const written = scheduleOf(dag, ownZone, settings);
  const read: Pipeline['schedule'] =
    dates.noZone === undefined ? written : { ...written, value: { kind: 'unknown', reason: dates.noZone } };
  const ownAnchor = { startDate: dates.startDate, endDate: dates.endDate, catchup: ownCatchup.value };
  const { schedule, anchor, zone, catchup } = withDeclaredTimes(
    { schedule: read, anchor: ownAnchor, zone: ownZone, catchup: ownCatchup },
    said,
    settings,
  );
  if (schedule.value.kind === 'unknown')
    problems.push({
      message: `The schedule is not known: ${schedule.value.reason}. Its intervals cannot be computed.`,
      at: schedule.at ?? dag.made.at,
      severity: 'warning',
    });

  const own: SqlContext = schedule.value.kind === 'none' ? { ...context, conf: 'unknown' } : context;
  const given = said?.params;
  const kept = keepUnique(builders, id, problems);
  const tasks: Task[] = kept.map(({ builders: ways, id: taskId }) =>
    joinWays(
      ways.map((builder) => ({ builder, task: buildTask(builder, taskId, dag, given, own, settings, problems) })),
    ),
  );
  const ids = new Map(
    kept.flatMap(({ builders: ways, id: taskId }) => ways.map((builder) => [builder, taskId] as const)),
  );
  const edges: Edge[] = [];
  const joined = new Set<string>();
  for (const { from, to, at } of uniqueEdges(program.edges)) {
    const fromId = ids.get(from);
    const toId = ids.get(to);
    if (fromId === undefined || toId === undefined) continue;
    // Two branches may make one task, and lead to it from the same one.
    const pair = JSON.stringify([fromId, toId]);
    if (!joined.has(pair)) edges.push({ from: fromId, to: toId, at, kind: 'order' });
    joined.add(pair);
  }
  const cycle = findCycle(edges);
  if (cycle !== undefined) {
    const [first, second] = cycle;
    problems.push({
      message: `These tasks wait for each other: ${cycle.map((task) => task.slice(id.length + 1)).join(' → ')}. Airflow refuses such a DAG; remove one of these dependencies.`,
      at: edges.find((edge) => edge.from === first && edge.to === second)?.at,
      severity: 'error',
    });
  }
  for (const edge of cross) {
    const own = ids.get(edge.task);
    // A DAG that starts itself starts its next run: nothing of its own run waits for that.
    if (own === undefined || (edge.kind === 'trigger' && edge.otherDag === id)) continue;
    const other = edge.otherTask === undefined ? edge.otherDag : `${edge.otherDag}.${edge.otherTask}`;
    const shift = edge.shift === undefined ? {} : { shift: edge.shift };
    edges.push({
      ...(edge.kind === 'sensor' ? { from: other, to: own } : { from: own, to: other }),
      at: edge.at,
      kind: edge.kind,
      ...shift,
    });
  }
  return {
    id,
    ...(isStandIn ? { hasStandInId: true as const } : {}),
    format: 'airflow',
    file: context.file,
    at: dag.made.at,
    schedule,
    anchor,
    startDateAt: dates.startDateAt,
    zone,
    catchup,
    maxActiveRuns: numberOf(dagArgument(dag, 'max_active_runs')),
    airflowVersion: settings.version,
    ...(said?.variables === undefined && said?.params === undefined
      ? {}
      : { given: { variables: said.variables, params: said.params } }),
    tasks,
    edges,
    clockCalls: clockCallsOf(
      context.file,
      clockSites,
      dag,
      kept.flatMap(({ builders: ways, id: taskId }, index) =>
        ways.map((builder) => ({ builder, id: taskId, sql: tasks[index]?.sql ?? [] })),
      ),
    ),
  };
}

function catchupOf(dag: DagBuilder, { catchupByDefault }: AirflowSettings, problems: Problem[]): Sourced<boolean> {
  const given = dagArgument(dag, 'catchup');
  const known = booleanOf(given);
  if (known !== undefined) return known;
  if (given !== undefined && !isNone(given.value))
    problems.push({
      message: `Whether this DAG catches up is not known before the file runs; ${catchupByDefault ? 'yes' : 'no'}, the default, is taken.`,
      at: given.at,
      severity: 'info',
    });
  return { value: catchupByDefault, at: undefined };
}

function dagId(
  dag: DagBuilder,
  file: string,
  problems: Problem[],
): { readonly id: string; readonly isStandIn: boolean } {
  const given = dagArgument(dag, 'dag_id', 0);
  if (given?.value.kind === 'text' && given.value.holes.length === 0)
    return { id: given.value.mapped.text, isStandIn: false };
  if (given === undefined && dag.functionName !== undefined) return { id: dag.functionName, isStandIn: false };
  const id = given?.value.kind === 'text' ? given.value.mapped.text : stem(file);
  problems.push({
    message: `The dag_id is not known before the file runs; it is shown as ${JSON.stringify(id)}.`,
    at: given?.valueAt ?? dag.made.at,
    severity: 'info',
  });
  return { id, isStandIn: true };
}

/** A task of the DAG, as each branch of a condition makes it. */
interface KeptTask {
  readonly id: string;
  readonly builders: [TaskBuilder, ...TaskBuilder[]];
}

/** Tasks by id; a second one of the same name is left out, as Airflow refuses the DAG for it. */
function keepUnique(tasks: readonly TaskBuilder[], dagName: string, problems: Problem[]): readonly KeptTask[] {
  const kept = new Map<string, KeptTask>();
  for (const task of tasks) {
    const wanted = `${dagName}.${task.name}`;
    const first = kept.get(wanted);
    if (first !== undefined && task.named) {
      // Two branches of a condition that make the same task are one task.
      if (!task.certain || !first.builders[0].certain) first.builders.push(task);
      else
        problems.push({
          message: `The DAG ${dagName} already has a task ${JSON.stringify(task.name)}; Airflow refuses the second one. Give it another task_id.`,
          at: task.nameAt,
          severity: 'error',
        });
      continue;
    }
    const id = first === undefined ? wanted : freeId(wanted, kept);
    kept.set(id, { id, builders: [task] });
  }
  return [...kept.values()];
}

function freeId(id: string, taken: ReadonlyMap<string, unknown>): string {
  for (let number = 2; ; number++) if (!taken.has(`${id}__${number}`)) return `${id}__${number}`;
}
