import { describe, expect, test, vi } from 'vitest';
import { sharedImportsWorkspace } from '../../../bench/shared-imports-workspace.ts';
import { defaultReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import type { PythonParser } from '../../../src/core/pipeline/python/syntax/python-parser.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const dag = (id: string, body: string, imports = 'from house import settings'): string =>
  `from airflow import DAG
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
${imports}
with DAG("${id}", schedule="@daily") as dag:
${body
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`;

const load = (sql: string): string => `SQLExecuteQueryOperator(task_id="load", sql=${sql})`;

function reader(using: PythonParser = parser) {
  const made = createWorkspaceReader(using, defaultReaderOptions);
  return (files: Readonly<Record<string, string>>) =>
    made.read(fileSetOf(new Map(Object.entries({ 'plugins/house/__init__.py': '', ...files }))));
}

const tables = (files: Readonly<Record<string, string>>, read = reader()): Record<string, readonly string[]> =>
  Object.fromEntries(
    read(files).files.flatMap(({ pipelines }) =>
      pipelines.map(({ id, tasks }) => [
        id,
        tasks.flatMap(({ name, sql }) => [
          name,
          ...sql.flatMap(({ reading }) => reading.statements.flatMap(({ target }) => target?.name ?? [])),
        ]),
      ]),
    ),
  );

describe('a module that many files import', () => {
  test('is parsed and followed once', () => {
    const parse = vi.fn(parser.parse.bind(parser));
    const files = Object.fromEntries(
      [1, 2, 3, 4].map((n) => [`dags/d${n}.py`, dag(`d${n}`, load('"INSERT INTO " + settings.TABLE'))]),
    );
    const all = { ...files, 'plugins/house/settings.py': 'TABLE = "mart.a"' };
    expect(tables(all, reader({ parse }))).toEqual({
      d1: ['load', 'mart.a'],
      d2: ['load', 'mart.a'],
      d3: ['load', 'mart.a'],
      d4: ['load', 'mart.a'],
    });
    expect(parse.mock.calls.filter(([text]) => text.startsWith('TABLE'))).toHaveLength(1);
  });

  test.each([
    ['a list', 'TABLES = ["mart.a"]', 'settings.TABLES.append("mart.b")'],
    ['a dict', 'TABLES = {"mart.a": 1}', 'settings.TABLES["mart.b"] = 2'],
    ['a dict by a method', 'TABLES = {"mart.a": 1}', 'settings.TABLES.update({"mart.b": 2})'],
    ['a list inside', 'ALL = {"x": ["mart.a"]}\nTABLES = ALL["x"]', 'settings.ALL["x"].append("mart.b")'],
    ['a class', 'class S:\n    TABLES = ["mart.a"]\nTABLES = S.TABLES', 'settings.S.TABLES.append("mart.b")'],
    ['by its own function', 'TABLES = ["mart.a"]\ndef add(t):\n    TABLES.append(t)', 'settings.add("mart.b")'],
  ])('is changed by one file for that file only: %s', (_, module, change) => {
    const each =
      'for table in settings.TABLES:\n    SQLExecuteQueryOperator(task_id=table, sql="INSERT INTO " + table)';
    const plain = ['mart.a', 'mart.a'];
    expect(
      tables({
        'plugins/house/settings.py': module,
        'dags/a.py': dag('a', each),
        'dags/b.py': dag('b', `${change}\n${each}`),
        'dags/c.py': dag('c', each),
      }),
    ).toEqual({ a: plain, b: [...plain, 'mart.b', 'mart.b'], c: plain });
  });

  test('is followed once although files and modules change what it holds', () => {
    const parse = vi.fn(parser.parse.bind(parser));
    const env =
      'class Env:\n    known = None\n    @staticmethod\n    def get():\n        if Env.known is None:\n            Env.known = "mart"\n        return Env.known';
    const users = [1, 2, 3].map((n) => [
      `plugins/house/user${n}.py`,
      `from house.env import Env\nTABLE = Env.get() + ".t${n}"`,
    ]);
    const files = [1, 2, 3, 4].map((n) => [
      `dags/d${n}.py`,
      dag(`d${n}`, load(`"INSERT INTO " + user${(n % 3) + 1}.TABLE`), 'from house import user1, user2, user3'),
    ]);
    const all = { 'plugins/house/env.py': env, ...Object.fromEntries([...users, ...files]) };
    expect(tables(all, reader({ parse }))).toEqual({
      d1: ['load', 'mart.t2'],
      d2: ['load', 'mart.t3'],
      d3: ['load', 'mart.t1'],
      d4: ['load', 'mart.t2'],
    });
    expect(parse.mock.calls.filter(([text]) => !text.includes('with DAG') && text !== '')).toHaveLength(4);
  });

  test('has what the modules put into it that this file imports, whatever others import', () => {
    const each =
      'for table in registry.TABLES:\n    SQLExecuteQueryOperator(task_id=table, sql="INSERT INTO " + table)';
    const registered = (name: string) => `from house import registry\nregistry.TABLES.append("mart.${name}")`;
    const files = {
      'plugins/house/registry.py': 'TABLES = []',
      'plugins/house/a.py': registered('a'),
      'plugins/house/b.py': registered('b'),
      'dags/d1.py': dag('d1', each, 'from house import registry, a, b'),
      'dags/d2.py': dag('d2', each, 'from house import b, registry'),
      'dags/d3.py': dag('d3', each, 'from house import b, a, registry'),
      'dags/d4.py': dag('d4', load('"SELECT 1"'), 'from house import registry'),
      'dags/d5.py': dag('d5', each, 'from house import a, registry'),
    };
    expect(tables(files)).toEqual({
      d1: ['mart.a', 'mart.a', 'mart.b', 'mart.b'],
      d2: ['mart.b', 'mart.b'],
      d3: ['mart.b', 'mart.b', 'mart.a', 'mart.a'],
      d4: ['load'],
      d5: ['mart.a', 'mart.a'],
    });
  });

  test('an attribute that one file gives to a class stays with that file', () => {
    const module = 'class Settings:\n    table = "mart.a"\n';
    const use = load('"INSERT INTO " + settings.Settings.table');
    expect(
      tables({
        'plugins/house/settings.py': module,
        'dags/a.py': dag('a', `settings.Settings.table = "mart.b"\n${use}`),
        'dags/b.py': dag('b', use),
      }),
    ).toEqual({ a: ['load', 'mart.b'], b: ['load', 'mart.a'] });
  });

  test('its decorated functions make tasks of whoever calls them', () => {
    const module = `from airflow.decorators import task, task_group
@task
def one():
    pass
@task_group
def both():
    one() >> one()
`;
    const use = 'one()\nboth()';
    const imports = 'from house.steps import one, both';
    const names = ['one', 'both.one', 'both.one__1'];
    expect(
      tables({
        'plugins/house/steps.py': module,
        'dags/a.py': dag('a', use, imports),
        'dags/b.py': dag('b', use, imports),
      }),
    ).toEqual({ a: names, b: names });
  });

  test('one that makes tasks makes them for each file', () => {
    const module = `from airflow.operators.empty import EmptyOperator\ndef end():\n    return EmptyOperator(task_id="end")\n`;
    const direct =
      'from airflow.operators.empty import EmptyOperator\nEND = EmptyOperator(task_id="end")\nNAME = "mart.a"\n';
    const imports = 'from house.steps import end\nfrom house.direct import END, NAME';
    const use = `${load('"INSERT INTO " + NAME')} >> END\nend()`;
    const files = { 'plugins/house/steps.py': module, 'plugins/house/direct.py': direct };
    const read = tables({ ...files, 'dags/a.py': dag('a', use, imports), 'dags/b.py': dag('b', use, imports) });
    const found = new Map(Object.entries(read));
    expect(found.get('b')).toEqual(found.get('a'));
    expect(found.get('a')).toContain('load');
  });

  test('modules that import each other give the same to everyone', () => {
    const files = {
      'plugins/house/a.py': 'from house.b import B\nA = "mart.a"\ndef other():\n    return B\n',
      'plugins/house/b.py': 'import house.a as a\nB = "mart.b"\ndef other():\n    return a.A\n',
    };
    const use = `${load('"INSERT INTO " + a_other()')}\nSQLExecuteQueryOperator(task_id="b", sql="INSERT INTO " + b_other())`;
    const imports = 'from house.a import other as a_other\nfrom house.b import other as b_other';
    const names = ['load', 'mart.b', 'b', 'mart.a'];
    expect(tables({ ...files, 'dags/a.py': dag('a', use, imports), 'dags/b.py': dag('b', use, imports) })).toEqual({
      a: names,
      b: names,
    });
  });

  test('an edit of it, or of what it imports, is seen by all who import it', () => {
    const read = reader();
    const files = {
      'plugins/house/names.py': 'NAME = "mart.a"',
      'plugins/house/settings.py': 'from house.names import NAME\nTABLE = NAME\n',
      'dags/a.py': dag('a', load('"INSERT INTO " + settings.TABLE')),
      'dags/b.py': dag('b', load('"INSERT INTO " + settings.TABLE')),
    };
    expect(tables(files, read)).toEqual({ a: ['load', 'mart.a'], b: ['load', 'mart.a'] });
    const before = read(files).files;
    const edited = { ...files, 'plugins/house/names.py': 'NAME = "mart.b"' };
    expect(tables(edited, read)).toEqual({ a: ['load', 'mart.b'], b: ['load', 'mart.b'] });
    expect(tables(files, read)).toEqual({ a: ['load', 'mart.a'], b: ['load', 'mart.a'] });
    expect(before.flatMap(({ dependsOn }) => dependsOn)).toContain('plugins/house/names.py');
    const { 'plugins/house/names.py': _, ...without } = files;
    const unknown = ['load', '{settings.TABLE}'];
    expect(tables(without, read)).toEqual({ a: unknown, b: unknown });
  });

  test('says of one that is too large that it was cut off', () => {
    const large = `${Array.from({ length: 60 }, (_, n) => `V${n} = [i for i in range(900)]`).join('\n')}\n${'X = [[1, 2, 3, 4, 5, 6, 7, 8] for i in range(900)]\n'.repeat(40)}LAST = 1`;
    const { files } = reader()({
      'plugins/house/settings.py': large,
      'dags/a.py': dag('a', load('"INSERT INTO mart.a SELECT 1"')),
    });
    expect(files.flatMap(({ problems }) => problems.map(({ at, message }) => `${at?.file} ${message}`))).toContainEqual(
      expect.stringMatching(/^plugins\/house\/settings\.py This module is too large to follow to its end/),
    );
    expect(files.flatMap(({ pipelines }) => pipelines.flatMap(({ tasks }) => tasks.map(({ name }) => name)))).toEqual([
      'load',
    ]);
  });
});

test('what is read of a workspace does not depend on which file is read first', () => {
  const texts = Object.fromEntries(sharedImportsWorkspace(30));
  const all = new Map(Object.entries(tables(texts)));
  for (const name of ['dags/team_7/dag_7.py', 'dags/team_17/dag_17.py']) {
    const alone = Object.entries(texts).filter(([path]) => path === name || !path.startsWith('dags/'));
    for (const [dagId, found] of Object.entries(tables(Object.fromEntries(alone))))
      expect(all.get(dagId)).toEqual(found);
  }
});

test('the source of Airflow in the workspace is not followed, what is known of Airflow holds', () => {
  const airflow = {
    'airflow/__init__.py': 'def __getattr__(name):\n    return load(name)\n',
    'airflow/exceptions.py': '',
    'airflow/models/__init__.py': 'DAG = object\n',
    'airflow/models/baseoperator.py': 'class BaseOperator:\n    pass\n',
    'airflow/providers/common/sql/operators/sql.py': 'class SQLExecuteQueryOperator:\n    pass\n',
  };
  expect(tables({ ...airflow, 'airflow/example_dags/a.py': dag('a', load('"INSERT INTO t SELECT 1"')) })).toEqual({
    a: ['load', 't'],
  });
});

test('a folder that is called airflow is followed', () => {
  const files = {
    'airflow/__init__.py': '',
    'airflow/shop/__init__.py': '',
    'airflow/shop/names.py': 'TABLE = "shop.t"\n',
    'airflow/dags/a.py': dag('a', load('f"INSERT INTO {TABLE} SELECT 1"'), 'from airflow.shop.names import TABLE'),
  };
  expect(tables(files)).toEqual({ a: ['load', 'shop.t'] });
});

describe('a folder that Python itself puts on its path', () => {
  const append = (how: string): string => `import os, sys\nsys.path.${how}\nfrom helper import TABLE`;
  const insert = load('f"INSERT INTO {TABLE} SELECT 1"');
  const helpers = { 'lib/helper.py': 'from deeper import TABLE', 'lib/deeper.py': 'TABLE = "mart.lib"' };

  test.each([
    'append(os.path.abspath(os.path.join(os.path.dirname(__file__), "../lib")))',
    'insert(0, os.path.join(os.path.dirname(os.path.dirname(__file__)), "lib"))',
  ])('%s', (how) => {
    expect(tables({ 'dags/one.py': dag('one', insert, append(how)), ...helpers })).toEqual({
      one: ['load', 'mart.lib'],
    });
  });

  test('comes first or last as it is put there', () => {
    const own = { 'dags/helper.py': 'TABLE = "mart.own"', ...helpers };
    const place = 'os.path.join(os.path.dirname(__file__), "../lib")';
    const files = {
      'dags/first.py': dag('first', insert, append(`insert(0, ${place})`)),
      'dags/last.py': dag('last', insert, append(`append(${place})`)),
    };
    expect(tables({ ...files, ...own })).toEqual({ first: ['load', 'mart.lib'], last: ['load', 'mart.own'] });
  });

  test('holds for the file that puts it there, also by a module, and for no other', () => {
    const place = 'os.path.join(os.path.dirname(__file__), "../../lib")';
    const files = {
      'plugins/house/paths.py': `import os, sys\nsys.path.append(${place})`,
      'plugins/house/settings.py': 'TRIED = 1\nfrom helper import TABLE',
      'dags/a.py': dag('a', load('settings.TABLE'), 'from house import settings'),
      'dags/b.py': dag(
        'b',
        load('f"INSERT INTO {settings.TABLE} SELECT 1"'),
        'from house import paths\nfrom house import settings',
      ),
      'dags/c.py': dag('c', load('f"INSERT INTO {TABLE} SELECT 1"'), 'from helper import TABLE'),
      ...helpers,
    };
    const found = tables(files);
    expect(found.b).toEqual(['load', 'mart.lib']);
    expect([found.a, found.c]).not.toContain('mart.lib');
    expect(found.c).not.toContain('mart.lib');
  });
});
