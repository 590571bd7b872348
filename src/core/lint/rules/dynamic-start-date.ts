import type { SourceSpan } from '../../text/span.ts';
import type { LintContext } from '../lint-context.ts';
import type { Rule, RuleFinding } from '../rule.ts';

function* check(context: LintContext): Generator<RuleFinding> {
  for (const pipeline of context.facts.pipelines) {
    for (const call of pipeline.clockCalls) {
      if (call.flowsInto !== 'start-date' || isEndDate(context, call.at)) continue;
      yield {
        at: call.at,
        // A DAG that is only triggered has no intervals that the start date would place.
        severity: pipeline.schedule.value.kind === 'none' ? 'warning' : 'error',
        message: `start_date moves with the clock at every parse, so the first interval never ends and "${pipeline.id}" has no fixed set of intervals to run again.`,
        subject: `${pipeline.id} start date`,
      };
    }
  }
}

/** A moving end date only says that there is none. */
const isEndDate = (context: LintContext, { file, start }: SourceSpan): boolean =>
  /\bend_date["']?\s*[=:][^,\r\n]*$/.test(context.facts.text(file)?.slice(Math.max(0, start - 200), start) ?? '');

export default {
  id: 'dynamic-start-date',
  severity: 'error',
  summary: 'A start_date that moves with the clock',
  help: 'Write a fixed date, for example the day of the first data: `start_date=datetime(2024, 1, 1)`.',
  supersedes: ['wall-clock'],
  check,
} satisfies Rule;
