import type { RunOverlap } from '../../ledger/ledger-store.ts';
import { beginningOfTime, endOfTime } from '../../time/zones/instant.ts';
import { toIso } from '../../time/zones/iso.ts';

/** Which live runs keep a plan from starting, each once, and on which rows. */
export function overlapInWords(found: readonly RunOverlap[]): string {
  const byRun = new Map<string, RunOverlap[]>();
  for (const overlap of found) byRun.set(overlap.run, [...(byRun.get(overlap.run) ?? []), overlap]);
  const runs = [...byRun.values()].map(([first, ...others]) =>
    first === undefined
      ? ''
      : [`${ownerInWords(first)}${rowsInWords(first)}`, ...others.map((one) => `${one.table}${rowsInWords(one)}`)].join(
          ', ',
        ),
  );
  return `another run is working on the same slices: ${runs.join('; ')}`;
}

/** What can be done about such runs. */
export function waitInWords(found: readonly RunOverlap[]): string {
  const leases = new Map(found.map(({ run, leaseLeftMs }) => [run, leaseLeftMs]));
  const ifGone = [...leases].map(
    ([run, leftMs]) =>
      `; if the process of ${run} is gone, its lease ends in ${secondsLeft(leftMs)}, and after that it is gone on with by: backfill resume ${run}`,
  );
  return `wait until it has ended or cancel it${ifGone.join('')}`;
}

/** A run with who works on it since when, and the table. */
export const ownerInWords = ({ run, owner, since, table }: RunOverlap): string =>
  `${run} (${owner}, since ${toIso(since)}) on ${table}`;

function rowsInWords({ from, to }: RunOverlap): string {
  const sides = [
    ...(from === beginningOfTime ? [] : [` from ${toIso(from)}`]),
    ...(to === endOfTime ? [] : [` to ${toIso(to)}`]),
  ];
  return sides.join('');
}

/** How long to wait until a lease has surely ended, in whole seconds: `41 s`. Never less than one. */
export const secondsLeft = (ms: number): string => `${Math.max(1, Math.ceil(ms / 1000))} s`;
