import pc from 'picocolors';
import { describe, expect, test } from 'vitest';
import { checkText } from '../../../src/cli/reporters/check/check-text.ts';
import { plural } from '../../../src/core/text/plural.ts';
import { WarehouseError } from '../../../src/core/warehouse/port/warehouse-error.ts';
import { diskFullError } from '../../../src/warehouses/pglite/disk-full.ts';

const summary = (count: number): string | undefined =>
  checkText(
    {
      findings: [],
      problems: Array.from({ length: count }, () => ({
        message: 'cannot be read',
        at: undefined,
        severity: 'warning',
      })),
      filesRead: 1,
      help: () => '',
      text: () => undefined,
    },
    pc.createColors(false),
  )
    .trimEnd()
    .split('\n')
    .at(-1);

describe('what is counted', () => {
  test.each([
    [0, 'no findings, 1 file read'],
    [1, 'no findings, 1 problem, 1 file read'],
    [8, 'no findings, 8 problems, 1 file read'],
  ])('the summary of a check with %i problems', (count, expected) => {
    expect(summary(count)).toBe(expected);
  });
  test.each([
    [0, '0 rows'],
    [1, '1 row'],
    [2, '2 rows'],
  ])('%i of a thing', (count, expected) => {
    expect(plural(count, 'row')).toBe(expected);
  });
});

describe('a full disk', () => {
  test.each([
    Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' }),
    Object.assign(new Error('EDQUOT: disk quota exceeded'), { code: 'EDQUOT' }),
    new Error('could not write to file "pg_wal/xlogtemp.42": No space left on device'),
  ])('is said, with what helps: %s', (cause) => {
    expect(diskFullError('/data/db', cause)).toMatchObject({
      kind: 'storage',
      message: 'The disk of the data directory /data/db is full.',
      detail: { hint: expect.stringContaining('Free space') },
    });
  });
  test.each([new Error('EACCES: permission denied'), undefined, new WarehouseError('conflict', 'in use', false)])(
    'is not said of %s',
    (cause) => expect(diskFullError('/data/db', cause)).toBeUndefined(),
  );
});
