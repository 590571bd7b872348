import { plural } from '../../text/plural.ts';
import { activeClaimsSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { Target } from '../tables/target.ts';
import { tableCap, type UnitJob } from '../unit/unit-job.ts';

/** The row that stands for all targets together, where units of one connection are counted. */
export const allTargets = '*';

/**
 * Which limit on units side by side is reached, in words, all runners together; tested while the rows of the targets
 * are locked, so that of two claims at once the second sees the first. `isLeft`: this process
 * works on it no more; `isGone` ends such a claim, and one whose lease ran out.
 */
export async function reachedCap(
  session: Session,
  job: UnitJob,
  targets: readonly Target[],
  {
    isLeft,
    isGone,
  }: {
    readonly isLeft: (owner: string | null, run: string | null, unit: string | null) => boolean;
    readonly isGone: (fence: string) => Promise<boolean>;
  },
): Promise<string | undefined> {
  for (const { target, cap } of capsOf(job, targets)) {
    const active: string[] = [];
    const { rows } = await session.query(activeClaimsSql, [target === allTargets ? null : target]);
    for (const [fence, run = null, unit = null, owner = null, live] of rows) {
      const lives = live === 't' && !isLeft(owner, run, unit);
      if (lives || !(await isGone(String(fence)))) active.push(`${owner} (run ${run}, ${unit})`);
    }
    if (active.length < cap) continue;
    const where = target === allTargets ? 'this connection' : target;
    const some = `${active.slice(0, 3).join(', ')}${active.length > 3 ? ', …' : ''}`;
    return `a place, ${plural(cap, 'unit')} at a time on ${where}: now ${some}`;
  }
  return undefined;
}

/** What must be locked for {@link reachedCap} beside the targets themselves. */
export const capRows = ({ options }: UnitJob): readonly string[] =>
  options.connectionConcurrency === undefined ? [] : [allTargets];

function capsOf(
  job: UnitJob,
  targets: readonly Target[],
): readonly { readonly target: string; readonly cap: number }[] {
  const caps = new Map<string, number>();
  for (const { slice, qualified } of targets) {
    const cap = tableCap(slice, job.options);
    if (cap !== undefined) caps.set(qualified, Math.min(cap, caps.get(qualified) ?? cap));
  }
  const { connectionConcurrency } = job.options;
  if (connectionConcurrency !== undefined) caps.set(allTargets, connectionConcurrency);
  return [...caps].map(([target, cap]) => ({ target, cap }));
}
