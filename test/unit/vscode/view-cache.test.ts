import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { instant } from '../../../src/core/time/zones/instant.ts';
import type { DocumentView } from '../../../src/core/view/document/document-view.ts';
import type { ViewBasis } from '../../../src/core/view/kept/kept-view.ts';
import { type CachedDocument, viewCache } from '../../../src/vscode/clients/view-cache.ts';
import { createWorkspaceApi } from '../../../src/vscode/host/workspace/workspace-service.ts';
import type { WorkspaceSettings } from '../../../src/vscode/host/workspace-api.ts';

let root = '';
let folder = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cached-'));
  folder = join(root, '.cache/views');
  mkdirSync(join(root, 'dags'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const day = 86_400_000;
const now = Date.UTC(2026, 0, 2, 12);
const text = `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from when import SCHEDULE
with DAG("a", schedule=SCHEDULE):
    SQLExecuteQueryOperator(task_id="t", conn_id="dw", sql="INSERT INTO mart.t SELECT 1")
`;
const settings: WorkspaceSettings = {
  airflowVersion: 'auto',
  airflowPython: undefined,
  trusted: false,
  severities: {},
  shownIn: undefined,
};
const document = (patch: Partial<CachedDocument> = {}): CachedDocument => ({
  root,
  path: 'dags/a.py',
  text,
  settings: '{}',
  ...patch,
});
/** What is shown of the file, and on what it rests, as it is kept. */
async function seen(): Promise<{ readonly view: DocumentView; readonly basis: ViewBasis }> {
  writeFileSync(join(root, 'dags/a.py'), text);
  writeFileSync(join(root, 'dags/when.py'), 'SCHEDULE = "@daily"\n');
  writeFileSync(join(root, 'requirements.txt'), 'apache-airflow==2.10.4\n');
  const api = createWorkspaceApi(() => {});
  await api.open({ root, settings });
  const view = await api.view({ path: 'dags/a.py', now });
  const basis = await api.basis({ path: 'dags/a.py', pipelines: ['a'], now });
  if (basis === undefined) throw new Error('it rests on something');
  return { view, basis };
}
const kept = (): string => {
  const [name = ''] = readdirSync(folder);
  return join(folder, name);
};

describe('what is kept of a file', () => {
  test('is its tasks and intervals, for as long as nothing that decides them has changed', async () => {
    const { view, basis } = await seen();
    expect(basis.files.map(([path]) => path)).toEqual(['backfill.yaml', 'dags/when.py', 'requirements.txt']);
    // The next day is the last one then.
    expect(basis.until).toBe(Date.UTC(2026, 0, 3));
    await viewCache(folder, '1.0.0').keep(document(), view, basis);
    const cache = viewCache(folder, '1.0.0');
    const found = await cache.find(document(), now);
    expect(found?.tasks).toEqual(view.tasks.map(({ downstream: _, ...task }) => task));
    expect(found?.pipelines).toEqual(view.pipelines);
    expect(found).toMatchObject({ findings: [], unknowns: [], problems: [], hints: [], hovers: [] });
    expect(await cache.find(document(), now + day)).toBeUndefined();
    for (const changed of [
      document({ text: `${text}\n` }),
      document({ path: 'dags/b.py' }),
      document({ root: `${root}/other` }),
      document({ settings: '{"shownIn":"UTC"}' }),
    ]) {
      expect(await cache.find(changed, now)).toBeUndefined();
    }
    expect(await viewCache(folder, '1.0.1').find(document(), now)).toBeUndefined();
  });

  test.each([
    ['a module that it imports', 'dags/when.py', 'SCHEDULE = "@hourly"\n'],
    ['the version of Airflow', 'requirements.txt', 'apache-airflow==3.0.0\n'],
    ['a configuration that was not there', 'backfill.yaml', 'version: 1\nairflow: { version: 3 }\n'],
  ])('is not shown when %s is another', async (_, path, changed) => {
    const { view, basis } = await seen();
    const cache = viewCache(folder, '1.0.0');
    await cache.keep(document(), view, basis);
    expect(await cache.find(document(), now)).toBeDefined();
    writeFileSync(join(root, path), changed);
    expect(await cache.find(document(), now)).toBeUndefined();
  });

  test('rests on nothing where an interval was picked by hand', async () => {
    await seen();
    const api = createWorkspaceApi(() => {});
    await api.open({ root, settings });
    await api.pick({ pipeline: 'a', at: instant(now - 5 * day) });
    expect(await api.basis({ path: 'dags/a.py', pipelines: ['a'], now })).toBeUndefined();
  });

  test('counts as nothing where its file is broken or foreign', async () => {
    const { view, basis } = await seen();
    const cache = viewCache(folder, '1.0.0');
    await cache.keep(document(), view, basis);
    const good = readFileSync(kept(), 'utf8');
    const { format, files, ...rest } = JSON.parse(good);
    const task = rest.tasks[0];
    const foreign: readonly unknown[] = [
      good.slice(0, good.length / 2),
      '',
      'null',
      '[]',
      { ...rest, files, format: 2 },
      { ...rest, format },
      { ...rest, format, files: [['../../etc/passwd', null]] },
      { ...rest, format, files: [['/etc/passwd', null]] },
      { ...rest, format, files, until: 'never' },
      { ...rest, format, files, tasks: [{ ...task, at: { start: 0, end: text.length + 1 } }] },
      { ...rest, format, files, tasks: [{ ...task, at: { start: 9, end: 3 } }] },
      { ...rest, format, files, tasks: [{ ...task, task: 7 }] },
      { ...rest, format, files, tasks: [{ ...task, downstream: 3 }] },
      { ...rest, format, files, tasks: [{ ...task, interval: { label: '2026-01-01' } }] },
      { ...rest, format, files, pipelines: [{}] },
    ];
    for (const one of foreign) {
      writeFileSync(kept(), typeof one === 'string' ? one : JSON.stringify(one));
      expect(await cache.find(document(), now), JSON.stringify(one)).toBeUndefined();
    }
    writeFileSync(kept(), good);
    expect(await cache.find(document(), now)).toBeDefined();
  });

  test('is bounded, the oldest goes, and it can be taken away', async () => {
    const { view, basis } = await seen();
    mkdirSync(folder, { recursive: true });
    for (let n = 0; n < 320; n++) {
      writeFileSync(join(folder, `old-${n}.json`), '{}');
      utimesSync(join(folder, `old-${n}.json`), 1000 + n, 1000 + n);
    }
    const cache = viewCache(folder, '1.0.0');
    await cache.keep(document(), view, basis);
    const left = readdirSync(folder);
    expect(left).toHaveLength(300);
    expect(left).not.toContain('old-0.json');
    expect(await cache.find(document(), now)).toBeDefined();
    await cache.clear();
    expect(await cache.find(document(), now)).toBeUndefined();
    // Without a place nothing is kept, and nothing goes wrong.
    const nowhere = viewCache(undefined, '1.0.0');
    await nowhere.keep(document(), view, basis);
    await nowhere.clear();
    expect(await nowhere.find(document(), now)).toBeUndefined();
  });
});
