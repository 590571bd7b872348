import type { LedgerStore, UnitRecord } from '../../ledger/ledger-store.ts';
import type { UnitId } from '../../plan/model/plan.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import type { PreparedRun } from '../jobs/prepared-run.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { Clock } from '../unit/clock.ts';
import type { RunEvent } from '../unit/run-event.ts';
import { awayDelay, backoffDelay, type RunOptions } from '../unit/run-options.ts';
import type { RunUnit } from '../unit/run-result.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import { isCommitted, notStarted } from '../unit/unit-results.ts';
import { type Driven, driveUnits } from './drive-units.ts';
import { standingUnits } from './still-valid-units.ts';

interface DrivePorts {
  readonly executor: UnitExecutor;
  readonly ledger: LedgerStore | undefined;
  readonly clock: Clock;
  readonly signal: CancelSignal;
  readonly onEvent: (event: RunEvent) => void;
}

const lostMessage = 'the server does not have what it had confirmed: it lost commits, or another took its place';

/**
 * Drives a run until its ledger agrees with what it was told: where the server lost commits that it had confirmed (it
 * crashed without synchronous_commit, a standby took its place), what is done is asked of the ledger again, and what is not
 * there any more is run again with all that was made from it. `save` puts the run into a ledger that lost it.
 */
export async function driveToEnd(
  prepared: Omit<PreparedRun, 'title' | 'createdBy'>,
  before: ReadonlyMap<UnitId, UnitRecord>,
  ports: DrivePorts,
  save: () => Promise<void>,
): Promise<Pick<Driven, 'units' | 'problem'>> {
  const { run, plan, options } = prepared;
  const { executor, ledger, clock, signal, onEvent } = ports;
  const durably = <T>(work: () => Promise<T>): Promise<T> => triedAgain(work, options, ports);
  const record = async (units: readonly UnitRecord[]): Promise<readonly UnitId[]> => {
    const [unit, ...more] = units;
    if (ledger === undefined || unit === undefined) return [];
    if (more.length > 0) return durably(() => ledger.recordUnits(run, units));
    return (await durably(() => ledger.recordUnit(run, unit))) === 'lost' ? [unit.unit] : [];
  };
  const ended = new Map<UnitId, RunUnit>();
  let known = before;
  for (let round = 1; ; round++) {
    const driven = await driveUnits({ ...prepared, before: known, executor, record, clock, signal, onEvent });
    for (const unit of driven.units) if (unit.ran) ended.set(unit.unit, unit);
    const units = driven.units.map((unit) => (isCommitted(unit) && ended.get(unit.unit)) || unit);
    if (ledger === undefined || driven.problem !== undefined) return { units, problem: driven.problem };
    try {
      const isLost = driven.lost || (await durably(() => ledger.uncommitted(run, driven.follows))).length > 0;
      if (!isLost) return { units, problem: undefined };
      if ((await durably(() => ledger.loadRun(run))) === undefined) await durably(save);
      known = await durably(() => standingUnits(run, plan, ledger));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return { units, problem: `the ledger could not be asked what is committed: ${reason}` };
    }
    const gone = units.filter((unit) => isCommitted(unit) && !isCommitted(known.get(unit.unit)));
    for (const { unit } of gone) ended.delete(unit);
    if (signal.aborted || round >= options.maxAttempts) {
      const left = units.map((unit) =>
        gone.includes(unit) ? { ...notStarted(unit.unit, unit.attempts), message: lostMessage } : unit,
      );
      return { units: left, problem: lostMessage };
    }
    for (const { unit, attempts } of gone)
      onEvent({ kind: 'unit-retrying', unit, attempt: attempts, delayMs: 0, reason: lostMessage });
  }
}

/** Tries again for as long as the run has patience: a ledger that is away for a while must not end a run of hours. */
async function triedAgain<T>(
  work: () => Promise<T>,
  options: RunOptions,
  { clock, signal, onEvent }: Pick<DrivePorts, 'clock' | 'signal' | 'onEvent'>,
): Promise<T> {
  const startedAt = clock.now();
  let told = false;
  for (let attempt = 1; ; attempt++) {
    try {
      const done = await work();
      if (told) onEvent({ kind: 'server-back' });
      return done;
    } catch (error) {
      const away = error instanceof WarehouseError && error.kind === 'connection' && error.retryable;
      const patient = away && !signal.aborted ? awayDelay(options, attempt, clock.now() - startedAt) : undefined;
      if (attempt >= options.maxAttempts && patient === undefined) throw error;
      // What a unit met is told once it is recorded: until then nobody would know what the run waits for.
      if (away && !told) onEvent({ kind: 'server-away', reason: error.message });
      told ||= away;
      await clock.sleep(patient ?? backoffDelay(options, attempt));
    }
  }
}
