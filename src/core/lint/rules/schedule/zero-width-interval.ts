import type { LintContext } from '../../context/lint-context.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { timesUsed } from '../../reruns/times-used.ts';
import type { TaskView } from '../../source/statement-view.ts';

/** Every run replaces its slice by nothing, because the interval begins where it ends. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    const schedule = task.pipeline.schedule.value;
    if ((schedule.kind !== 'cron' && schedule.kind !== 'delta') || schedule.intervals !== 'zero-width') continue;
    const uses = timesUsed(context, task).filter(({ source }) => bound.test(source));
    const [first] = uses;
    // The start alone is the logical date, which such a run has.
    if (first === undefined || !uses.some(({ source }) => /\bdata_interval_end\b/.test(source))) continue;
    const fix = timetableFix(context, task);
    yield {
      at: first.at,
      message: `Under the default timetable of Airflow 3 this schedule gives runs whose interval is empty (start = end), so a range between these bounds holds no rows.`,
      subject: `${task.task.id} interval`,
      related: uses.slice(1).map(({ at }) => ({ message: 'the bounds again', at })),
      fixes: fix ? [fix] : [],
    };
  }
}

const bound = /\bdata_interval_(?:start|end)\b/;

/** Names the timetable that has intervals, with its import; only where the schedule is a plain string of the file. */
function timetableFix(context: LintContext, { pipeline }: TaskView): Fix | undefined {
  const { value, at } = pipeline.schedule;
  if (at === undefined || value.kind !== 'cron' || !at.file.endsWith('.py')) return undefined;
  const text = context.text(at.file);
  const written = text?.slice(at.start, at.end) ?? '';
  const argument = /^(?:(schedule(?:_interval)?)(\s*=\s*))?(["'])([^"'\\\n]*)\3$/.exec(written);
  if (text === undefined || argument?.[4] !== value.expression) return undefined;
  const importAt = /^(?=(?:from|import) airflow\b)/m.exec(text)?.index;
  if (importAt === undefined) return undefined;
  const quote = argument[3] ?? '"';
  const prefix = argument[1] === undefined ? '' : `schedule${argument[2] ?? '='}`;
  const eol = text.includes('\r\n') ? '\r\n' : '\n';
  const importLine = 'from airflow.timetables.interval import CronDataIntervalTimetable';
  const edits = [
    {
      ...at,
      newText: `${prefix}CronDataIntervalTimetable(${quote}${value.expression}${quote}, timezone=${quote}${value.zone}${quote})`,
    },
    ...(text.includes(importLine)
      ? []
      : [{ file: at.file, start: importAt, end: importAt, newText: `${importLine}${eol}` }]),
  ];
  return { title: 'Name the timetable that has data intervals', edits, preferred: true };
}

export default {
  id: 'zero-width-interval',
  severity: 'error',
  summary: 'Interval bounds under a timetable whose intervals are empty',
  help: 'Use `CronDataIntervalTimetable(…)` (or `DeltaDataIntervalTimetable`) as the schedule.',
  supersedes: [],
  check,
} satisfies Rule;
