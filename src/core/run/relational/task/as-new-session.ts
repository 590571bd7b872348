import { renewSession } from '../../session/renew-session.ts';
import { applySettings } from '../../session/session-settings.ts';
import type { OpenUnit } from './open-unit.ts';

/** Makes the session what the task's first run found, so that another run in the same transaction finds no traces of it. */
export async function asNewSession({ session, job, start }: OpenUnit): Promise<void> {
  await renewSession(session);
  const settings = { ...job.options.settings, client_encoding: 'UTF8', role: start.role };
  await applySettings(session, settings, { row_security: start.rowSecurity });
}
