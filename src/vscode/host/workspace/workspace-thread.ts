// Reading and checking have a thread of their own, so that typing never waits for them.
import { parentPort } from 'node:worker_threads';
import { serve } from '../rpc.ts';
import type { WorkspaceEvent } from '../workspace-api.ts';
import { createWorkspaceApi } from './workspace-service.ts';

if (parentPort === null) throw new Error('this file runs in a worker thread');
const { emit } = serve<WorkspaceEvent>(
  parentPort,
  createWorkspaceApi((event) => emit(event)),
);
