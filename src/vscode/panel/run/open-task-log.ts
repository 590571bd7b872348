import { isWorldAnswer } from '../../host/run-api.ts';
import type { CarriedUnit } from '../../host/workspace-api.ts';
import type { SessionServices } from '../facts/session-services.ts';

/** Shows the log of a unit's last try, as its scheduler has it, as a document. Throws in words for a person. */
export async function openTaskLog(
  { client, schedulers, openText }: Pick<SessionServices, 'client' | 'schedulers' | 'openText'>,
  task: string,
  label: string,
  { scheduler: name, ...unit }: CarriedUnit,
): Promise<void> {
  const answer = await schedulers.withLogin(client, name, (scheduler) =>
    client.call('taskLog', { ...unit, scheduler }),
  );
  if ('problem' in answer) throw new Error(answer.problem);
  if (isWorldAnswer(answer)) throw new Error(answer.message);
  await openText(`${task} ${label}.log`, answer.text);
}
