import type { Lake, Session } from '../../warehouse/port/ports.ts';
import { decide } from '../record/decide.ts';
import { heldOutcome } from '../record/held-outcome.ts';
import { cancellable } from '../session/cancellable.ts';
import type { RelationalRunner } from '../session/runner.ts';
import { isCancellation, unitErrorOf } from '../session/unit-error.ts';
import type { CancelSignal } from '../unit/cancel-signal.ts';
import type { PreviewEnd } from '../unit/preview-end.ts';
import type { UnitExecutor } from '../unit/unit-executor.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { discardStage, fillStage, stageOf } from './compare/stage.ts';
import { compareStage, liveSlice } from './compare/stage-and-compare.ts';
import { withTaskSession } from './compare/task-session.ts';
import { timeBox } from './compare/time-box.ts';
import { refusedOutcome } from './refused-outcome.ts';
import { type LakeTarget, lakeTarget } from './target/lake-table.ts';
import { type NoOverwrite, type Overwrite, readOverwrite } from './target/overwrite.ts';

/**
 * Opens a preview on files: each unit's result is staged, compared with what is there, and deleted; it is never published, so that a
 * unit that reads what another one would make is computed from what is there now. After `timeBoxMs` what runs is stopped.
 */
export function previewPartitioned(
  openLake: () => Promise<Lake>,
  env: RelationalRunner,
  timeBoxMs: number,
): { readonly executor: UnitExecutor; end(): Promise<PreviewEnd> } {
  const box = timeBox(env.clock, timeBoxMs, 'The preview', 'Preview fewer intervals, or allow it more time.');
  let count = 0;

  const execute = async (job: UnitJob, signal: CancelSignal): Promise<UnitOutcome> => {
    const startedAt = env.clock.now();
    const durationMs = () => env.clock.now() - startedAt;
    if (job.restores !== undefined) return refusedOutcome(notLookedAt(job.restores.run), durationMs());
    const overwrite = readOverwrite(job);
    if (overwrite.kind === 'refused') return refusedOutcome(overwrite, durationMs());
    const unfollow = box.follow(signal);
    let session: Session | undefined;
    try {
      const lake = await openLake();
      session = await lake.connect('own');
      const steps = cancellable(session, box.signal);
      const at = await lakeTarget(steps.session, overwrite, lake.serverVersion);
      const token = `preview${++count}`;
      return await lookAt(
        { env, lake, job, at, overwrite, own: steps.session, steady: session, signal: box.signal },
        token,
        durationMs,
      );
    } catch (error) {
      if (signal.aborted && isCancellation(error))
        return { state: 'cancelled', confirmed: true, durationMs: durationMs() };
      return { state: 'failed', error: unitErrorOf(box.causeOf(error)), durationMs: durationMs() };
    } finally {
      unfollow();
      await session?.close();
    }
  };
  const end = async (): Promise<PreviewEnd> => {
    box.end();
    return { way: 'stage', traces: { deadRows: [], sequences: [] } };
  };
  return { executor: { execute, maxConcurrency: 1 }, end };
}

const notLookedAt = (run: string): NoOverwrite => ({
  kind: 'refused',
  reason: 'a preview of an undo is not there for files',
  remedy: `what it would put back: backfill history ${run}`,
  statement: undefined,
});

interface Looking {
  readonly env: RelationalRunner;
  readonly lake: Lake;
  readonly job: UnitJob;
  readonly at: LakeTarget;
  readonly overwrite: Overwrite;
  readonly own: Session;
  readonly steady: Session;
  readonly signal: CancelSignal;
}

async function lookAt(
  { env, lake, job, at, overwrite, own, steady, signal }: Looking,
  token: string,
  durationMs: () => number,
): Promise<UnitOutcome> {
  const stage = stageOf(at, job, token);
  try {
    const live = await liveSlice(own, at);
    await withTaskSession({ lake, job, signal, env }, (task) => fillStage(own, task, at, stage, overwrite));
    const { applied } = await compareStage(own, at, stage, live, job);
    const decision = decide(applied, job);
    if (decision.kind === 'held') return heldOutcome(decision, applied, job, durationMs());
    const slices = applied.slices.map(({ diff }) => diff);
    return {
      state: 'previewed',
      changed: decision.kind === 'changed',
      slices,
      notes: applied.notes,
      durationMs: durationMs(),
    };
  } finally {
    // Where Spark is gone it stays behind, beside the folder of the table, and takes space.
    await discardStage(steady, at, stage).catch(() => undefined);
  }
}
