import type { RecordedInput } from '../../ledger/recorded-input.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import { unitSavepoint } from '../../warehouse/port/transaction-control.ts';
import type { ClaimedUnit, UnitRun } from '../claim/claimed-unit.ts';
import { unseenReads } from '../hidden-inputs/unseen-reads.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { confirmInputs } from './confirm-inputs.ts';
import { readMoment } from './consumed-inputs.ts';
import { type CutoffUnit, readInputs, whyUpToDate } from './early-cutoff.ts';
import { type Marker, readMarker } from './marker.ts';
import { recordOutcome } from './record.ts';
import { refuseRefilled } from './refuse-refilled.ts';

/** What a unit that is to run knows of its last one and of its inputs. */
export interface DueUnit {
  readonly marker: Marker;
  readonly cutoff: CutoffUnit;
  readonly found: readonly RecordedInput[];
  readonly moment: string | undefined;
}

/**
 * Whether the unit has anything to do, in its transaction, with the fence and the locks held. An outcome: it was committed
 * before, or its inputs are as its last run saw them, and the unit is at its end. Else its savepoint is set.
 */
export async function dueUnit(run: UnitRun, unit: ClaimedUnit): Promise<DueUnit | { readonly outcome: UnitOutcome }> {
  const { job: asked, env, types, warehouse } = run;
  const { claim, raw, steps, durationMs } = unit;
  const { session } = steps;
  const { description: server } = warehouse;
  const unseen = await unseenReads(session, asked, claim.targets, server);
  const job = { ...asked, inputs: [...asked.inputs, ...unseen.inputs] };
  const marker = await readMarker(session, job, claim.targets, run.follows, unseen.views);
  const leave = async (): Promise<void> => {
    await raw.query('rollback');
    await raw.query(deleteClaimSql, [claim.fence]);
    run.claim = undefined;
  };
  if (marker.committed !== undefined) {
    await leave();
    return { outcome: { state: 'done-before', slices: marker.committed, durationMs: durationMs() } };
  }
  if (marker.lost.length > 0) {
    await leave();
    return { outcome: { state: 'lost', units: marker.lost, durationMs: durationMs() } };
  }
  refuseRefilled(job, marker.inputs);
  await session.query(`savepoint ${unitSavepoint}`);
  const cutoff = { session, job, targets: claim.targets, server, types, unseen };
  const moment = await readMoment(cutoff);
  const found = await readInputs(cutoff, marker);
  const upToDate = await whyUpToDate(cutoff, marker, found);
  if (upToDate === undefined) return { marker, cutoff, found, moment };
  const { reason, versions } = upToDate;
  const { definitionsHash } = marker;
  await confirmInputs(session, versions, found);
  const ended = { state: 'skipped', message: reason, slices: [], durationMs: durationMs() } as const;
  await recordOutcome(session, job, env, claim.fence, { inputs: found, definitionsHash }, ended);
  await steps.commit();
  run.claim = undefined;
  return { outcome: { state: 'skipped', reason, durationMs: durationMs() } };
}
