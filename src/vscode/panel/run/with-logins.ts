import type { SchedulerConfig } from '../../../core/scheduler/port/scheduler-config.ts';
import type { ConnectionConfig } from '../../../core/warehouse/port/connection-config.ts';
import type { WorldAnswer } from '../../host/run-api.ts';
import type { SessionServices } from '../facts/session-services.ts';

/** Does work on a connection, and with a scheduler where one is named; what is refused is asked for once, and kept. */
export function withLogins<T>(
  { client, connections, schedulers }: Pick<SessionServices, 'client' | 'connections' | 'schedulers'>,
  connection: string,
  scheduler: string | undefined,
  work: (connection: ConnectionConfig, scheduler: SchedulerConfig | undefined) => Promise<T | WorldAnswer>,
): Promise<T | WorldAnswer | { readonly problem: string }> {
  return connections.withPassword(client, connection, async (found): Promise<T | WorldAnswer> => {
    if (scheduler === undefined) return work(found, undefined);
    const answer = await schedulers.withLogin(client, scheduler, (login) => work(found, login));
    if (typeof answer !== 'object' || answer === null || !('problem' in answer)) return answer as T | WorldAnswer;
    return { kind: 'world', error: 'scheduler', message: answer.problem, remedy: undefined };
  });
}
