import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { digest } from '../../../src/node/digest.ts';
import { diskFiles } from '../../../src/node/files/disk-files.ts';
import { nearestNames } from '../../../src/node/nearest-names.ts';
import { systemClock } from '../../../src/node/system-clock.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'files-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function write(path: string, content: string | Uint8Array = 'x'): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), content);
}

test('finds pipelines, SQL and version files, and leaves out what is not the workspace’s own', () => {
  for (const path of [
    'dags/b.py',
    'dags/a.py',
    'sql/q.sql',
    'sql/t.sql.j2',
    'sql/h.hql',
    'dbt/dbt_project.yml',
    'dbt/models/m.sql',
    'requirements-dev.txt',
    'uv.lock',
    'airflow.cfg',
  ])
    write(path);
  for (const path of ['node_modules/x/a.py', '.venv/a.py', 'dist/a.sql', 'dags/__pycache__/a.py', 'readme.md', 'a.pyc'])
    write(path);
  write('myenv/pyvenv.cfg');
  write('myenv/lib/a.py');
  const { files, problems } = diskFiles(root);
  expect(files.paths()).toEqual([
    'airflow.cfg',
    'dags/a.py',
    'dags/b.py',
    'dbt/dbt_project.yml',
    'dbt/models/m.sql',
    'requirements-dev.txt',
    'sql/h.hql',
    'sql/q.sql',
    'sql/t.sql.j2',
    'uv.lock',
  ]);
  expect(problems).toEqual([]);
});

test('follows links once, also in a circle, and says where one leads nowhere', () => {
  write('dags/a.py');
  symlinkSync(root, join(root, 'dags', 'again'));
  symlinkSync(join(root, 'nowhere.py'), join(root, 'dags', 'broken.py'));
  symlinkSync('loop.py', join(root, 'dags', 'loop.py'));
  symlinkSync(join(root, 'dags', 'a.py'), join(root, 'linked.py'));
  const { files, problems } = diskFiles(root);
  expect(files.paths()).toEqual(['dags/a.py', 'linked.py']);
  expect(problems.map(({ at, message }) => `${at?.file}: ${message}`)).toEqual([
    'dags/broken.py: not read: there is no such file or folder',
    'dags/loop.py: not read: its symbolic links lead in a circle',
  ]);
});

test('reads text once, without a byte order mark, and says what is not text or too large', () => {
  write('bom.sql', '\uFEFFselect 1');
  write('latin.sql', Uint8Array.from([0x73, 0xe9, 0x6c]));
  write('wide.sql', new Uint8Array(Buffer.from('select 1', 'utf16le')));
  write('huge.sql', '');
  truncateSync(join(root, 'huge.sql'), 3_000_000);
  const { files, problems } = diskFiles(root);
  expect(files.read('bom.sql')).toBe('select 1');
  writeFileSync(join(root, 'bom.sql'), 'changed');
  expect(files.read('bom.sql')).toBe('select 1');
  expect(files.read('latin.sql')).toBeUndefined();
  expect(files.read('latin.sql')).toBeUndefined();
  expect(files.read('wide.sql')).toBeUndefined();
  expect(files.read('../etc/passwd')).toBeUndefined();
  expect(problems.map(({ at, message }) => `${at?.file}: ${message}`)).toEqual([
    'huge.sql: not read: 3.0 MB is more than 2 MB',
    'latin.sql: not read: it is not UTF-8 text; save it as UTF-8',
    'wide.sql: not read: it is not UTF-8 text; save it as UTF-8',
  ]);
});

test('a folder that is not there is a problem', () => {
  const { files, problems } = diskFiles(join(root, 'absent'));
  expect(files.paths()).toEqual([]);
  expect(problems[0]?.message).toContain('there is no such file or folder');
});

test('the digest is SHA-256 of the UTF-8 bytes', () => {
  expect(digest('é')).toBe('4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c');
});

test('the clock wakes up at once when told to stop', async () => {
  const controller = new AbortController();
  const sleeping = systemClock.sleep(1e9, controller.signal);
  controller.abort();
  await sleeping;
  await systemClock.sleep(1e9, controller.signal);
});

test('nearest names', () => {
  const names = ['shop_daily.orders_clean', 'shop_daily.revenue_daily', 'shop_ingest.load_orders', 'conn', 'x'];
  expect(nearestNames('shop_daily.order_clean', names)[0]).toBe('shop_daily.orders_clean');
  expect(nearestNames('orders_clean', names)).toEqual(['shop_daily.orders_clean']);
  expect(nearestNames('SHOP-DAILY.REVENUE-DAILY', names)).toEqual(['shop_daily.revenue_daily']);
  expect(nearestNames('ocnn', names)).toEqual(['conn']);
  expect(nearestNames('quite something else', names)).toEqual([]);
  expect(nearestNames('', names)).toEqual([]);
});
