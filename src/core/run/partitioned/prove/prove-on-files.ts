import { leftOutInWords } from '../../../diff/left-out-in-words.ts';
import type { SliceDiff } from '../../../diff/slice-diff.ts';
import type { Lake, Session } from '../../../warehouse/port/ports.ts';
import type { UnitProof } from '../../relational/prove/prove.ts';
import { shiftClocks } from '../../relational/task/shift-clocks.ts';
import { cancellable } from '../../session/cancellable.ts';
import type { RelationalRunner } from '../../session/runner.ts';
import { isCancellation, unitErrorOf } from '../../session/unit-error.ts';
import type { CancelSignal } from '../../unit/cancel-signal.ts';
import type { RenderedStatement, UnitJob } from '../../unit/unit-job.ts';
import { discardStage, fillStage, type Stage, stageOf, stageTable } from '../compare/stage.ts';
import { compareStage, liveSlice } from '../compare/stage-and-compare.ts';
import { withTaskSession } from '../compare/task-session.ts';
import { timeBox } from '../compare/time-box.ts';
import { refusedOutcome } from '../refused-outcome.ts';
import { type LakeTarget, lakeTarget } from '../target/lake-table.ts';
import { type Overwrite, readOverwrite } from '../target/overwrite.ts';
import { hiddenCalls } from './hidden-calls.ts';
import { leftByDynamic } from './left-by-dynamic.ts';

/** Ways to run the same query, so that ties, LIMIT and sums of floats come out in another order. */
const shakes: readonly { readonly name: string; readonly settings: Readonly<Record<string, string>> }[] = [
  {
    name: 'sorted joins over seven partitions, not adapted',
    settings: {
      'spark.sql.adaptive.enabled': 'false',
      'spark.sql.autoBroadcastJoinThreshold': '-1',
      'spark.sql.shuffle.partitions': '7',
    },
  },
  {
    name: 'hashed joins over two partitions, files cut small',
    settings: {
      'spark.sql.join.preferSortMergeJoin': 'false',
      'spark.sql.shuffle.partitions': '2',
      'spark.sql.files.maxPartitionBytes': '65536',
    },
  },
];

/** One way to run the task. */
interface Pass {
  readonly under: string;
  readonly job: UnitJob;
  readonly overwrite: Overwrite;
}

/**
 * Stages a unit as written, and again with the clock moved and the query carried out otherwise; compares the stages, and deletes them.
 * Nothing is published. What is published from here is the stage and nothing else, so one clean run leaves the same; a run of its scheduler
 * that overwrites dynamically leaves the partitions that come out empty as well, which is the other thing that is looked for.
 */
export async function proveOnFiles(
  openLake: () => Promise<Lake>,
  env: RelationalRunner,
  asked: UnitJob,
  { signal, timeBoxMs }: { readonly signal: CancelSignal; readonly timeBoxMs: number },
): Promise<UnitProof> {
  const job: UnitJob = { ...asked, options: { ...asked.options, compare: 'rows', holdShrinkPercent: undefined } };
  const overwrite = readOverwrite(job);
  const moved = job.statements.map(({ text, at }) => ({ ...shiftClocks(text, 'spark'), at }));
  const clocks = [...new Set(moved.flatMap(({ shifted }) => shifted))];
  const proof = (verdict: UnitProof['verdict'], rest: Partial<UnitProof> = {}): UnitProof => ({
    unit: job.unit,
    task: job.task,
    verdict,
    varied: [...clocks.map((name) => `${name} a day, an hour and a second later`), ...shakes.map(({ name }) => name)],
    notCovered: [],
    notEmptied: [],
    leftOut: [],
    ...rest,
  });
  if (overwrite.kind === 'refused') {
    const { error } = refusedOutcome(overwrite, 0);
    return proof({ kind: 'failed', error });
  }
  const passes = shakes.flatMap(({ name, settings }): Pass[] => {
    const options = { ...job.options, settings: { ...job.options.settings, ...settings } };
    const shaken = { ...job, statements: moved.map(({ text, at }) => ({ text, at })), options };
    const read = readOverwrite(shaken);
    return read.kind === 'ready' ? [{ under: [...clocks, name].join(', '), job: shaken, overwrite: read }] : [];
  });
  const box = timeBox(env.clock, timeBoxMs, 'The proof', 'Prove fewer intervals.');
  const unfollow = box.follow(signal);
  let steady: Session | undefined;
  try {
    const lake = await openLake();
    steady = await lake.connect('own');
    const steps = cancellable(steady, box.signal);
    const at = await lakeTarget(steps.session, overwrite, lake.serverVersion);
    const theatre = { lake, env, at, own: steps.session, steady, signal: box.signal };
    const { verdict, ...rest } = await proven(theatre, { under: '', job, overwrite }, passes);
    return proof(verdict, rest);
  } catch (error) {
    if (signal.aborted && isCancellation(error)) return proof({ kind: 'cancelled' });
    return proof({ kind: 'failed', error: unitErrorOf(box.causeOf(error)) });
  } finally {
    unfollow();
    box.end();
    await steady?.close();
  }
}

interface Theatre {
  readonly lake: Lake;
  readonly env: RelationalRunner;
  readonly at: LakeTarget;
  readonly own: Session;
  /** The same session, whose statements are not stopped. */
  readonly steady: Session;
  readonly signal: CancelSignal;
}

type Proven = Pick<UnitProof, 'verdict' | 'notCovered' | 'leftOut'>;

async function proven(theatre: Theatre, written: Pass, passes: readonly Pass[]): Promise<Proven> {
  const { at, own, steady, env } = theatre;
  const { job, overwrite } = written;
  const stages: Stage[] = [];
  let calls: readonly string[] = [];
  const staged = async (pass: Pass): Promise<Stage> => {
    const stage = stageOf(at, pass.job, `${env.owner}_${stages.length}`);
    stages.push(stage);
    const work = async (task: Session): Promise<void> => {
      await fillStage(own, task, at, stage, pass.overwrite);
      if (pass === written) calls = await hiddenCalls(task, at, stage, pass.overwrite);
    };
    await withTaskSession({ ...theatre, job: pass.job }, work);
    return stage;
  };
  try {
    const live = await liveSlice(own, at);
    const first = await staged(written);
    const figuresOnly = { options: { ...job.options, compare: 'checksums' as const } };
    const { applied, staged: made } = await compareStage(own, at, first, live, figuresOnly);
    const ofFirst = { ...at, file: stageTable(at, first) };
    const rows = await liveSlice(own, ofFirst);
    const notCovered = [...readsItself(job), ...(rows.taken.figures.rows === 0 ? [noRows(job)] : []), ...calls];
    let diffs = applied.slices.map(({ diff }) => diff);
    const end = (verdict: UnitProof['verdict']): Proven => ({ verdict, notCovered, leftOut: leftOutInWords(diffs) });
    if (applied.escape.kind === 'escaped') return end({ kind: 'outside', reason: applied.escape.reason });
    const differing = async (pass: Pass): Promise<readonly SliceDiff[]> => {
      const compared = await compareStage(own, ofFirst, await staged(pass), rows, job);
      diffs = compared.applied.slices.map(({ diff }) => diff);
      return diffs.filter(({ added, removed, changed }) => added !== 0 || removed !== 0 || changed !== 0);
    };
    const statements: readonly RenderedStatement[] = [overwrite.insert];
    for (const pass of passes) {
      const slices = await differing(pass);
      if (slices.length === 0) continue;
      const isItsOwn = (await differing(written)).length > 0;
      return end({ kind: 'different', under: isItsOwn ? undefined : pass.under, slices, statements });
    }
    const left = await leftByDynamic(theatre, written, live, {
      made,
      stage: ofFirst.file,
      figures: rows.taken.figures,
    });
    return end(
      left === undefined
        ? { kind: 'no-difference' }
        : { kind: 'not-clean', slices: [left], statements, advice: leftAdvice },
    );
  } finally {
    // Where Spark is gone they stay behind, beside the folder of the table, and take space.
    for (const stage of stages) await discardStage(steady, at, stage).catch(() => undefined);
  }
}

const leftAdvice =
  'runs from here empty partitions that come out empty, those of its scheduler leave them as they are: name the partition of the interval ' +
  '(PARTITION (…) with a value for each column), or let the task drop its partitions first';

const noRows = ({ slices }: UnitJob): string => `rows of ${slices[0]?.table}: this interval has none`;

/** Nothing of the first run is there for the second one to read. */
const readsItself = ({ inputs, slices }: UnitJob): readonly string[] =>
  slices.some(({ table }) => inputs.some((input) => input.table === table))
    ? [`what it reads of ${slices[0]?.table}, which it writes: each run read it as it is now`]
    : [];
