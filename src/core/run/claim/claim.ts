import type { TypeCache } from '../../warehouse/catalog/describe-tables.ts';
import {
  addTargetsSql,
  deleteClaimSql,
  insertClaimSql,
  lockClaimSql,
  lockTargetsSql,
  overlappingClaimsSql,
} from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Session, Warehouse } from '../../warehouse/port/ports.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { applySettings, protectiveSettings } from '../session/session-settings.ts';
import { ledgerSlice, resolveTargets, type Target } from '../tables/target.ts';
import { secondsLeft } from '../unit/overlap-in-words.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import { capRows, reachedCap } from './concurrency-cap.ts';

export type Claim =
  | { readonly kind: 'claimed'; readonly fence: string; readonly targets: readonly Target[] }
  | { readonly kind: 'busy'; readonly owner: string }
  /** A limit on units side by side is reached. */
  | { readonly kind: 'full'; readonly reason: string };

/** What claiming needs to know of a unit and of the process that runs it. */
interface ClaimingUnit {
  readonly job: UnitJob;
  readonly warehouse: Warehouse;
  readonly env: RelationalRunner;
  readonly types: TypeCache;
  readonly atWork: ReadonlySet<UnitJob>;
  readonly targets?: readonly Target[] | undefined;
}

/**
 * Claims the slices of a job in a short transaction of its own. Claims on the same targets wait for each other; any
 * claim that overlaps, of whatever grain, keeps this one out while its lease lives or its transaction is open.
 */
export async function claimSlices(
  session: Session,
  { job, warehouse, env, types, atWork, targets: known }: ClaimingUnit,
): Promise<Claim> {
  await session.query('begin isolation level read committed');
  const { search_path: searchPath } = job.options.settings;
  await applySettings(
    session,
    protectiveSettings(job.options),
    searchPath === undefined ? {} : { search_path: searchPath },
  );
  const targets = known ?? (await resolveTargets(session, job, warehouse.description, types));
  const slices = JSON.stringify(targets.map(ledgerSlice));
  await lockTargets(session, [...new Set([...capRows(job), ...targets.map((target) => target.qualified)])]);
  /** This process made it, lost the connection, and works on it no more, whatever its lease says. */
  const isLeft = (owner: string | null, run: string | null, unit: string | null): boolean =>
    owner === env.owner &&
    run === job.run &&
    (unit === job.unit || ![...atWork].some((other) => other.run === run && other.unit === unit));
  for (const [fence, run, unit, owner, live, leftMs] of (await session.query(overlappingClaimsSql, [slices])).rows) {
    const mine = isLeft(owner ?? null, run ?? null, unit ?? null);
    const held = live === 't' && !mine && !(warehouse.leases === 'exclusive' && owner !== env.owner);
    if (held || !(await takeOver(session, String(fence)))) {
      await session.query('rollback');
      const left = live === 't' ? Number(leftMs) : undefined;
      return { kind: 'busy', owner: `${owner} (run ${run}, ${unit})${untilWhen(run === job.run, left)}` };
    }
  }
  if (warehouse.leases === 'server') {
    const reason = await reachedCap(session, job, targets, { isLeft, isGone: (fence) => takeOver(session, fence) });
    if (reason !== undefined) {
      await session.query('rollback');
      return { kind: 'full', reason };
    }
  }
  const inserted = await session.query(insertClaimSql, [
    job.run,
    job.unit,
    env.owner,
    slices,
    String(job.options.leaseMs),
  ]);
  await session.query('commit');
  return { kind: 'claimed', fence: String(inserted.rows[0]?.[0]), targets };
}

/** An earlier process of the same run was most likely killed: what is waited for then is the end of its lease. */
function untilWhen(sameRun: boolean, leftMs: number | undefined): string {
  if (leftMs === undefined) return '';
  return `${sameRun ? ', an earlier process of this run' : ''}, whose lease ends in ${secondsLeft(leftMs)} unless it is alive`;
}

async function lockTargets(session: Session, targets: readonly string[]): Promise<void> {
  const names = [`{${targets.map((name) => JSON.stringify(name)).join(',')}}`];
  const locked = await session.query(lockTargetsSql, names);
  if (locked.rows.length === targets.length) return;
  await session.query(addTargetsSql, names);
  await session.query(lockTargetsSql, names);
}

/** An expired claim is dead only when its transaction is gone too: then its row can be locked, and is deleted. */
async function takeOver(session: Session, fence: string): Promise<boolean> {
  const locked = await session.query(lockClaimSql, [fence]);
  if (locked.rows.length === 0) return false;
  await session.query(deleteClaimSql, [fence]);
  return true;
}
