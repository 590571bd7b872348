import { ensureLedger } from '../../core/ledger/ensure-ledger.ts';
import { judgeObservations } from '../../core/run/observed/judge-observations.ts';
import { lookBack } from '../../core/run/observed/look-back.ts';
import { observationsOf, saveObservation } from '../../core/run/observed/stored-observations.ts';
import { canWatch } from '../../core/run/observed/watch.ts';
import { readableLedgerSql } from '../../core/warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import type { Warehouse } from '../../core/warehouse/port/ports.ts';
import { systemClock } from '../../node/system-clock.ts';
import { openScheduler } from '../../orchestrators/open.ts';
import type { RunApi } from './run-api.ts';

type Observed = Awaited<ReturnType<RunApi['observed']>>;

/** What was seen of a task so far, and what that tells; its newest run is looked at first where that is asked. */
export async function observedOn(
  warehouse: Warehouse,
  { task, lineage, last }: Omit<Parameters<RunApi['observed']>[0], 'connection'>,
): Promise<Observed> {
  if (!canWatch(warehouse))
    return {
      kind: 'refused',
      message: `What others write to ${warehouse.description.target} cannot be seen.`,
      remedy: 'A PostgreSQL server of version 14 or newer is wanted; declare what the task writes in backfill.yaml.',
    };
  const session = await warehouse.connect('ledger');
  try {
    if (last !== undefined) {
      await ensureLedger(warehouse, session);
      const looked = { dag: last.dag, name: last.name, task };
      const seen = await lookBack(looked, await openScheduler(last.scheduler), session, systemClock, () => {});
      if ('wrong' in seen) return { kind: 'refused', message: seen.wrong, remedy: seen.hint };
      await saveObservation(session, seen);
    }
    const isThere = (await session.query(readableLedgerSql('observations'))).rows[0]?.[0] === 't';
    const observations = isThere ? await observationsOf(session, task) : [];
    return { kind: 'observed', runs: observations.length, verdicts: judgeObservations(observations, lineage) };
  } finally {
    await session.close();
  }
}
