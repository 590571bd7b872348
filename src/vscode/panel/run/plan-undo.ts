import type { UndoPlan } from '../../host/run-api.ts';
import type { SessionServices } from '../facts/session-services.ts';
import { askRunThread } from './ask-run-thread.ts';

/** A planned undo, and the connection that its run was on. */
export type ShownUndo = UndoPlan & { readonly connection: string };

/** Why nothing can be undone, with what to do. */
export interface UndoRefused {
  readonly message: string;
  readonly remedy: string;
}

/** Plans to take back what a run changed, or some units of it, as the ledger of its connection has it. */
export async function planUndo(
  { id, connection, units }: { readonly id: string; readonly connection: string; readonly units?: readonly string[] },
  services: Pick<SessionServices, 'client' | 'connections' | 'startRunThread' | 'createdBy'>,
): Promise<ShownUndo | UndoRefused> {
  const { createdBy } = services;
  const answer = await askRunThread(services, connection, (api, config) =>
    api.call('planUndo', { connection: config, run: id, units, createdBy }),
  );
  if (answer.kind === 'planned') return { ...answer.undo, connection };
  const { message, remedy } = answer;
  return { message: `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, remedy };
}

export const isRefused = (planned: ShownUndo | UndoRefused): planned is UndoRefused => 'remedy' in planned;
