import { plural } from '../../text/plural.ts';
import { outsideNote } from '../irrevocable/outside-words.ts';
import { onlyEmpties } from '../tables/only-empties.ts';
import type { UnitJob } from '../unit/unit-job.ts';
import type { UnitOutcome } from '../unit/unit-outcome.ts';
import type { Applied, AppliedSlice } from './applied.ts';

/** What to do with an applied task: publish it, put the old rows back, or hold it for a person. */
export type Decision =
  | { readonly kind: 'changed' }
  /** `commits`: something else of it lasts, so it is not rolled back. */
  | { readonly kind: 'unchanged'; readonly commits: boolean }
  | { readonly kind: 'held'; readonly code: (UnitOutcome & { state: 'held' })['code']; readonly reason: string };

export function decide(
  applied: Applied,
  job: Pick<UnitJob, 'statements' | 'options' | 'outside' | 'carried'>,
): Decision {
  const decision = decisionOf(applied, job);
  // What the task did that stays when its rows do not.
  return decision.kind !== 'held' || job.outside === undefined
    ? decision
    : { ...decision, reason: `${decision.reason} ${outsideNote(job.outside)}` };
}

function decisionOf(
  applied: Applied,
  { statements, options, carried }: Pick<UnitJob, 'statements' | 'options' | 'carried'>,
): Decision {
  if (applied.escape.kind === 'escaped') return { kind: 'held', code: 'escaped', reason: applied.escape.reason };
  if (applied.doubled?.kind === 'doubled') {
    return { kind: 'held', code: applied.doubled.code, reason: applied.doubled.reason };
  }
  if (applied.again?.kind === 'changes') return { kind: 'held', code: 'changes-again', reason: applied.again.reason };
  for (const slice of applied.slices) {
    const held = guard(slice, options.holdShrinkPercent, carried !== undefined);
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
): (Decision & { kind: 'held' }) | undefined {
  if (target.slice.stage === true) return undefined;
  const gone = diff.leftOver?.deleted === true ? diff.leftOver.rows - (diff.leftOver.addedAgain ?? 0) : 0;
  const why = gone === 0 ? '' : ` (${plural(gone, 'row')} by orphans: delete)`;
  const before = diff.before?.rows ?? 0;
  const after = diff.after?.rows ?? 0;
  if (percent === undefined || before === 0 || after >= before) return undefined;
  if (after === 0) {
    return {
      kind: 'held',
      code: 'empty',
      reason: `${diff.table} ${isDone ? 'has lost' : 'would lose'} ${before === 1 ? 'the only row' : `all ${before} rows`} of its slice${why}.`,
    };
  }
  if (((before - after) / before) * 100 <= percent) return undefined;
  return {
    kind: 'held',
    code: 'shrunk',
    reason: `${diff.table} ${isDone ? 'has shrunk' : 'would shrink'} from ${before} to ${plural(after, 'row')}${why}, by more than ${percent} %.`,
  };
}

export const isUnchanged = ({ diff, gone }: AppliedSlice): boolean =>
  gone !== true && diff.added === 0 && diff.removed === 0 && diff.changed === 0;
