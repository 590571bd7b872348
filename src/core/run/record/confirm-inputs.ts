import { type ConsumedVersion, counterpart, type RecordedInput } from '../../ledger/recorded-input.ts';
import { confirmInputsSql } from '../../warehouse/dialects/postgres/ledger/record-sql.ts';
import type { Session } from '../../warehouse/port/ports.ts';
import type { PreviousVersion } from './previous-version.ts';

/**
 * Records what up-to-date versions are now known to rest on as well. A slice beside the rows that a unit reads may be rewritten
 * within its read window: whoever goes by what the ledger knows alone would call it stale although its inputs were just looked at.
 */
export async function confirmInputs(
  session: Session,
  upToDate: readonly PreviousVersion[],
  found: readonly RecordedInput[],
): Promise<void> {
  const confirmed = upToDate.flatMap(({ id, inputs }) => {
    const known = inputs?.map((input) => withVersions(input, counterpart(input, found))) ?? [];
    return known.some((input, index) => input !== inputs?.[index]) ? [{ id, inputs: known }] : [];
  });
  if (confirmed.length > 0) await session.query(confirmInputsSql, [JSON.stringify(confirmed)]);
}

/** The versions of before stay: an undo may put their rows back, and they would do as well. */
function withVersions(then: RecordedInput, now: RecordedInput | undefined): RecordedInput {
  const known = then.versions ?? [];
  const added = (now?.versions ?? []).filter((one) => !known.some((other) => isSame(one, other)));
  return added.length === 0
    ? then
    : { ...then, versions: [...known, ...added.map((one) => ({ ...one, confirmed: true as const }))] };
}

const isSame = (a: ConsumedVersion, b: ConsumedVersion): boolean =>
  a.slice === b.slice &&
  a.unit === b.unit &&
  a.rowChecksum === b.rowChecksum &&
  a.rows === b.rows &&
  a.algorithm === b.algorithm;
