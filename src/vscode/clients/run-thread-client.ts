import { Worker } from 'node:worker_threads';
import type { RunEvent } from '../../core/run/unit/run-event.ts';
import { type Remote, remote } from '../host/rpc.ts';
import type { RunApi, RunThreadEvent } from '../host/run-api.ts';

/** Starts a thread for one run. It holds the database connection, so ending it ends everything that the run holds. */
export function startRunThread(
  threadFile: string,
  onEvent: (event: RunEvent) => void,
  onEnd: (reason: string) => void,
): Remote<RunApi> {
  return remote<RunApi, RunThreadEvent>(new Worker(threadFile), {
    onEvent: ({ event }) => onEvent(event),
    onEnd,
  });
}
