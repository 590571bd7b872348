// Runs have a thread of their own, so that reading the workspace never waits for one, and ending it ends them at once.
import { parentPort } from 'node:worker_threads';
import { serve } from './rpc.ts';
import type { RunThreadEvent } from './run-api.ts';
import { createRunApi } from './run-service.ts';

if (parentPort === null) throw new Error('this file runs in a worker thread');
const { emit } = serve<RunThreadEvent>(
  parentPort,
  createRunApi((event) => emit({ kind: 'event', event })),
);
