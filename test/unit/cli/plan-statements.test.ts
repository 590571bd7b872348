import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runCli } from '../../support/run-cli.ts';

let root = '';
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'backfill-statements-'));
  mkdirSync(join(root, 'sql'));
  writeFileSync(
    join(root, 'backfill.yaml'),
    'version: 1\nsources:\n  raw.c: { snapshots: { table: "raw.c_{{ ds_nodash }}" } }\n',
  );
  const head = '-- backfill: schedule=@daily start=2026-01-01\n';
  writeFileSync(
    join(root, 'sql/daily.sql'),
    `${head}delete from t where day = '{{ ds }}'; -- the day\ninsert into t select '{{ ds }}', c.* from c; -- anew`,
  );
  writeFileSync(join(root, 'sql/unclear.sql'), `${head}delete from u where day = '{{ ds }}' and n = {{ run_id }}`);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

const plan = (task: string, ...more: readonly string[]) =>
  runCli(
    [
      'plan',
      `sql/${task}.sql`,
      '--from',
      '2026-11-03',
      '--to',
      '2026-11-05',
      '--now',
      '2026-11-29',
      '--statements',
      ...more,
    ],
    root,
  );

describe('plan --statements', () => {
  test('prints what would be sent, snapshots in the place of their sources', async () => {
    expect((await plan('daily')).out).toContain(`
-- sql/daily.sql@2026-11-03T00:00:00Z
delete from t where day = '2026-11-03';
insert into t select '2026-11-03', c.* from raw.c_20261103 as c;

-- sql/daily.sql@2026-11-04T00:00:00Z
`);
    const { units } = JSON.parse((await plan('daily', '--format', 'json')).out);
    expect(units[1].statements).toEqual([
      "delete from t where day = '2026-11-04'",
      "insert into t select '2026-11-04', c.* from raw.c_20261104 as c",
    ]);
  });

  test('says why a unit sends nothing', async () => {
    const { out } = await plan('unclear');
    expect(out).toContain('-- sql/unclear.sql@2026-11-03T00:00:00Z\n-- not run from here: run_id cannot be rendered');
    expect(JSON.parse((await plan('unclear', '--format', 'json')).out).units[0].statements).toEqual([]);
  });
});
