import { setTimeout as sleep } from 'node:timers/promises';
import type { ConnectionConfig } from '../../../core/warehouse/port/connection-config.ts';
import type { Remote } from '../../host/rpc.ts';
import type { RunApi, WorldAnswer } from '../../host/run-api.ts';
import type { SessionServices } from '../facts/session-services.ts';
import { isWorld, stopAsking } from './slice-knowledge.ts';

/** An editor that was closed or reloaded lets go of an embedded database within seconds. */
export const triesWhileHeld = 40;
const betweenTriesMs = 500;

/** A question to a thread that has been given the connection. */
export type ThreadQuestion<Answer> = (api: Remote<RunApi>, connection: ConnectionConfig) => Promise<Answer>;

/**
 * Asks something of a connection's database, in a thread of its own that ends with the answer. Throws what the world
 * says in words for a person; a database that somebody else holds is tried again as often as said. `signal` ends the
 * thread, and the answer is then a {@link ThreadEnded}.
 */
export async function askRunThread<Answer extends object>(
  { client, connections, startRunThread }: Pick<SessionServices, 'client' | 'connections' | 'startRunThread'>,
  name: string,
  ask: ThreadQuestion<Answer | WorldAnswer>,
  { tries = 0, signal }: { readonly tries?: number; readonly signal?: AbortSignal } = {},
): Promise<Answer> {
  await stopAsking(client);
  for (let left = tries; ; left--) {
    const answer = await connections.withPassword(client, name, async (connection) => {
      const thread = startRunThread(ignore, ignore);
      const stop = (): void => void thread.stop();
      signal?.addEventListener('abort', stop);
      try {
        return await ask(thread, connection);
      } finally {
        signal?.removeEventListener('abort', stop);
        await thread.stop();
      }
    });
    if ('problem' in answer) throw new Error(answer.problem);
    if (!isWorld(answer)) return answer;
    if (answer.error !== 'conflict' || left === 0) throw new Error(answer.message);
    await sleep(betweenTriesMs);
  }
}

const ignore = (): void => {};
