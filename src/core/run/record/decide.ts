import { plural } from '../../text/plural.ts';
import { outsideNote } from '../irrevocable/outside-words.ts';
import { onlyEmpties } from '../tables/only-empties.ts';
import { ledgerSlice } from '../tables/target.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import type { Applied, AppliedSlice } from './applied.ts';
import type { SliceMeasures } from './slice-measures.ts';

/** What to do with an applied task: publish it, put the old rows back, or hold it for a person. */
export type Decision =
  | { readonly kind: 'changed' }
  /** `commits`: something else of it lasts, so it is not rolled back. */
  | { readonly kind: 'unchanged'; readonly commits: boolean }
  | { readonly kind: 'held'; readonly code: (UnitOutcome & { state: 'held' })['code']; readonly reason: string };

/** `measures`: by what the slices are measured where the rows that the task found say nothing of them. */
export function decide(
  applied: Applied,
  job: Pick<UnitJob, 'statements' | 'options' | 'outside' | 'carried'>,
  measures?: SliceMeasures,
): Decision {
  const decision = decisionOf(applied, job, measures);
  // What the task did that stays when its rows do not.
  return decision.kind !== 'held' || job.outside === undefined
    ? decision
    : { ...decision, reason: `${decision.reason} ${outsideNote(job.outside)}` };
}

function decisionOf(
  applied: Applied,
  { statements, options, carried }: Pick<UnitJob, 'statements' | 'options' | 'carried'>,
  measures: SliceMeasures | undefined,
): Decision {
  if (applied.escape.kind === 'escaped') return { kind: 'held', code: 'escaped', reason: applied.escape.reason };
  if (applied.doubled?.kind === 'doubled') {
    return { kind: 'held', code: applied.doubled.code, reason: applied.doubled.reason };
  }
  if (applied.again?.kind === 'changes') return { kind: 'held', code: 'changes-again', reason: applied.again.reason };
  for (const slice of applied.slices) {
    const held = guard(slice, options.holdShrinkPercent, carried !== undefined, measures);
    const meant = held?.code === 'empty' && onlyEmpties(statements, slice.target);
    if (held !== undefined && !meant) return held;
  }
  if (!applied.slices.every(isUnchanged)) return { kind: 'changed' };
  // Without a slice, what lasts is all that the task is for.
  const commits = applied.lasting !== undefined;
  return commits && applied.slices.length === 0 ? { kind: 'changed' } : { kind: 'unchanged', commits };
}

/** `isDone`: the rows are as they are said to be, since nothing of ours can hold them back. */
function guard(
  { target, diff }: AppliedSlice,
  percent: number | undefined,
  isDone: boolean,
  measures: SliceMeasures | undefined,
): (Decision & { kind: 'held' }) | undefined {
  if (target.slice.stage === true) return undefined;
  const gone = diff.leftOver?.deleted === true ? diff.leftOver.rows - (diff.leftOver.addedAgain ?? 0) : 0;
  const why = gone === 0 ? '' : ` (${plural(gone, 'row')} by orphans: delete)`;
  const { turn } = target.slice;
  const measure = turn === undefined ? undefined : measures?.get(ledgerSlice(target).slice);
  const before = measure ?? diff.before?.rows ?? 0;
  const after = diff.after?.rows ?? 0;
  if (percent === undefined || before === 0 || after >= before) return undefined;
  if (measure !== undefined) return byMeasure(diff.table, { before, after, percent, isDone, isLast: turn === 'last' });
  if (after === 0) {
    return {
      kind: 'held',
      code: 'empty',
      reason: `${diff.table} ${isDone ? 'has lost' : 'would lose'} ${before === 1 ? 'the only row' : `all ${before} rows`} of its slice${why}.`,
    };
  }
  // What it found was of another interval, and is there again when the later ones have run.
  if (turn === 'passing' || isWithin(before, after, percent)) return undefined;
  return {
    kind: 'held',
    code: 'shrunk',
    reason: `${diff.table} ${isDone ? 'has shrunk' : 'would shrink'} from ${before} to ${plural(after, 'row')}${why}, by more than ${percent} %.`,
  };
}

const isWithin = (before: number, after: number, percent: number): boolean =>
  ((before - after) / before) * 100 <= percent;

function byMeasure(
  table: string,
  {
    before,
    after,
    percent,
    isDone,
    isLast,
  }: Readonly<Record<'before' | 'after' | 'percent', number>> & Readonly<Record<'isDone' | 'isLast', boolean>>,
): (Decision & { kind: 'held' }) | undefined {
  if (after > 0 && isWithin(before, after, percent)) return undefined;
  const than = isLast
    ? `${before} before the first interval of this run`
    : `${before} after the last run of this interval`;
  const by = after === 0 ? '' : `, less by more than ${percent} %`;
  return {
    kind: 'held',
    code: after === 0 ? 'empty' : 'shrunk',
    reason: `${table} ${isDone ? 'has' : 'would have'} ${after === 0 ? 'no row' : plural(after, 'row')}, and had ${than}${by}.`,
  };
}

export const isUnchanged = ({ diff, gone }: AppliedSlice): boolean =>
  gone !== true && diff.added === 0 && diff.removed === 0 && diff.changed === 0;
