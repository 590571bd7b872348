import { expect, test } from 'vitest';
import type { AppliedSlice } from '../../../src/core/run/record/applied.ts';
import { appendNotes } from '../../../src/core/run/relational/guards/append-notes.ts';
import type { JobSlice } from '../../../src/core/run/unit/unit-job.ts';
import { job } from '../../support/warehouse-fixture.ts';

const options = { holdShrinkPercent: 50 };
const surely = { again: { addsRows: true, column: undefined, sure: true } };

/** What is said of a slice that had 2 rows and has 3. */
function said(parts: Partial<JobSlice>, again: Parameters<typeof appendNotes>[2], held = options) {
  const { options: all, slices, ...rest } = job();
  const slice = { ...(slices[0] as JobSlice), mode: 'append', ...parts } as const;
  const unit = { ...rest, slices: [slice], options: { ...all, ...held } };
  const diff = { table: 'mart.t', before: { rows: 2 }, after: { rows: 3 } };
  return appendNotes(unit, [{ target: { slice }, diff } as unknown as AppliedSlice], again).join();
}

test('that each run adds rows again is said where it is known only', () => {
  expect(said(surely, 'none')).toMatch(/had 2 rows .* has 3 now: .* and each run adds them again\.$/);
  expect(said({}, 'changes')).toMatch(/and each run adds them again\.$/);
  // A second run was tried, and added none.
  expect(said({}, 'none')).toBe('');
  expect(said({}, 'not-known')).toMatch(/and whether each run adds them again is not known\.$/);
  expect(said({}, 'none', { holdShrinkPercent: undefined } as never)).toMatch(/is not known\.$/);
  expect(said({ ...surely, journal: true }, 'none')).toBe('');
});
