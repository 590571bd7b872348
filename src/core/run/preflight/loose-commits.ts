import type { PlanFinding } from '../../plan/model/plan.ts';
import type { Session } from '../../warehouse/port/ports.ts';

/**
 * A warning where the server confirms commits before they are on its disk: after a crash it does not have the newest of
 * them. The session has the settings of the units.
 */
export async function looseCommits(session: Session): Promise<readonly PlanFinding[]> {
  const answer = await session.query("select pg_catalog.current_setting('synchronous_commit')");
  if (answer.rows[0]?.[0] !== 'off') return [];
  const message =
    'synchronous_commit is off: when the server crashes it may lack commits that it had confirmed. A run that is at work finds out and runs those units again, and so does backfill resume; what a finished run said is then no longer so. To keep what is confirmed, say synchronous_commit: "on" under settings of the connection.';
  return [{ code: 'loose-commits', severity: 'warning', message, task: undefined }];
}
