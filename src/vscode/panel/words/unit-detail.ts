import { causesInWords } from '../../../core/diff/change-cause.ts';
import type { UnitRecord } from '../../../core/ledger/ledger-store.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
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
  return {
    index,
    state,
    message: error?.message ?? result?.message,
    remedy: error?.remedy,
    notes,
    durationMs: result?.durationMs,
    slices: (result?.slices ?? []).map((slice) => ({ ...slice, why: causesInWords(slice.causes) })),
    statements: known?.statements ?? [],
    refusal: known?.refusal,
  };
}

const isRunUnit = (result: RunUnit | UnitRecord): result is RunUnit => 'ran' in result;
