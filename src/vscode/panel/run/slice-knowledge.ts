import type { SliceState } from '../../../core/ledger/slice-states.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { SessionServices } from '../facts/session-services.ts';

/** Questions that are open, by workspace: an embedded database serves one at a time, and runs come first. */
const open = new WeakMap<WorkspaceClient, Set<() => Promise<void>>>();

/**
 * Ends the questions of a workspace's pages to its ledgers. A thread that is ended never gives an embedded database back,
 * so a question to one is waited for: it takes a moment.
 */
export async function stopAsking(client: WorkspaceClient): Promise<void> {
  await Promise.all([...(open.get(client) ?? [])].map((stop) => stop()));
}

/**
 * Asks the ledger of a connection what it knows of slices, in a thread of its own. Nobody is asked for a password, and a
 * database without a ledger is left as it is. `undefined`: it was not to be asked, or did not answer.
 */
export async function askSliceStates(
  services: SessionServices,
  name: string,
): Promise<ReadonlyMap<string, SliceState> | undefined> {
  const { client, connections, startRunThread, log } = services;
  const stops = open.get(client) ?? new Set();
  open.set(client, stops);
  let isStopped = false;
  let stop = async (): Promise<void> => {
    isStopped = true;
  };
  const stopped = (): Promise<void> => stop();
  stops.add(stopped);
  try {
    const connection = await connections.resolve(client, name);
    if ('problem' in connection) return undefined;
    const codeHashes = await client.call('codeHashes', null);
    if (isStopped) return undefined;
    const thread = startRunThread(ignore, ignore);
    try {
      const asked = thread.call('sliceStates', { connection, codeHashes });
      stop = connection.engine === 'pglite' ? () => asked.then(ignore, ignore) : () => thread.stop();
      const answer = await asked;
      if (answer.kind === 'known') return new Map(answer.states.map((state) => [state.unit, state]));
      log.info(`the ledger of ${name} was not asked: ${answer.message}`);
      return undefined;
    } finally {
      await thread.stop();
    }
  } catch (error) {
    log.info(`the ledger of ${name} was not asked: ${error instanceof Error ? error.message : String(error)}`);
    return undefined;
  } finally {
    stops.delete(stopped);
  }
}

const ignore = (): void => {};
