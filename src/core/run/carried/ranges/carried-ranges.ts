import type { UnitId } from '../../../plan/model/plan.ts';
import { standingOf } from '../../../scheduler/port/task-state.ts';
import type { UnitJob } from '../../unit/unit-job.ts';
import { saveHandle } from '../runs/carried-handle.ts';
import type { CarriedRun } from '../runs/carried-run.ts';
import { endedNote, runNote } from '../runs/run-note.ts';
import { type BegunUnit, beginRange, type RangeRun, release } from './begin-range.ts';

type Ports = Pick<CarriedRun, 'scheduler' | 'warehouse' | 'env' | 'types' | 'heartbeat' | 'atWork'>;

/** The ranges of a run whose runs its scheduler makes in one go. */
export interface CarriedRanges {
  /** The units that are left to run, before the first of them. */
  expect(jobs: readonly UnitJob[]): void;
  /** Makes the runs of the unit's range, where it has one and that was not done. Throws as {@link beginRange}. */
  begin(job: UnitJob, how: Pick<RangeRun, 'signal' | 'report'>): Promise<void>;
  /** After the last unit: ends what nobody went on with, so that nothing runs there that no run looks after. */
  end(): Promise<void>;
}

const pollMs = 1500;
const mostPolls = 20;

export function carriedRanges(ports: Ports): CarriedRanges {
  const { scheduler, warehouse, env } = ports;
  const left = new Map<string, UnitJob[]>();
  const begins = new Map<string, Promise<void>>();
  const waiting = new Map<UnitId, BegunUnit>();

  const beginOnce = async (dag: string, how: Pick<RangeRun, 'signal' | 'report'>): Promise<void> => {
    const jobs = left.get(dag) ?? [];
    const range = jobs[0]?.carried?.range;
    if (range === undefined) return;
    const begun = await beginRange({ ...ports, ...how, dag, range, jobs });
    if ('because' in begun) {
      if (begun.because !== undefined) how.report(`its runs are made one by one, because ${begun.because}`);
      return;
    }
    for (const [unit, one] of begun.units) waiting.set(unit, one);
  };
  /** Written down before it is ended: what was ended by us is no outcome of the task. */
  const endUnits = async (units: readonly BegunUnit[]): Promise<void> => {
    const session = await warehouse.connect('unit');
    try {
      const runs = new Map<string, { readonly dag: string; readonly units: BegunUnit[] }>();
      for (const unit of units) {
        const dag = unit.job.carried?.dag ?? '';
        const known = runs.get(unit.handle.run);
        if (known === undefined) runs.set(unit.handle.run, { dag, units: [unit] });
        else known.units.push(unit);
      }
      for (const [run, { dag, units: ofRun }] of runs) {
        const state = (await scheduler.run(dag, run))?.state;
        if (state !== 'queued' && state !== 'running') continue;
        for (const { job, fence, handle } of ofRun) {
          const standing = standingOf(await scheduler.instances(dag, run, job.carried?.task ?? ''));
          if (standing !== 'success') await saveHandle(session, job, fence, { ...handle, phase: 'over' });
        }
        // What had not begun is skipped, and whoever goes on has to set it aside.
        const note = runNote(ofRun[0]?.job.run ?? '', env.owner);
        await scheduler.note(dag, run, endedNote(note), note);
        await scheduler.endRun(dag, run, 'failed');
      }
      for (const [run, { dag }] of runs)
        for (let polls = 0; polls < mostPolls; polls++) {
          const state = (await scheduler.run(dag, run))?.state;
          if (state !== 'queued' && state !== 'running') break;
          await env.clock.sleep(pollMs);
        }
    } finally {
      await release(session, units).catch(() => {});
      await session.close();
    }
  };
  return {
    expect(jobs) {
      left.clear();
      begins.clear();
      for (const job of jobs) {
        if (job.carried?.range === undefined) continue;
        const known = left.get(job.carried.dag);
        if (known === undefined) left.set(job.carried.dag, [job]);
        else known.push(job);
      }
    },
    async begin({ carried, unit }, how) {
      if (carried?.range === undefined) return;
      const { dag } = carried;
      const begin = begins.get(dag) ?? beginOnce(dag, how);
      begins.set(dag, begin);
      try {
        await begin;
      } catch (error) {
        // Whoever tries again finds what was written down.
        begins.delete(dag);
        throw error;
      }
      // From now on the unit has a claim of its own.
      waiting.get(unit)?.unwatch();
      waiting.delete(unit);
    },
    async end() {
      const units = [...waiting.values()];
      waiting.clear();
      // What cannot be ended now is found by whoever goes on.
      if (units.length > 0) await endUnits(units).catch(() => {});
    },
  };
}
