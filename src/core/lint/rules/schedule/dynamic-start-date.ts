import type { ClockCall, Pipeline, Task } from '../../../pipeline/model/model.ts';
import type { SourceSpan } from '../../../text/span.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';

/** A second run has no fixed interval to be of: start_date is another at each parse. */
function* check(context: LintContext): Generator<RuleFinding> {
  const { pipeline } = context;
  for (const call of pipeline.clockCalls) {
    if (call.flowsInto !== 'start-date' || isEndDate(context, call.at)) continue;
    const placed = isPlaced(pipeline);
    const past = isPast(context, call);
    yield {
      at: call.at,
      severity: placed ? 'error' : 'warning',
      message: !placed
        ? `start_date moves with the clock at every parse, so a run of "${pipeline.id}" for an earlier date has no tasks.`
        : past
          ? `start_date moves with the clock at every parse: each day the oldest interval of "${pipeline.id}" falls out of its range, and a rerun of it then has no tasks.`
          : `start_date moves with the clock at every parse, so the first interval never ends and "${pipeline.id}" has no fixed set of intervals to run again.`,
      subject: `${pipeline.id} start date`,
    };
  }
  yield* machineZone(context, pipeline);
  yield* unevenChain(context, pipeline);
}

/** Always the same length ago (`days_ago(2)`, `datetime.now() - timedelta(days=7)`), so that some intervals have ended. */
function isPast(context: LintContext, { at, name }: ClockCall): boolean {
  if (/(?:^|\.)yesterday$/.test(name)) return true;
  if (/(?:^|\.)days_ago$/.test(name)) return !/\(\s*(?:n\s*=\s*)?0\s*[,)]/.test(textAt(context, at));
  const behind = (context.text(at.file) ?? '').slice(at.end, at.end + 200);
  return /^(?:\.replace\([^()]*\)|\s|\))*(?:-|\.subtract\(|\.add\(\s*\w+\s*=\s*-)/.test(behind);
}

/** A DAG that is triggered, by hand or by assets, or runs once has no intervals that the start date would place. */
const isPlaced = ({ schedule }: Pipeline): boolean => !['none', 'assets', 'once'].includes(schedule.value.kind);

const localTime =
  /\.astimezone\(\s*\)|\bfromtimestamp\([^,()]*\)|\btime\.localtime\(|\bpendulum\.local\(|\btz(?:info)?\s*=\s*["']local["']|\btzlocal\(/;

/** The start date takes the zone of whatever machine parses the file. */
function* machineZone(context: LintContext, pipeline: Pipeline): Generator<RuleFinding> {
  const at = pipeline.startDateAt;
  if (at === undefined || !localTime.test(textAt(context, at))) return;
  yield {
    at,
    severity: 'warning',
    message: `start_date depends on the time zone of the machine that parses the file, so two machines see other intervals of "${pipeline.id}".`,
    subject: `${pipeline.id} start date`,
  };
}

/** Tasks that follow each other but do not begin together: the later one has no upstream for the days in between. */
function* unevenChain(context: LintContext, pipeline: Pipeline): Generator<RuleFinding> {
  const own = (task: Task | undefined) => task?.arguments.find(({ name }) => name === 'start_date');
  const start = (task: Task | undefined): string => {
    const at = own(task)?.valueAt ?? pipeline.startDateAt;
    return at === undefined ? '' : textAt(context, at).replace(/\s+/g, '');
  };
  if (!isPlaced(pipeline) || !pipeline.tasks.some(own)) return;
  const tasks = new Map(pipeline.tasks.map((task) => [task.id, task]));
  for (const edge of pipeline.edges) {
    const [from, to] = edge.kind === 'order' ? [tasks.get(edge.from), tasks.get(edge.to)] : [];
    const argument = own(to) ?? own(from);
    if (argument === undefined || from === undefined || to === undefined || start(from) === start(to)) continue;
    yield {
      at: argument.at,
      severity: 'warning',
      message: `"${from.name}" and "${to.name}" follow each other but have other start dates, so some intervals run one without the other.`,
      subject: `${pipeline.id} start date ${argument.at.start}`,
    };
  }
}

/** A moving end date only says that there is none. */
const isEndDate = (context: LintContext, { file, start }: SourceSpan): boolean =>
  /\bend_date["']?\s*[=:][^,\r\n]*$/.test(context.text(file)?.slice(Math.max(0, start - 200), start) ?? '');

export default {
  id: 'dynamic-start-date',
  severity: 'error',
  summary: 'A start_date that moves with the clock, the machine or the task',
  help: 'Write a fixed date, for example the day of the first data: `start_date=datetime(2024, 1, 1)`.',
  supersedes: ['wall-clock'],
  check,
} satisfies Rule;
