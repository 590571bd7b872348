import type { Colors } from 'picocolors/types';
import { sliceInWords, windowInWords } from '../../core/lineage/window-words.ts';
import type { Pipeline, Task } from '../../core/pipeline/model.ts';
import { factsOf, parentsOf, type ShowReport, scheduleInWords } from './show-report.ts';

/** The pipelines for people: each task with what it writes and reads, in words. */
export function showText(report: ShowReport, colors: Colors): string {
  if (report.pipelines.length === 0) return 'no pipelines were found\n';
  return report.pipelines.map((pipeline) => pipelineText(report, pipeline, colors)).join('\n');
}

function pipelineText(report: ShowReport, pipeline: Pipeline, colors: Colors): string {
  const { id, zone, catchup, maxActiveRuns } = pipeline;
  const { kind } = pipeline.schedule.value;
  const settings = [
    kind === 'none' ? 'no schedule' : scheduleInWords(pipeline.schedule.value),
    zone,
    ...(kind === 'cron' || kind === 'delta' ? [catchup.value ? 'catchup' : 'no catchup'] : []),
    ...(maxActiveRuns ? [`at most ${maxActiveRuns.value} active runs`] : []),
  ];
  const head = `${colors.bold(id)}  ${settings.join(' · ')}  ${colors.dim(report.fileName(pipeline.file))}\n`;
  return head + pipeline.tasks.map((task) => taskText(report, task, colors)).join('');
}

function taskText(report: ShowReport, task: Task, colors: Colors): string {
  const { reads, writes } = factsOf(report, task);
  const { executor } = task;
  const runs =
    executor.kind === 'warehouse'
      ? `runs on ${executor.connection ?? 'the default connection'}`
      : `${executor.kind === 'airflow' ? 'left to Airflow' : 'not runnable'}: ${executor.reason}`;
  const rows = [
    ...writes.map(({ table, slice, mode }) => [
      'writes',
      table,
      `${mode}  ${slice.kind === 'range' ? `${slice.column} in ` : ''}${sliceInWords(slice)}`,
    ]),
    ...reads.map(({ table, window }) => [
      'reads',
      table,
      `${window.kind === 'range' ? `${window.column} in ` : ''}${windowInWords(window)}`,
    ]),
  ];
  const parents = parentsOf(report, task);
  const width = Math.max(0, ...rows.map(([, table = '']) => table.length));
  const lines = [
    `  ${colors.cyan(task.name)}  ${colors.dim(`${task.operator}, ${runs}`)}`,
    ...rows.map(([what = '', table = '', how = '']) => `    ${what.padEnd(6)} ${table.padEnd(width)}  ${how}`),
    ...(parents.length > 0 ? [`    after  ${parents.join(', ')}`] : []),
  ];
  return `${lines.join('\n')}\n`;
}
