import { expect, test } from 'vitest';
import type { LedgerStore, RunSummary, UnitRecord } from '../../../src/core/ledger/ledger-store.ts';
import { sliceStates } from '../../../src/core/ledger/slice-states.ts';
import type { SliceVersionRecord } from '../../../src/core/ledger/stale-slices.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

const version = (unit: string, committedAt: number, patch: Partial<SliceVersionRecord> = {}): SliceVersionRecord => ({
  id: committedAt,
  madeAt: committedAt,
  run: 'r',
  unit,
  task: 'shop.clean',
  slice: `mart.clean|${unit}`,
  target: 'mart.clean',
  lower: committedAt,
  upper: committedAt + 1,
  rows: 10,
  rowChecksum: 'x',
  algorithm: 'a',
  codeHash: 'now',
  inputs: [],
  committedAt: instant(committedAt),
  ...patch,
});

const record = (unit: string, state: UnitRecord['state']): UnitRecord => ({
  unit,
  state,
  attempts: 1,
  message: undefined,
  durationMs: undefined,
  slices: [],
});

function ledger(
  versions: readonly SliceVersionRecord[],
  runs: readonly { readonly run: string; readonly createdAt: number; readonly units: readonly UnitRecord[] }[],
): Pick<LedgerStore, 'newestVersions' | 'listRuns' | 'units'> {
  return {
    newestVersions: async () => versions,
    listRuns: async () =>
      runs.map(
        ({ run, createdAt, units }): RunSummary => ({
          run,
          title: '',
          createdAt: instant(createdAt),
          createdBy: '',
          task: undefined,
          workedOnBy: undefined,
          counts: {
            failed: units.filter(({ state }) => state === 'failed').length,
            held: units.filter(({ state }) => state === 'held').length,
          },
        }),
      ),
    units: async (run) => runs.find((one) => one.run === run)?.units ?? [],
  };
}

const read = async (...asked: Parameters<typeof ledger>) =>
  (await sliceStates(ledger(...asked), new Map([['shop.clean', 'now']]))).map(
    ({ unit, state, rows }) => `${unit} ${state} ${rows}`,
  );

test('a slice is fresh, or stale where its code is another one; its rows are those of all of its slices', async () => {
  const versions = [
    version('a', 1),
    version('a', 2, { slice: 'mart.other|a', target: 'mart.other', rows: 5 }),
    version('b', 3, { codeHash: 'before' }),
  ];
  expect(await read(versions, [])).toEqual(['a fresh 15', 'b stale 10']);
});

test('what failed or was held since it was made is said, by the newest run that has something to say', async () => {
  const runs = [
    { run: 'r3', createdAt: 30, units: [record('a', 'held'), record('c', 'changed')] },
    { run: 'r2', createdAt: 20, units: [record('a', 'failed'), record('b', 'failed'), record('d', 'failed')] },
  ];
  expect(await read([version('a', 10), version('b', 25)], runs)).toEqual([
    'a held 10',
    'b fresh 10',
    'd failed undefined',
  ]);
});
