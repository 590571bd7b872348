import { describe, expect, test } from 'vitest';
import { instant } from '../../../src/core/time/zones/instant.ts';
import { shortTime } from '../../../src/core/view/document/interval-hints.ts';
import { outcomeTitle, rerunTitle } from '../../../src/core/view/document/lens-text.ts';
import type { SliceVersion } from '../../../src/core/view/words/slice-version.ts';

const now = Date.UTC(2026, 10, 30, 12);
const version = (state: SliceVersion['state'], differing?: number): SliceVersion => ({
  table: 'mart.clean',
  state,
  rows: 1111,
  rowChecksum: 'x',
  differing,
  at: now - 2 * 60_000,
});

describe('a lens', () => {
  const data = { start: instant(0), end: instant(1) };
  test('says which interval it plans, and how much is behind it', () => {
    const interval = { label: '2026-11-29', data };
    expect(rerunTitle({ interval, downstream: 3 })).toBe('Rerun this interval (2026-11-29, +3 downstream)');
    expect(rerunTitle({ interval, downstream: 0 })).toBe('Rerun this interval (2026-11-29)');
  });

  test.each([
    [[version('changed', 123)], '~ 123 rows, 2 min ago'],
    [[version('changed', 1), version('changed', 0)], '~ 1 row, 2 min ago'],
    [[version('changed')], '~ changed, 2 min ago'],
    [[version('unchanged')], '✓ unchanged, 2 min ago'],
    [[version('held')], '! held, 2 min ago'],
    [[version('failed')], '× failed, 2 min ago'],
  ])('says what the last run made of it: %#', (versions, said) => {
    expect(outcomeTitle(versions, now)).toBe(said);
  });

  test('says nothing of what did not run', () => {
    expect(outcomeTitle([], now)).toBeUndefined();
  });
});

test.each([
  ['2026-11-28 00:00:00+00:00', 'UTC', '2026-11-28'],
  ['2026-11-28T00:00:00+00:00', 'UTC', '2026-11-28'],
  // A midnight in UTC is none in Berlin.
  ['2026-11-28 00:00:00+00:00', 'Europe/Berlin', '2026-11-28 00:00+00:00'],
  ['2026-11-28 00:00:00', 'Europe/Berlin', '2026-11-28'],
  ['2026-11-27 23:00:00+00:00', 'Europe/Berlin', '2026-11-27 23:00+00:00'],
  ['2026-11-28 00:00:01+00:00', 'UTC', '2026-11-28 00:00:01+00:00'],
  ['20261128', 'UTC', '20261128'],
])('%s of a pipeline in %s is hinted as %s', (rendered, zone, hinted) => {
  expect(shortTime(rendered, zone)).toBe(hinted);
});
