import type { Problem } from '../../../../text/span.ts';
import type { FileReading, FileSet, Pipeline } from '../../../model/model.ts';
import { renamePipeline } from '../../../model/rename-pipeline.ts';
import type { FileAnswer, SerializedDag } from './airflow-answer.ts';
import { correctPipeline } from './correct-pipeline.ts';
import { loadProblems } from './load-problems.ts';
import { unreadPipeline } from './unread-pipeline.ts';

/** Whether the files are still those that Airflow was asked about. */
export const answerStands = ({ texts }: FileAnswer, files: FileSet): boolean =>
  [...texts].every(([path, text]) => files.read(path) === text);

/**
 * A file as it was read, confirmed or corrected by what a real Airflow made of it; every difference is a problem with
 * its place. What Airflow could not load stays as it was read.
 */
export function applyAnswer(reading: FileReading, answer: FileAnswer, text: string): FileReading {
  const { file } = reading;
  const { version, dags, errors } = answer;
  const problems: Problem[] = [...reading.problems, ...loadProblems(file, text, version, errors)];
  const pairs = pairUp(reading.pipelines, dags);
  const settled = new Set<string>();
  const pipelines: Pipeline[] = pairs.map(({ pipeline, dag }) => {
    if (pipeline === undefined) {
      problems.push({
        message: `Airflow ${version} makes the DAG ${JSON.stringify(dag.id)} of this file; it cannot be told from the text alone, so only its tasks, their order and its schedule are known.`,
        at: firstLine(file, text),
        severity: 'info',
      });
      return unreadPipeline(dag, version, firstLine(file, text));
    }
    if (dag === undefined) {
      if (errors.length === 0)
        problems.push({
          message: `Airflow ${version} makes no DAG ${JSON.stringify(pipeline.id)} of this file; it is shown as it was read.`,
          at: pipeline.at,
          severity: 'warning',
        });
      return pipeline;
    }
    const corrected = correctPipeline(pipeline, dag, version);
    problems.push(...corrected.problems);
    for (const place of corrected.settled) settled.add(`${place.file} ${place.start}`);
    return corrected.pipeline;
  });
  const isSettled = ({ at, severity }: Problem): boolean =>
    severity !== 'error' && at !== undefined && settled.has(`${at.file} ${at.start}`);
  const open = problems.filter((problem) => !reading.problems.includes(problem) || !isSettled(problem));
  return { ...reading, pipelines, problems: open };
}

type Pair =
  | { readonly pipeline: Pipeline; readonly dag: SerializedDag | undefined }
  | { readonly pipeline: undefined; readonly dag: SerializedDag };

/** By id; the one that is left on both sides is one DAG whose id only the run knows. */
function pairUp(pipelines: readonly Pipeline[], dags: readonly SerializedDag[]): readonly Pair[] {
  const byId = new Map(dags.map((dag) => [dag.id, dag]));
  const own = new Set(pipelines.map(({ id }) => id));
  const left = dags.filter(({ id }) => !own.has(id));
  const unnamed = pipelines.filter(({ id }) => !byId.has(id));
  const [dag] = left;
  if (dag !== undefined && left.length === 1 && unnamed.length === 1)
    return pipelines.map((pipeline) => {
      const found = byId.get(pipeline.id);
      return found === undefined ? { pipeline: renamePipeline(pipeline, dag.id), dag } : { pipeline, dag: found };
    });
  return [
    ...pipelines.map((pipeline) => ({ pipeline, dag: byId.get(pipeline.id) })),
    ...left.map((found) => ({ pipeline: undefined, dag: found })),
  ];
}

const firstLine = (file: string, text: string) => ({ file, start: 0, end: /^[^\r\n]*/.exec(text)?.[0].length ?? 0 });
