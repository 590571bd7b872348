import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { liveFiles } from '../../../src/node/files/live-files.ts';
import { loadWorkspace } from '../../../src/node/load-workspace.ts';

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'unreadable-'));
  chmodSync(root, 0o755);
  mkdirSync(join(root, 'dags'));
  for (const name of ['a_first', 'z_last']) writeFileSync(join(root, `dags/${name}.py`), dag(name));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const dag = (name: string): string => `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
with DAG("${name}", schedule="@daily"):
    SQLExecuteQueryOperator(task_id="load", conn_id="dw", sql="INSERT INTO mart.${name} SELECT 1")
`;

/** Root may read everything, so the process is somebody else for as long as the work takes. */
async function withoutPrivileges<T>(work: () => Promise<T>): Promise<T> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

interface Trouble {
  /** Puts it into `dags/m.py` (or what else is in the way there). */
  readonly make: (path: string) => void;
  /** What is said; `undefined` where nothing needs to be. */
  readonly says: RegExp | undefined;
}

const deep = (open: string, close: string): string => `${dag('m')}x = ${open.repeat(20_000)}1${close.repeat(20_000)}\n`;

const troubles: Readonly<Record<string, Trouble>> = {
  'a file without the right to read it': {
    make: (path) => {
      writeFileSync(path, dag('m'));
      chmodSync(path, 0o000);
    },
    says: /permission denied/,
  },
  'a folder of that name': { make: (path) => mkdirSync(join(path, 'inside'), { recursive: true }), says: undefined },
  'a folder without the right to enter it': {
    make: (path) => mkdirSync(path, { mode: 0o000 }),
    says: /permission denied/,
  },
  'a link to itself': { make: (path) => symlinkSync('m.py', path), says: /in a circle/ },
  'a link to the folder above': { make: (path) => symlinkSync('..', path), says: undefined },
  'a pipe that nobody writes to': { make: (path) => execFileSync('mkfifo', [path]), says: undefined },
  '50 MB': {
    make: (path) => {
      writeFileSync(path, dag('m'));
      truncateSync(path, 50_000_000);
    },
    says: /50\.0 MB is more than/,
  },
  'bytes that are no text': {
    make: (path) => writeFileSync(path, Buffer.concat([Buffer.from(dag('m')), Buffer.from([0xff, 0xfe, 0x00, 0x80])])),
    says: /not UTF-8/,
  },
  'a text that ends in the middle of a letter': {
    make: (path) => writeFileSync(path, Buffer.from(`${dag('m')}# é`).subarray(0, -1)),
    says: /not UTF-8/,
  },
  'a file that is written at the moment': {
    make: (path) => writeFileSync(path, dag('m').slice(0, 120)),
    says: undefined,
  },
  'brackets without an end': { make: (path) => writeFileSync(path, deep('(', '')), says: undefined },
  'brackets in brackets': { make: (path) => writeFileSync(path, deep('[', ']')), says: undefined },
  'one line of a megabyte': {
    make: (path) => writeFileSync(path, `${dag('m')}x = "${'a'.repeat(1_000_000)}"\n`),
    says: undefined,
  },
};

describe.each(Object.entries(troubles))('%s', (_, { make, says }) => {
  test('does not stop the other files, and is said', async () => {
    make(join(root, 'dags/m.py'));
    const { facts, problems } = await withoutPrivileges(() => loadWorkspace(root));
    const tasks = [...facts.tasks.keys()];
    expect([tasks[0], tasks.at(-1)]).toEqual(['a_first.load', 'z_last.load']);
    const said = problems.filter(({ at, severity }) => at?.file === 'dags/m.py' && severity !== 'info');
    if (says !== undefined) expect(said.map(({ message }) => message).join('\n')).toMatch(says);
    for (const { message } of said) expect(message).not.toContain('defect');
  });

  test('does not stop an editor when it comes and goes', async () => {
    const live = liveFiles(root);
    make(join(root, 'dags/m.py'));
    await withoutPrivileges(async () => {
      live.changed('dags/m.py');
      live.files.read('dags/m.py');
    });
    chmodSync(join(root, 'dags'), 0o755);
    rmSync(join(root, 'dags/m.py'), { recursive: true, force: true });
    live.changed('dags/m.py');
    expect(live.files.paths()).toEqual(['dags/a_first.py', 'dags/z_last.py']);
    expect(live.files.read('dags/m.py')).toBeUndefined();
    expect(live.files.read('dags/z_last.py')).toBe(dag('z_last'));
    expect(live.problems).toEqual([]);
  });
});

test('files that are gone since they were found are said one by one', () => {
  const live = liveFiles(root);
  rmSync(join(root, 'dags/a_first.py'));
  expect(live.files.read('dags/a_first.py')).toBeUndefined();
  expect(live.files.read('dags/z_last.py')).toBe(dag('z_last'));
  expect(live.problems.map(({ message }) => message)).toEqual(['not read: there is no such file or folder']);
});

test('the files of a folder that was deleted are gone', () => {
  const live = liveFiles(root);
  rmSync(join(root, 'dags'), { recursive: true });
  live.changed('dags');
  expect(live.files.paths()).toEqual([]);
});
