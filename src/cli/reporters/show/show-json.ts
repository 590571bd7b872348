import { sliceInWords, windowInWords } from '../../../core/lineage/facts/window-words.ts';
import { taskParents } from '../../../core/lineage/workspace/task-parents.ts';
import type { Task } from '../../../core/pipeline/model/model.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { scheduleInWords } from '../../../core/time/schedules/schedule-words.ts';
import { readingSummary } from '../../../core/view/words/reading-summary.ts';
import { sessionData } from '../../../core/view/words/session-words.ts';
import { rangeFinder } from '../check/findings-range.ts';
import { factsOf, type ShowReport } from './show-report.ts';

/** The JSON contract of `show`, version 1. */
export function showJson(report: ShowReport): string {
  const ranges = rangeFinder(report.text);
  const place = (at: SourceSpan | undefined) =>
    at === undefined ? null : { file: report.fileName(at.file), range: ranges.range(at) };
  const taskJson = (task: Task): object => {
    const { reads, writes, unknowns } = factsOf(report, task);
    const { after, ofEarlierRuns } = taskParents(report.facts, task.id);
    return {
      id: task.id,
      range: ranges.range(task.at),
      operator: task.operator,
      writeMode: writes[0]?.mode ?? null,
      reads: reads.map(({ table, window, provenance, at, snapshot }) => ({
        table,
        ...(snapshot && { insteadOf: snapshot.source }),
        column: window.kind === 'range' ? window.column : null,
        window: windowInWords(window),
        from: provenance,
        at: place(at),
      })),
      writes: writes.map(({ table, through, slice, mode, key, provenance, at }) => ({
        table,
        ...(through && { through: through.view }),
        column: slice.kind === 'range' ? slice.column : null,
        ...(slice.kind === 'range' && slice.cut?.kind === 'parts' && { columns: slice.cut.columns }),
        ...(slice.kind === 'range' && slice.cut?.kind === 'expression' && { expression: slice.cut.sql }),
        slice: sliceInWords(slice),
        mode,
        key,
        from: provenance,
        at: place(at),
      })),
      unknowns: unknowns.map(({ about, table, message, at }) => ({
        about,
        table: table ?? null,
        message,
        at: place(at),
      })),
      executor: task.executor.kind,
      ...(task.executor.kind !== 'warehouse' && { executorReason: task.executor.reason }),
      ...(sessionData(task) && { session: sessionData(task) }),
      ...(task.onlyInAirflow && { onlyInAirflow: true }),
      parents: after,
      ...(ofEarlierRuns.length > 0 && { readsEarlierRunsOf: ofEarlierRuns }),
    };
  };
  const pipelines = report.pipelines.map((pipeline) => ({
    id: pipeline.id,
    file: report.fileName(pipeline.file),
    format: pipeline.format,
    schedule: scheduleInWords(pipeline.schedule.value),
    timeZone: pipeline.zone,
    catchup: pipeline.catchup.value,
    ...(pipeline.airflow && { airflow: pipeline.airflow }),
    tasks: pipeline.tasks.map(taskJson),
  }));
  const problems = report.problems.map(({ severity, message, at }) => ({
    severity,
    message,
    ...(at && { file: report.fileName(at.file), range: ranges.range(at) }),
  }));
  return `${JSON.stringify({ version: 1, summary: readingSummary(report.pipelines, report.facts), pipelines, problems }, null, 2)}\n`;
}
