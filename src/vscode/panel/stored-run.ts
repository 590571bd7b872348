import { setTimeout as sleep } from 'node:timers/promises';
import type { UnitRecord } from '../../core/ledger/ledger-store.ts';
import type { KeptRun, SessionServices } from './session-services.ts';

/** A run as the ledger has it. */
export interface StoredRun {
  readonly document: string;
  readonly units: readonly UnitRecord[];
}

/** An editor that was closed or reloaded lets go of an embedded database within seconds. */
const triesWhileHeld = 40;
const betweenTriesMs = 500;

/** Looks a run up in the ledger of its connection. Throws in words for a person. */
export async function storedRun({ id, connection: name }: KeptRun, services: SessionServices): Promise<StoredRun> {
  const { client, connections } = services;
  for (let left = triesWhileHeld; ; left--) {
    const answer = await connections.withPassword(client, name, async (connection) => {
      const reader = services.startRunThread(ignore, ignore);
      try {
        return await reader.call('stored', { connection, run: id });
      } finally {
        await reader.stop();
      }
    });
    if ('problem' in answer) throw new Error(`Run ${id} cannot be shown: ${answer.problem}`);
    if (!('kind' in answer)) return answer;
    if (answer.error !== 'conflict' || left === 0) throw new Error(`Run ${id} cannot be shown: ${answer.message}`);
    await sleep(betweenTriesMs);
  }
}

const ignore = (): void => {};
