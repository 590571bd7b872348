import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { lakeNow, lateEvents, sampleLake } from '../../scripts/sample-lake.mjs';
import { type LakeFixture, lakeFixture } from '../support/lake-fixture.ts';
import { runCli } from '../support/run-cli.ts';

const example = fileURLToPath(new URL('../../examples/lake', import.meta.url));
const root = mkdtempSync(join(tmpdir(), 'backfill-example-'));
let lake: LakeFixture;

beforeAll(async () => {
  cpSync(example, root, { recursive: true });
  lake = await lakeFixture(inject('spark').url, 'example');
  await lake.sql(...['raw', 'lake'].map((schema) => `drop database if exists ${schema} cascade`), ...sampleLake(500));
});
afterAll(async () => {
  await lake.close();
  rmSync(root, { recursive: true, force: true });
});

async function run() {
  const asked = ['run', 'lake_daily.visits', '--from', '2026-11-09', '--to', '2026-11-10', '--downstream'];
  const { out } = await runCli([...asked, '--now', lakeNow, '--yes', '--format', 'json'], root, {
    env: { SPARK_REMOTE: inject('spark').url },
  });
  const { units } = JSON.parse(out) as { units: { id: string; state: string }[] };
  return units.map(({ id, state }) => `${id.replace(/^lake_daily\.|T.*$/g, '')} ${state}`);
}

test('the sample lake: a day with everything downstream, and again once late rows are there', async () => {
  const all = [
    'active_users@2026-11-09 changed',
    'active_users@2026-11-10 changed',
    'pages_daily@2026-11-09 changed',
    'visits@2026-11-09 changed',
  ];
  expect((await run()).sort()).toEqual(all);
  expect(await lake.sql("select cast(count(*) as string) from lake.visits where day = '2026-11-09'")).toEqual([
    ['500'],
  ]);
  await lake.sql(lateEvents);
  expect((await run()).sort()).toEqual(all);
});
