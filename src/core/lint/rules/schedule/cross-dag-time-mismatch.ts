import type { Argument, Edge, Pipeline } from '../../../pipeline/model/model.ts';
import { type Instant, instant } from '../../../time/zones/instant.ts';
import { hasRunOf, lastRunAtOrBefore, yearOfRuns } from '../../bounds/run-times.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { textAt } from '../../context/text-at.ts';
import type { Fix } from '../../model/finding.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';

/** Neither a first nor a second run goes on: the sensor waits for a logical date that the other DAG never has. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const edge of context.pipeline.edges) {
    const task = context.tasks.find((one) => one.task.id === edge.to);
    if (edge.kind !== 'sensor' || task === undefined) continue;
    const other = dagOf(context, edge.from);
    const given = (name: string): Argument | undefined => task.task.arguments.find((one) => one.name === name);
    const moved = given('execution_delta') ?? given('execution_date_fn');
    const isKnown = moved === undefined || edge.shift !== undefined;
    const dates = other && isKnown ? datesLookedFor(context.pipeline, edge) : undefined;
    if (other === undefined || dates === undefined || dates.length === 0) continue;
    // One that is there now and then is a matter of the days between, not of the setting.
    if (dates.some(({ date }) => hasRunOf(other, date) !== false)) continue;
    const [first] = dates;
    if (first === undefined) continue;
    const delta = constantDelta(other, dates);
    const fix = delta === undefined ? undefined : deltaFix(context, given, delta);
    yield {
      at: moved?.at ?? given('external_dag_id')?.at ?? edge.at,
      message: `Waits for the run of "${other.id}" at ${clock(first.date)}, which "${other.id}" never has, so it waits until it times out${delta === undefined ? '' : `: its runs are ${lengthInWords(delta)} earlier than those of this DAG`}.`,
      subject: `${task.task.id} waits for ${other.id}`,
      fixes: fix ? [fix] : [],
    };
  }
}

/** The end of a sensor's edge is a task of another DAG, or the DAG. */
function dagOf(context: LintContext, from: string): Pipeline | undefined {
  const whole = context.dag(from);
  if (whole !== undefined) return whole;
  for (let dot = from.indexOf('.'); dot >= 0; dot = from.indexOf('.', dot + 1)) {
    const found = context.dag(from.slice(0, dot));
    if (found !== undefined) return found;
  }
  return undefined;
}

interface LookedFor {
  readonly own: Instant;
  readonly date: Instant;
}

/** The logical dates that the runs of a year wait for; `undefined` where months are moved by, which no sensor does. */
function datesLookedFor(pipeline: Pipeline, { shift }: Edge): readonly LookedFor[] | undefined {
  if (shift !== undefined && shift.months !== 0) return undefined;
  const ms = shift === undefined ? 0 : shift.days * 86_400_000 + shift.ms;
  // The logical date of `to` moved by the shift is that of `from`.
  return yearOfRuns(pipeline).map(({ start }) => ({ own: start, date: instant(start + ms) }));
}

/** How much earlier the last run of the other DAG is, where that is the same for every run. */
function constantDelta(other: Pipeline, dates: readonly LookedFor[]): number | undefined {
  const deltas = new Set(
    dates.map(({ own }) => {
      const last = lastRunAtOrBefore(other, own);
      return last === undefined ? undefined : own - last;
    }),
  );
  const [only] = deltas;
  return deltas.size === 1 ? only : undefined;
}

function deltaFix(context: LintContext, given: (name: string) => Argument | undefined, delta: number): Fix | undefined {
  const written = given('execution_delta');
  const at = written?.at ?? given('external_dag_id')?.at;
  if (at === undefined || delta === 0 || given('execution_date_fn') !== undefined) return undefined;
  const imported = /^(?:from datetime import [^\n]*\btimedelta\b|from datetime import \([^)]*\btimedelta\b)/m;
  if (!imported.test(context.text(at.file) ?? '') && !/\btimedelta\(/.test(textAt(context, at))) return undefined;
  const argument = `execution_delta=${timedelta(delta)}`;
  const edit =
    written === undefined ? { ...at, start: at.end, newText: `, ${argument}` } : { ...at, newText: argument };
  return { title: `Wait for the run ${lengthInWords(delta)} earlier`, edits: [edit], preferred: true };
}

function parts(ms: number): readonly (readonly [number, string])[] {
  const minutes = Math.round(ms / 60_000);
  const all: readonly (readonly [number, string])[] = [
    [Math.floor(minutes / 1440), 'days'],
    [Math.floor(minutes / 60) % 24, 'hours'],
    [minutes % 60, 'minutes'],
  ];
  return all.filter(([count]) => count > 0);
}

const timedelta = (ms: number): string =>
  `timedelta(${parts(ms)
    .map(([count, unit]) => `${unit}=${count}`)
    .join(', ')})`;

const lengthInWords = (ms: number): string =>
  parts(ms)
    .map(([count, unit]) => `${count} ${count === 1 ? unit.slice(0, -1) : unit}`)
    .join(' ') || 'no time';

const clock = (at: Instant): string => `${new Date(at).toISOString().slice(11, 16)} UTC`;

export default {
  id: 'cross-dag-time-mismatch',
  severity: 'error',
  summary: 'A sensor that waits for a logical date which the other DAG never has',
  help: "Set `execution_delta` to how much earlier the other DAG's logical date is, or give both DAGs one schedule.",
  supersedes: [],
  check,
} satisfies Rule;
