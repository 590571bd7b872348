import { SchedulerError } from '../../core/scheduler/port/scheduler-error.ts';
import type { WorldAnswer } from './run-api.ts';

/** What a scheduler, or the way to it, said, as an answer; anything else is a bug and is thrown on. */
export function schedulerAnswer(error: unknown): WorldAnswer {
  if (!(error instanceof SchedulerError)) throw error;
  return { kind: 'world', error: error.kind, message: error.message, remedy: error.hint };
}
