import type { Colors } from 'picocolors/types';
import type { ReadFact, WriteFact } from '../../../core/lineage/facts/facts.ts';
import { cutInWords } from '../../../core/lineage/facts/slice-cut.ts';
import { sliceInWords, windowInWords } from '../../../core/lineage/facts/window-words.ts';
import { taskParents } from '../../../core/lineage/workspace/task-parents.ts';
import type { Pipeline, Task } from '../../../core/pipeline/model/model.ts';
import type { SourceSpan } from '../../../core/text/span.ts';
import { scheduleInWords } from '../../../core/time/schedules/schedule-words.ts';
import { airflowInWords } from '../../../core/view/words/airflow-words.ts';
import { originInWords } from '../../../core/view/words/fact-origin.ts';
import { readingSummary, summaryInWords } from '../../../core/view/words/reading-summary.ts';
import { sessionInWords } from '../../../core/view/words/session-words.ts';
import { type RangeFinder, rangeFinder } from '../check/findings-range.ts';
import { factsOf, type ShowReport } from './show-report.ts';

/** The pipelines for people: each task with what it writes and reads, where that was said, and what nobody has said. */
export function showText(report: ShowReport, colors: Colors): string {
  if (report.pipelines.length === 0) return 'no pipelines were found\n';
  const ranges = rangeFinder(report.text);
  const pipelines = report.pipelines.map((pipeline) => pipelineText(report, pipeline, ranges, colors));
  const summary = readingSummary(report.pipelines, report.facts);
  const unknown = summary.tasks > summary.whole ? '; show --unknown says what to declare in backfill.yaml' : '';
  return `${pipelines.join('\n')}\n${summaryInWords(summary)}${unknown}\n`;
}

function pipelineText(report: ShowReport, pipeline: Pipeline, ranges: RangeFinder, colors: Colors): string {
  const { id, zone, catchup, maxActiveRuns } = pipeline;
  const { kind } = pipeline.schedule.value;
  const settings = [
    kind === 'none' ? 'no schedule' : scheduleInWords(pipeline.schedule.value),
    zone,
    ...(kind === 'cron' || kind === 'delta' ? [catchup.value ? 'catchup' : 'no catchup'] : []),
    ...(pipeline.airflow === undefined ? [] : [airflowInWords(pipeline.airflow)]),
    ...(maxActiveRuns ? [`at most ${maxActiveRuns.value} active runs`] : []),
  ];
  const head = `${colors.bold(id)}  ${settings.join(' · ')}  ${colors.dim(report.fileName(pipeline.file))}\n`;
  return head + pipeline.tasks.map((task) => taskText(report, task, ranges, colors)).join('');
}

/** `dags/shop.py:12` */
export const placeInWords = (report: ShowReport, ranges: RangeFinder, at: SourceSpan): string =>
  `${report.fileName(at.file)}:${ranges.range(at).start.line}`;

function taskText(report: ShowReport, task: Task, ranges: RangeFinder, colors: Colors): string {
  const { reads, writes, unknowns } = factsOf(report, task);
  const { executor } = task;
  const runs =
    executor.kind === 'warehouse'
      ? [`runs on ${executor.connection ?? 'the default connection'}`, ...sessionInWords(task)].join(', ')
      : `${executor.kind === 'airflow' ? 'left to Airflow' : 'not runnable'}: ${executor.reason}`;
  const origin = (fact: ReadFact | WriteFact): string => {
    const words = originInWords(fact, task);
    return fact.at === undefined ? words : `${words}, ${placeInWords(report, ranges, fact.at)}`;
  };
  const rows = [
    ...writes.map((write) => ['writes', write.table, writeInWords(write), origin(write)]),
    ...reads.map((read) => ['reads', read.table, readInWords(read), origin(read)]),
  ];
  const width = (column: number): number => Math.max(0, ...rows.map((row) => row[column]?.length ?? 0));
  const [tables, facts] = [width(1), width(2)];
  const { after, ofEarlierRuns } = taskParents(report.facts, task.id);
  const lines = [
    `  ${colors.cyan(task.name)}  ${colors.dim(`${task.operator}, ${runs}`)}`,
    ...rows.map(
      ([what = '', table = '', how = '', from = '']) =>
        `    ${what.padEnd(6)} ${table.padEnd(tables)}  ${how.padEnd(facts)}  ${colors.dim(`from ${from}`)}`,
    ),
    ...(after.length > 0 ? [`    after  ${after.join(', ')}`] : []),
    ...(ofEarlierRuns.length > 0
      ? [`    before ${ofEarlierRuns.join(', ')}, but reads what earlier runs wrote there`]
      : []),
    ...unknowns.map(({ message, at }) => {
      const place = at === undefined ? '' : `  ${colors.dim(placeInWords(report, ranges, at))}`;
      return `    ${colors.yellow('unknown')} ${message}${place}`;
    }),
  ];
  return `${lines.join('\n')}\n`;
}

function writeInWords({ mode, slice, key, through }: WriteFact): string {
  const rows = `${slice.kind === 'range' ? `${cutInWords(slice)} in ` : ''}${sliceInWords(slice)}`;
  return `${mode}  ${rows}${key.length > 0 ? `  key ${key.join(', ')}` : ''}${through === undefined ? '' : `  through the view ${through.view}`}`;
}

const readInWords = ({ window }: ReadFact): string =>
  `${window.kind === 'range' && window.column !== '' ? `${window.column} in ` : ''}${windowInWords(window)}`;
