import { sliceInWords, windowInWords } from '../../core/lineage/window-words.ts';
import type { Task } from '../../core/pipeline/model.ts';
import { rangeFinder } from './findings-range.ts';
import { factsOf, parentsOf, type ShowReport, scheduleInWords } from './show-report.ts';

/** The JSON contract of `show`, version 1. */
export function showJson(report: ShowReport): string {
  const ranges = rangeFinder(report.text);
  const taskJson = (task: Task): object => {
    const { reads, writes } = factsOf(report, task);
    return {
      id: task.id,
      range: ranges.range(task.at),
      operator: task.operator,
      writeMode: writes[0]?.mode ?? null,
      reads: reads.map(({ table, window }) => ({
        table,
        column: window.kind === 'range' ? window.column : null,
        window: windowInWords(window),
      })),
      writes: writes.map(({ table, slice, mode, key }) => ({
        table,
        column: slice.kind === 'range' ? slice.column : null,
        slice: sliceInWords(slice),
        mode,
        key,
      })),
      executor: task.executor.kind,
      ...(task.executor.kind !== 'warehouse' && { executorReason: task.executor.reason }),
      parents: parentsOf(report, task),
    };
  };
  const pipelines = report.pipelines.map((pipeline) => ({
    id: pipeline.id,
    file: report.fileName(pipeline.file),
    format: pipeline.format,
    schedule: scheduleInWords(pipeline.schedule.value),
    timeZone: pipeline.zone,
    catchup: pipeline.catchup.value,
    tasks: pipeline.tasks.map(taskJson),
  }));
  const problems = report.problems.map(({ severity, message, at }) => ({
    severity,
    message,
    ...(at && { file: report.fileName(at.file), range: ranges.range(at) }),
  }));
  return `${JSON.stringify({ version: 1, pipelines, problems }, null, 2)}\n`;
}
