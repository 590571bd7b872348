import type { Scheduler } from '../../../scheduler/port/scheduler.ts';
import type { UnitRun } from '../../claim/claimed-unit.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { CarriedTask } from '../../unit/unit-job.ts';
import type { ReachedSlices } from './slices-around.ts';

/** A unit that is given to a scheduler. `job` is what is claimed: nothing where the task claims its rows by itself. */
export interface CarriedRun extends UnitRun {
  readonly scheduler: Scheduler;
  readonly carried: CarriedTask;
  readonly reached: ReachedSlices;
  readonly signal: CancelSignal;
  readonly report: (state: string) => void;
}
