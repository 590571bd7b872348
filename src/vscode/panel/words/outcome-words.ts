import { countStates, type RunResult } from '../../../core/run/unit/run-result.ts';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import type { WorldAnswer } from '../../host/run-api.ts';

export const busyWords = 'A run is going on; cancel it or wait for its end.';

export const madeAnewWords =
  'Nothing was started: the plan was being made anew. This is what would run now; press again.';

export const cancelledBefore: WorldAnswer = {
  kind: 'world',
  error: 'cancelled',
  message: 'Cancelled before anything ran.',
  remedy: undefined,
};

export const cancellingWords = 'Cancelling: waiting for the server to confirm.';

/** What is said of a run while it goes on. */
export const beginningWords: Readonly<Record<RunMode, (run: string) => string>> = {
  run: (run) => `Run ${run}`,
  preview: () => 'Nothing that a preview does is kept.',
  prove: () => 'Each slice runs twice, the clock moved and the plan shaken, in a transaction that is rolled back.',
};

/** How a run ended, in one sentence, with what to do next. */
export function outcomeInWords(result: RunResult, mode: RunMode, isGiven = false): string {
  const counts = countStates(result.units);
  const {
    changed = 0,
    unchanged = 0,
    failed = 0,
    held = 0,
    blocked = 0,
    cancelled = 0,
    waiting = 0,
    done: ran = 0,
  } = counts;
  if (mode === 'preview') {
    const left = cancelled + waiting + blocked;
    const parts = [
      `${changed} would change`,
      `${unchanged} would stay as they are`,
      ...(held > 0 ? [`${held} would be held`] : []),
      ...(left > 0 && failed === 0 ? [`${left} not looked at`] : []),
    ];
    if (failed > 0) return `The preview stopped: ${failed} failed. Nothing was written.`;
    return `${result.outcome === 'cancelled' ? 'Cancelled: ' : ''}${parts.join(', ')}. Nothing was written.`;
  }
  const done = `${changed} changed, ${unchanged} unchanged${ran === 0 ? '' : `, ${ran} done and not compared`}`;
  switch (result.outcome) {
    case 'done':
      return `Done: ${done}.`;
    case 'held':
      return `${done}, ${held} held: ${isGiven ? 'what Airflow ran has its new rows in place, of the rest the old rows are still there' : 'their old rows are still there'}. Look at what they would do, then approve them or mend the cause.`;
    case 'cancelled':
      return `Cancelled: ${done}, ${cancelled + waiting + blocked} not run. ${confirmationInWords(result)} Resume goes on from here.`;
    case 'failed':
      return `${done}, ${failed} failed, ${blocked} blocked behind them. ${result.problem ?? 'Mend the cause, then resume.'}`;
    case 'refused':
      return result.refusal?.message ?? 'The run was refused.';
  }
}

/** What the server said of units that it was to stop. */
export function confirmationInWords({ units }: RunResult): string {
  const stopped = units.filter(({ state }) => state === 'cancelled');
  if (stopped.length === 0) return 'Nothing was running any more.';
  return stopped.every(({ cancelConfirmed }) => cancelConfirmed === true)
    ? 'The server confirmed that it stopped.'
    : 'The server has not confirmed that it stopped; look at its activity.';
}
