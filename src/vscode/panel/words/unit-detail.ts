import { causesInWords } from '../../../core/diff/change-cause.ts';
import { leftOutInWords } from '../../../core/diff/left-out-in-words.ts';
import type { UnitRecord } from '../../../core/ledger/ledger-store.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { sidesOf } from '../../../core/view/page/outcome/chart-view.ts';
import { loadTimesInWords } from '../../../core/view/page/outcome/load-times.ts';
import type { RunMode } from '../../../core/view/page/page-request.ts';
import { leftOverInWords } from '../../../core/view/words/left-over-advice.ts';
import type { RunView, UnitDetail } from '../../../protocol/assistant-state.ts';

/** All that is known of one unit; its SQL is what was found out before (`known`). */
export function unitDetail(
  index: number,
  state: UnitDetail['state'],
  result: RunUnit | UnitRecord | undefined,
  known: UnitDetail | undefined,
  { task, mode, status, isUndo, isCarried, doing }: UnitContext,
): UnitDetail {
  // Records of the ledger keep the message alone.
  const { error, notes } = result !== undefined && isRunUnit(result) ? result : { error: undefined, notes: [] };
  const slices = result?.slices ?? [];
  const sides = sidesOf(mode ?? 'run', isUndo);
  const settled = mode === 'run' && status !== 'running' && status !== 'cancelling';
  // Why in the first line, what to do about it in the next.
  const [held, ...remedies] = result?.state === 'held' ? (result.message ?? '').split('\n') : [];
  return {
    index,
    state,
    message: error?.message ?? held ?? result?.message,
    remedy: capital(error?.remedy ?? (remedies.length === 0 ? undefined : remedies.join(' '))),
    notes: [
      ...notes,
      ...leftOverInWords(result === undefined ? [] : [result]).flatMap(({ text, help }) => [
        text,
        ...(help === undefined ? [] : [help]),
      ]),
      ...leftOutInWords(slices),
      ...loadTimesInWords(task, slices),
    ],
    durationMs: result?.durationMs,
    slices: slices.map((slice) => ({ ...slice, why: causesInWords(slice.causes) })),
    statements: known?.statements ?? [],
    refusal: known?.refusal,
    doing: state === 'running' ? doing : undefined,
    sides: [sides.before, sides.after ?? 'after'],
    actions: [
      ...(settled && state === 'held'
        ? [{ label: 'Approve', request: { type: 'approve-held' as const, index }, accent: true }]
        : []),
      ...(settled && state === 'changed'
        ? [{ label: 'Undo this slice…', request: { type: 'undo' as const, index }, accent: false }]
        : []),
      ...(slices.some(({ samples }) => samples.length > 0)
        ? [{ label: 'Open as diff', request: { type: 'open-diff' as const, index }, accent: false }]
        : []),
      ...(isCarried && !isUndo
        ? [{ label: 'Open log', request: { type: 'open-task-log' as const, index }, accent: false }]
        : []),
      ...(settled && mayBeDoneElsewhere.has(state) && !isUndo
        ? [{ label: 'Mark as done…', request: { type: 'mark-done' as const, index }, accent: false }]
        : []),
      { label: 'Open source', request: { type: 'open-source', task }, accent: false },
    ],
  };
}

/** A run has not come to an end with these, and would go on if somebody did them. */
const mayBeDoneElsewhere: ReadonlySet<UnitDetail['state']> = new Set(['failed', 'blocked', 'waiting', 'cancelled']);

const capital = (text: string | undefined): string | undefined =>
  text === undefined ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/** The run that a unit is of. */
export interface UnitContext {
  readonly task: string;
  readonly mode: RunMode | undefined;
  readonly status: RunView['status'] | undefined;
  readonly isUndo: boolean;
  /** A scheduler carries it out, and does this at the moment. */
  readonly isCarried: boolean;
  readonly doing: string | undefined;
}

const isRunUnit = (result: RunUnit | UnitRecord): result is RunUnit => 'ran' in result;
