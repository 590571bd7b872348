import type { SessionFacts } from './session-facts.ts';

/** What a run of this session wrote is newer than what the ledger said before, and that is of the very slices that were counted. */
export function rowsNow({
  ledger,
  outcomes,
  surveys,
  counted,
}: Pick<SessionFacts, 'ledger' | 'outcomes' | 'surveys' | 'counted'>): ReadonlyMap<string, number> {
  const now = new Map(counted.rows);
  for (const { rows } of surveys.values()) for (const [unit, count] of rows) now.set(unit, count);
  for (const known of [ledger, outcomes]) {
    for (const [unit, { rows }] of known ?? []) if (rows !== undefined) now.set(unit, rows);
  }
  return now;
}
