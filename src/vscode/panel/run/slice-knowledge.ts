import type { SliceState } from '../../../core/ledger/slice-states.ts';
import { findGaps } from '../../../core/run/survey/find-gaps.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { SurveyFacts } from '../facts/session-facts.ts';
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

/** What a database knows of slices: its ledger, and the tables of one task themselves. */
export interface SliceKnowledge {
  readonly ledger: ReadonlyMap<string, SliceState>;
  readonly survey: SurveyFacts;
}

/**
 * Asks the ledger of a connection what it knows of slices, and the tables of a task what they hold of each interval, in a thread of its own. Nobody is asked for a password, and a
 * database without a ledger is left as it is. `undefined`: it was not to be asked, or did not answer.
 */
export async function askSliceStates(
  services: SessionServices,
  name: string,
  task: string,
): Promise<SliceKnowledge | undefined> {
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
    const { units, slices, season } = await client.call('survey', { task, now: Date.now() });
    if (isStopped) return undefined;
    const thread = startRunThread(ignore, ignore);
    try {
      const asked = thread.call('sliceStates', { connection, codeHashes, slices });
      stop = connection.engine === 'pglite' ? () => asked.then(ignore, ignore) : () => thread.stop();
      const answer = await asked;
      if (answer.kind === 'known') {
        const rows = new Map(answer.rows);
        const counted = units.flatMap((unit) => {
          const count = rows.get(unit);
          return count === undefined ? [] : [{ unit, rows: count }];
        });
        return {
          ledger: new Map(answer.states.map((state) => [state.unit, state])),
          survey: {
            rows,
            gaps: new Map(findGaps(counted, season).map((gap) => [gap.unit, gap])),
            untold: answer.untold,
          },
        };
      }
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
