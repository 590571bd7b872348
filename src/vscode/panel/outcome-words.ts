import { countStates, type RunResult } from '../../core/run/run-result.ts';
import type { RunMode } from '../../protocol/assistant-state.ts';

/** How a run ended, in one sentence, with what to do next. */
export function outcomeInWords(result: RunResult, mode: RunMode): string {
  const counts = countStates(result.units);
  const { changed = 0, unchanged = 0, failed = 0, held = 0, blocked = 0, cancelled = 0, waiting = 0 } = counts;
  if (mode === 'preview') {
    if (failed > 0) return `The preview stopped: ${failed} failed. Nothing was written.`;
    return `${changed} would change, ${unchanged} would stay as they are. Nothing was written.`;
  }
  const done = `${changed} changed, ${unchanged} unchanged`;
  switch (result.outcome) {
    case 'done':
      return `Done: ${done}.`;
    case 'held':
      return `${done}, ${held} held: their old rows are still there. Look at what they would do, then approve them or mend the cause.`;
    case 'cancelled':
      return `Cancelled: ${done}, ${cancelled + waiting + blocked} not run. ${confirmation(result)} Resume goes on from here.`;
    case 'failed':
      return `${done}, ${failed} failed, ${blocked} blocked behind them. ${result.problem ?? 'Mend the cause, then resume.'}`;
    case 'refused':
      return result.refusal?.message ?? 'The run was refused.';
  }
}

function confirmation({ units }: RunResult): string {
  const stopped = units.filter(({ state }) => state === 'cancelled');
  if (stopped.length === 0) return 'Nothing was running any more.';
  return stopped.every(({ cancelConfirmed }) => cancelConfirmed === true)
    ? 'The server confirmed that it stopped.'
    : 'The server has not confirmed that it stopped; look at its activity.';
}
