import { causesInWords } from '../../../core/diff/change-cause.ts';
import { leftOutInWords } from '../../../core/diff/left-out-in-words.ts';
import type { UnitRecord } from '../../../core/ledger/ledger-store.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { leftOverInWords } from '../../../core/view/words/left-over-advice.ts';
import type { UnitDetail } from '../../../protocol/assistant-state.ts';

/** All that is known of one unit; its SQL is what was found out before (`known`). */
export function unitDetail(
  index: number,
  state: UnitDetail['state'],
  result: RunUnit | UnitRecord | undefined,
  known: UnitDetail | undefined,
): UnitDetail {
  // Records of the ledger keep the message alone.
  const { error, notes } = result !== undefined && isRunUnit(result) ? result : { error: undefined, notes: [] };
  const slices = result?.slices ?? [];
  // Why in the first line, what to do about it in the next.
  const [held, ...remedies] = result?.state === 'held' ? (result.message ?? '').split('\n') : [];
  return {
    index,
    state,
    message: error?.message ?? held ?? result?.message,
    remedy: error?.remedy ?? (remedies.length === 0 ? undefined : remedies.join(' ')),
    notes: [
      ...notes,
      ...leftOverInWords(result === undefined ? [] : [result]).flatMap(({ text, help }) => [
        text,
        ...(help === undefined ? [] : [help]),
      ]),
      ...leftOutInWords(slices),
    ],
    durationMs: result?.durationMs,
    slices: slices.map((slice) => ({ ...slice, why: causesInWords(slice.causes) })),
    statements: known?.statements ?? [],
    refusal: known?.refusal,
  };
}

const isRunUnit = (result: RunUnit | UnitRecord): result is RunUnit => 'ran' in result;
