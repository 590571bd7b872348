import type { SliceDiff } from '../../diff/slice-diff.ts';
import { sameFigures } from '../../diff/take-figures.ts';
import { forgetCarriedSql } from '../../warehouse/dialects/postgres/ledger/carried-sql.ts';
import { deleteClaimSql } from '../../warehouse/dialects/postgres/ledger/claim-sql.ts';
import type { Partition } from '../../warehouse/port/file-table.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import { WarehouseError } from '../../warehouse/port/warehouse-error.ts';
import { type ClaimedUnit, withClaim } from '../claim/claimed-unit.ts';
import { holdFence, lockSlices } from '../claim/fence.ts';
import type { Applied, AppliedSlice } from '../record/applied.ts';
import { decide } from '../record/decide.ts';
import { heldOutcome } from '../record/held-outcome.ts';
import { type Marker, readMarker } from '../record/marker.ts';
import { recordOutcome } from '../record/record.ts';
import { refuseRefilled } from '../record/refuse-refilled.ts';
import { withCauses } from '../record/slice-causes.ts';
import { sliceMeasures } from '../record/slice-measures.ts';
import type { Cancellable } from '../session/cancellable.ts';
import { enterTransaction, protectiveSettings } from '../session/session-settings.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import { heldMessage } from '../unit/unit-results.ts';
import { type LakeFigures, lakeFigures, rowsOf } from './compare/lake-figures.ts';
import {
  discardStage,
  dropStage,
  fillStage,
  type Stage,
  stageFolders,
  stageOf,
  stageTable,
  stageVersion,
} from './compare/stage.ts';
import { type ComparedStage, compareStage, isAsItWas, type LiveSlice, liveSlice } from './compare/stage-and-compare.ts';
import { withTaskSession } from './compare/task-session.ts';
import { afterEarlier, earlierInWords, madeByEarlier } from './earlier-try.ts';
import { figuresOfBefore, holdFolders, keepFolders, refuseOtherRows } from './kept-folders.ts';
import type { LakeRun } from './lake-run.ts';
import { emptyFolder, MovedAway, publish, publishTheRest } from './publish.ts';
import { type Publishing, readLakeHandle, type Swap, saveLakeHandle, type UnderWay } from './publish-handle.ts';
import { NotReplaced, replaceSlice } from './replace-slice.ts';
import { withLocations } from './target/lake-table.ts';

/**
 * The protocol of a unit on files, step by step: claim, fence, whether it was done; the result of its query as a table that nobody sees
 * (stage); figures of that and of what is there, and the rows compared; decide; what is to be published written down; each partition given
 * its new folder, or all rows of the slice replaced in one commit where the format has such; what is there looked at once more; record. Files have no transaction: until the record, whoever goes on with the
 * unit finds in the ledger how far it came, and ends that. Throws {@link WarehouseError}; the caller cleans up.
 */
export const runPartitioned = (run: LakeRun, raw: Session, steps: Cancellable): Promise<UnitOutcome> =>
  withClaim(run, raw, steps, (unit) => published(run, unit));

async function published(run: LakeRun, unit: ClaimedUnit): Promise<UnitOutcome> {
  const { job, warehouse, at, steady } = run;
  const { claim, raw, steps, durationMs } = unit;
  const { session } = steps;
  if (warehouse.leases === 'server') await lockSlices(session, claim.targets, 'session end');
  await begin(session, job, claim.fence);
  const marker = await readMarker(session, job, [at.target], run.follows, [], asNamed);
  const ended = endedBefore(marker, durationMs());
  if (ended !== undefined) {
    await raw.query('rollback');
    await raw.query(deleteClaimSql, [claim.fence]);
    run.claim = undefined;
    return ended;
  }
  refuseRefilled(job, marker.inputs);
  const known = await readLakeHandle(session, job);
  await session.query('commit');
  if (known?.publishing !== undefined) return finish(run, unit, marker, known.publishing, publishTheRest);
  // What an earlier try has left behind; where that cannot be cleared away it takes space and harms nobody.
  if (known?.stage !== undefined) await discardStage(steady, at, known.stage).catch(() => undefined);
  const { earlier } = known ?? {};
  const stage = stageOf(at, job, claim.fence);
  await saveLakeHandle(session, job, claim.fence, { stage, earlier });
  run.stage = stage;
  const live = await liveSlice(run.own, at);
  const compared = await staged(run, session, stage, live);
  const decision = decide(compared.applied, job, await sliceMeasures(session, job, [at.target]));
  if (decision.kind === 'held') {
    await clear(run);
    const reason = earlier === undefined ? decision.reason : `${decision.reason} ${earlierInWords(earlier)}`;
    const held = heldOutcome({ ...decision, reason }, compared.applied, job, durationMs());
    await recorded(run, unit, marker, compared.applied, { state: 'held', message: heldMessage(held), earlier });
    return held;
  }
  if (decision.kind === 'unchanged') {
    await clear(run);
    const applied = earlier === undefined ? compared.applied : madeByEarlier(compared.applied, earlier);
    const state = earlier === undefined ? 'unchanged' : 'changed';
    const { notes } = applied;
    const slices = await recorded(run, unit, marker, applied, { state, message: notes.join('\n') || undefined });
    return { state, slices, notes, durationMs: durationMs() };
  }
  if (!(await isAsItWas(run.own, at, live))) throw writtenMeanwhile(run);
  const isVersioned = at.condition !== undefined;
  const made = isVersioned ? [] : await withLocations(run.own, stageTable(at, stage), compared.staged);
  const swaps = isVersioned ? [] : swapsOf(stage, live, made, job.restores !== undefined);
  const over = isVersioned ? { version: live.version, files: live.taken.files } : undefined;
  const [diff] = diffsOf(compared.applied) as [SliceDiff];
  const notes = [
    ...compared.applied.notes,
    ...(earlier === undefined ? [] : [afterEarlier(earlier)]),
    ...(swaps.length > 1 ? [inTurn(swaps.length)] : []),
  ];
  const publishing = { stage, swaps, over, diff, notes };
  await begin(session, job, claim.fence);
  if (job.restores !== undefined) await holdFolders(session, at, job.restores);
  await saveLakeHandle(session, job, claim.fence, { publishing });
  const { fixed } = run.source;
  await keepFolders(
    session,
    job,
    at,
    { fixed, partitions: live.partitions, version: live.version },
    live.taken.figures.rows,
  );
  // From here on its files may be what everybody reads.
  run.stage = undefined;
  await session.query('commit');
  return finish(run, unit, marker, publishing, publish);
}

/** Publishes, looks at what is there, records; also what an earlier process has begun to publish. */
async function finish(
  run: LakeRun,
  unit: ClaimedUnit,
  marker: Marker,
  publishing: UnderWay,
  swapAll: typeof publish,
): Promise<UnitOutcome> {
  const { job, at, steady } = run;
  const { claim, steps, raw, durationMs } = unit;
  const { stage, ...earlier } = publishing;
  run.sent = true;
  // Once it has begun it is ended, also where somebody asks for a cancel: a part of it is worse than all of it.
  const fenced = async (step: () => Promise<void>): Promise<void> => {
    await begin(raw, job, claim.fence);
    await step();
    await raw.query('commit');
  };
  const { diff, notes, over } = publishing;
  let taken: LakeFigures | undefined;
  try {
    if (over !== undefined && diff.after !== undefined)
      taken = await replaceSlice({ lake: steady, at, stage, fenced }, over, { before: diff.before, after: diff.after });
    else await swapAll({ lake: steady, file: at.file, stage, fenced }, publishing.swaps);
  } catch (error) {
    // Nothing of ours is under way any more: the next try begins with what is there.
    if (error instanceof MovedAway) {
      await saveLakeHandle(raw, job, claim.fence, { earlier });
      await dropStage(steady, at, stage);
    }
    if (error instanceof NotReplaced)
      await saveLakeHandle(raw, job, claim.fence, { stage, ...(error.published && { earlier }) });
    throw error;
  }
  await dropStage(steady, at, stage);
  const own = publishing.swaps.flatMap(({ spec, to }) => (to === undefined ? [] : [spec]));
  taken ??= await lakeFigures(steady, at, rowsOf(at.file, at.own, own));
  const { after, before } = diff;
  const published = { ...taken, figures: { ...taken.figures, duplicateKeys: after?.duplicateKeys } };
  if (after === undefined || !sameFigures({ ...taken, figures: after }, published)) {
    await saveLakeHandle(raw, job, claim.fence, { earlier });
    throw writtenMeanwhile(run);
  }
  const { target } = at;
  const slice: AppliedSlice = {
    target,
    table: target.relation.table,
    taken: {
      index: 0,
      relation: target.relation,
      before: before && { ...taken, figures: before },
      after: published,
      keyUsable: taken.keyUsable,
      replaced: true,
    },
    diff,
  };
  const applied: Applied = { slices: [slice], notes, escape: { kind: 'none' } };
  const slices = await recorded(run, { ...unit, steps: { ...steps, session: raw } }, marker, applied, {
    state: 'changed',
    message: notes.join('\n') || undefined,
  });
  return { state: 'changed', slices, notes, durationMs: durationMs() };
}

/** The result of the task, or for an undo the rows of before, as a stage that is compared with what is there. */
async function staged(run: LakeRun, ledger: Session, stage: Stage, live: LiveSlice): Promise<ComparedStage> {
  const { job, at, own, source } = run;
  if (source.kind === 'ready') {
    await withTaskSession(run, (task) => fillStage(own, task, at, stage, source));
    return compareStage(own, at, stage, live, job);
  }
  const before = await figuresOfBefore(ledger, at, source.of, live.taken);
  if (at.condition === undefined) await stageFolders(own, at, stage, source.partitions);
  else await stageVersion(own, at, stage, source.version);
  const compared = await compareStage(own, at, stage, live, job);
  for (const { taken } of compared.applied.slices) refuseOtherRows(at, taken.after.figures, before);
  return compared;
}

/** Takes a stage away that nobody will publish; the folders of an undo are those of before, which stay. */
export async function clear(run: LakeRun): Promise<void> {
  const { stage, job, at, steady } = run;
  if (stage === undefined) return;
  await (job.restores === undefined ? discardStage(steady, at, stage) : dropStage(steady, at, stage));
  run.stage = undefined;
}

/** Partitions that the result has get its folders; those that it has not are emptied, and one that an undo finds new goes. */
function swapsOf(
  stage: Stage,
  { partitions }: LiveSlice,
  made: readonly Partition[],
  isUndo: boolean,
): readonly Swap[] {
  const key = (spec: Swap['spec']): string => JSON.stringify(spec);
  const before = new Map(partitions.map(({ spec, location }) => [key(spec), location]));
  const after = new Set(made.map(({ spec }) => key(spec)));
  return [
    ...made.map(({ spec, location }) => ({ spec, from: before.get(key(spec)), to: location })),
    ...partitions
      .filter(({ spec }) => !after.has(key(spec)))
      .map(({ spec, location }) => ({ spec, from: location, to: isUndo ? undefined : emptyFolder(stage, spec) })),
  ];
}

async function recorded(
  run: LakeRun,
  { claim, steps, durationMs }: ClaimedUnit,
  marker: Marker,
  applied: Applied,
  {
    state,
    message,
    earlier,
  }: {
    readonly state: 'changed' | 'unchanged' | 'held';
    readonly message: string | undefined;
    /** Whoever goes on with a held unit finds it. */
    readonly earlier?: Publishing | undefined;
  },
): Promise<readonly SliceDiff[]> {
  const { job, env } = run;
  const { session } = steps;
  const slices = applied.slices.map((slice) => withCauses(slice, job, marker, marker.inputs, undefined));
  await begin(session, job, claim.fence);
  if (earlier === undefined) await session.query(forgetCarriedSql, [job.run, job.unit]);
  else await saveLakeHandle(session, job, claim.fence, { earlier });
  await recordOutcome(session, job, env, claim.fence, marker, { state, message, slices, durationMs: durationMs() });
  await session.query('commit');
  run.claim = undefined;
  return slices.map(({ diff }) => diff);
}

function endedBefore({ committed, lost }: Marker, durationMs: number): UnitOutcome | undefined {
  if (committed !== undefined) return { state: 'done-before', slices: committed, durationMs };
  return lost.length > 0 ? { state: 'lost', units: lost, durationMs } : undefined;
}

/** The ledger is not where the tables are, so that names stand for themselves. */
const asNamed: Parameters<typeof readMarker>[5] = async (_, names) =>
  names.map((name) => ({ qualified: name, columns: [] }));

const diffsOf = ({ slices }: Applied): readonly SliceDiff[] => slices.map(({ diff }) => diff);

const inTurn = (partitions: number): string =>
  `its ${partitions} partitions were published one after the other: who read meanwhile may have seen some of before`;

const writtenMeanwhile = ({ at }: LakeRun): WarehouseError =>
  new WarehouseError('conflict', `Somebody else has written the slice of ${at.target.qualified} meanwhile.`, true, {
    hint: 'It is tried again; where that goes on, see who else writes the table: files have no lock that would keep them out.',
  });

async function begin(session: Session, job: UnitJob, fence: string): Promise<void> {
  await session.query('begin isolation level read committed');
  await enterTransaction(session, protectiveSettings(job.options));
  await holdFence(session, fence);
}
