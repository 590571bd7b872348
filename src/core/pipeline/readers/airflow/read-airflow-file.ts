import type { Problem, Span } from '../../../text/span.ts';
import type { ClockCall, FileReading, FileSet, Pipeline } from '../../model/model.ts';
import type { ReaderOptions } from '../../model/reader-options.ts';
import type { TaskSqlMaker } from '../../model/task-sql-maker.ts';
import { FollowedFile } from '../../python/interpreter.ts';
import type { ModuleShelf } from '../../python/shared-modules.ts';
import type { SyntaxTree } from '../../python/syntax/syntax-tree.ts';
import { airflowHost } from './declare/airflow-host.ts';
import { followCallables } from './declare/follow-callables.ts';
import { followJobs } from './jobs/follow-jobs.ts';
import { failingImport, refusedArgument } from './load-problems.ts';
import { buildPipeline } from './pipelines/build-pipeline.ts';
import { crossEdges } from './pipelines/cross-edges.ts';
import { spreadDags } from './program/edges.ts';
import { newProgram } from './program/program.ts';
import type { AirflowSettings } from './schedule/airflow-settings.ts';
import { zoneProblems } from './schedule/zone-problems.ts';

/** Airflow's own test for files that are worth parsing, as its version 3 has it. */
export const mayBeDagFile = (text: string): boolean => /airflow/i.test(text) && /dag|asset/i.test(text);

/** The DAGs of one Python file. Never throws: what is not understood is missing, with a problem that says where. */
export function readAirflowFile(
  file: string,
  text: string,
  files: FileSet,
  parse: (file: string, text: string) => SyntaxTree,
  settings: AirflowSettings,
  options: ReaderOptions,
  makeTaskSql: TaskSqlMaker,
  shelf?: ModuleShelf,
): Omit<FileReading, 'dependsOn'> {
  const tree = parse(file, text);
  const problems: Problem[] = [];
  if (tree.firstError !== undefined)
    problems.push({
      message: 'This is not valid Python; what stands around it was read as far as it could be understood.',
      at: { file, ...firstLine(text, tree.firstError) },
      severity: 'error',
    });
  const program = newProgram(file);
  const run = new FollowedFile(files, airflowHost(program), parse, options.parseYaml, shelf);
  program.variables = options.variables ?? {};
  program.environment = options.environment ?? {};
  program.searchPathOf = (id) => options.dags?.[id]?.templateSearchPath;
  program.isCertain = () => run.uncertainty === 0;
  program.conditions = () => run.path;
  program.isRepeated = () => run.loops > 0;
  run.execute(file, text, tree);
  followCallables(program, run);
  const clocks = [...run.clockSites, ...followJobs(program, { files, parse, options })];
  spreadDags(program.edges);
  problems.push(...program.problems, ...zoneProblems(run.unknownZones));
  for (const { name, at, called } of program.dagFunctions)
    if (!called && at.file === file)
      problems.push({
        message: `The DAG function ${name} is never called in this file, so Airflow does not see the DAG. Call ${name}() at the end.`,
        at,
        severity: 'info',
      });
  if (run.exhausted)
    problems.push({
      message: run.exhaustedTogether
        ? 'This file and the modules that it imports are too large to follow to their end; the tasks found so far are shown, and what their Python does as far as it was followed.'
        : 'This file is too large to follow to its end; the tasks found so far are shown.',
      at: { file, start: 0, end: 0 },
      severity: 'warning',
    });
  for (const module of run.cutOff)
    problems.push({
      message: 'This module is too large to follow to its end; DAG files know of it what stands before that.',
      at: { file: module, start: 0, end: 0 },
      severity: 'warning',
    });
  const context = { file, files, options, makeTaskSql, written: program.written };
  const cross = crossEdges(program, run, problems);
  const failing = failingImport(file, text, tree, settings);
  const built = program.dags.map((dag) => {
    const refused = failing ?? refusedArgument(dag, settings);
    if (refused !== undefined) problems.push(refused.problem);
    const pipeline = buildPipeline(dag, program, cross, clocks, settings, context, problems);
    return refused === undefined ? pipeline : { ...pipeline, unloadable: refused.reason };
  });
  const pipelines = sayUnusedClocksOnce(built);
  return { file, pipelines, problems: problems.filter(isFirst) };
}

/** A broken stretch often goes on to the end of the file; its first line is where to look. */
function firstLine(text: string, span: Span): Span {
  const lineEnd = span.start + (/^[^\r\n]*/.exec(text.slice(span.start, span.end))?.[0].length ?? 0);
  return { start: span.start, end: Math.min(span.end, lineEnd) };
}

/** A clock call that no DAG of the file uses is kept with the first one only. */
function sayUnusedClocksOnce(pipelines: readonly Pipeline[]): readonly Pipeline[] {
  const placeOf = (call: ClockCall): string => `${call.at.file} ${call.at.start}`;
  const used = new Set(
    pipelines.flatMap(({ clockCalls }) => clockCalls.filter((call) => call.flowsInto !== 'none').map(placeOf)),
  );
  return pipelines.map((pipeline, index) => ({
    ...pipeline,
    clockCalls: pipeline.clockCalls.filter(
      (call) => call.flowsInto !== 'none' || (index === 0 && !used.has(placeOf(call))),
    ),
  }));
}

/** Loops and several DAGs in one file say the same thing of one place only once. */
function isFirst(problem: Problem, index: number, all: readonly Problem[]): boolean {
  return (
    all.findIndex(
      (other) =>
        other.message === problem.message &&
        other.at?.file === problem.at?.file &&
        other.at?.start === problem.at?.start,
    ) === index
  );
}
