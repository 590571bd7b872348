import { beforeEach, describe, expect, test, vi } from 'vitest';
import { defaultReaderOptions, type ReaderOptions } from '../../../src/core/pipeline/model/reader-options.ts';
import type { PythonParser } from '../../../src/core/pipeline/python/syntax/python-parser.ts';
import { createWorkspaceReader } from '../../../src/core/pipeline/workspace/read-workspace.ts';
import { loadPythonParser } from '../../../src/node/python-parser.ts';
import { fileSetOf } from '../../support/folder-files.ts';

const parser = await loadPythonParser();

const dag = (id: string, body: string, head = ''): string =>
  `from airflow import DAG
from airflow.operators.empty import EmptyOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
import pendulum
${head}
with DAG("${id}", schedule="@daily", start_date=pendulum.datetime(2024, 1, 1)) as dag:
    ${body}
`;

const read = (files: Record<string, string>, options: Partial<ReaderOptions> = {}) =>
  createWorkspaceReader(parser, { ...defaultReaderOptions, ...options }).read(
    fileSetOf(new Map(Object.entries(files))),
  );

describe('reading again', () => {
  const parsed = vi.fn<(text: string) => void>();
  const counting: PythonParser = {
    parse(text) {
      parsed(text);
      return parser.parse(text);
    },
  };
  const files = new Map<string, string>();
  let reader = createWorkspaceReader(counting, defaultReaderOptions);
  const readNow = () => reader.read(fileSetOf(files));
  const reading = (result: ReturnType<typeof readNow>, file: string) => result.files.find((one) => one.file === file);

  beforeEach(() => {
    files.clear();
    files.set('requirements.txt', 'apache-airflow==2.9.0');
    files.set('dags/a.py', dag('a', 'PostgresOperator(task_id="t", sql=Q)', 'from lib import Q'));
    files.set('dags/lib.py', 'Q = "select 1"\n');
    files.set('dags/b.py', dag('b', 'PostgresOperator(task_id="t", sql="b.sql")'));
    files.set('dags/b.sql', 'select 2');
    files.set('alone.sql', 'select 3');
    reader = createWorkspaceReader(counting, defaultReaderOptions);
    readNow();
    parsed.mockClear();
  });

  test('nothing changed: the same objects, nothing parsed', () => {
    const first = readNow();
    expect(readNow().files).toBe(first.files);
    expect(parsed).not.toHaveBeenCalled();
  });

  test('files that were read alone before are those of the whole, and are not parsed again', () => {
    reader = createWorkspaceReader(counting, defaultReaderOptions);
    const alone = reader.read(fileSetOf(files), undefined, new Set(['dags/b.py']));
    expect(alone.files.map(({ file }) => file)).toEqual(['dags/b.py']);
    expect(parsed).toHaveBeenCalledTimes(1);
    expect(alone.text('dags/b.sql')).toBe('select 2');
    reader.read(fileSetOf(files), undefined, new Set(['dags/a.py']));
    parsed.mockClear();
    const whole = readNow();
    expect(parsed).not.toHaveBeenCalled();
    expect(reading(whole, 'dags/b.py')).toBe(alone.files[0]);
    expect(whole).toEqual({
      ...createWorkspaceReader(parser, defaultReaderOptions).read(fileSetOf(files)),
      text: expect.any(Function),
    });
  });

  test('one edit reads that file only', () => {
    const before = readNow();
    files.set('dags/b.py', `${files.get('dags/b.py')}\n`);
    const after = readNow();
    expect(parsed).toHaveBeenCalledTimes(1);
    expect(reading(after, 'dags/a.py')).toBe(reading(before, 'dags/a.py'));
    expect(reading(after, 'dags/b.py')).not.toBe(reading(before, 'dags/b.py'));
  });

  test('a change of an imported module or a .sql file reads those that use it', () => {
    const before = readNow();
    files.set('dags/lib.py', 'Q = "select 11"\n');
    files.set('dags/b.sql', 'select 22');
    const after = readNow();
    expect(reading(after, 'dags/a.py')?.pipelines[0]?.tasks[0]?.sql[0]?.source.text).toBe('select 11');
    expect(reading(after, 'dags/b.py')?.pipelines[0]?.tasks[0]?.sql[0]?.source.text).toBe('select 22');
    expect(reading(after, 'alone.sql')).toBe(reading(before, 'alone.sql'));
  });

  test('a file that was missing and is there now is seen', () => {
    files.delete('dags/b.sql');
    expect(reading(readNow(), 'dags/b.py')?.problems.map((problem) => problem.message)).toEqual([
      expect.stringMatching(/^The file b\.sql was not found/),
    ]);
    files.set('dags/b.sql', 'select 4');
    expect(reading(readNow(), 'dags/b.py')?.problems).toEqual([]);
    expect(reading(readNow(), 'dags/b.sql')).toBeUndefined();
  });

  test('another Airflow version reads the DAG files again', () => {
    files.set('requirements.txt', 'apache-airflow==3.0.1');
    expect(reading(readNow(), 'dags/a.py')?.pipelines[0]).toMatchObject({
      airflowVersion: 3,
      schedule: { value: { intervals: 'zero-width' } },
    });
  });

  test('a deleted file is gone', () => {
    files.delete('dags/a.py');
    expect(reading(readNow(), 'dags/a.py')).toBeUndefined();
  });
});

test('a parser that fails on one file does not stop the others', () => {
  const failing: PythonParser = {
    parse(text) {
      if (text.includes('boom')) throw new Error('out of memory');
      return parser.parse(text);
    },
  };
  const files = new Map([
    ['dags/a.py', `# boom\n${dag('a', 'pass')}`],
    ['dags/b.py', dag('b', 'EmptyOperator(task_id="t")')],
  ]);
  const { files: readings } = createWorkspaceReader(failing, defaultReaderOptions).read(fileSetOf(files));
  expect(readings[0]?.problems[0]?.message).toContain('out of memory');
  expect(readings[1]?.pipelines[0]?.tasks).toHaveLength(1);
});

describe('the Airflow version', () => {
  const versionWith = (files: Record<string, string>, options?: Partial<ReaderOptions>) => {
    const [reading] = read({ 'dags/a.py': dag('a', 'EmptyOperator(task_id="t")'), ...files }, options).files;
    const guessed = reading?.problems.some((problem) => problem.message.includes('which Airflow version')) === true;
    return `${reading?.pipelines[0]?.airflowVersion}${guessed ? ' guessed' : ''}`;
  };
  test.each([
    ['requirements.txt', 'pandas\napache-airflow[postgres]==3.0.2\n', '3'],
    ['requirements-dev.txt', 'apache-airflow>=2.7,<3', '2'],
    ['constraints.txt', 'apache-airflow-providers-postgres==6.0.0\napache-airflow-core==3.1.0', '3'],
    ['pyproject.toml', '[project]\ndependencies = ["apache-airflow[celery]>=3.0.0", "x"]', '3'],
    ['pyproject.toml', '[tool.poetry.dependencies]\napache-airflow = {version = "^2.8.1", extras = ["x"]}', '2'],
    ['pyproject.toml', '[tool.poetry.dependencies]\napache-airflow = "^3.0.0"', '3'],
    ['poetry.lock', '[[package]]\nname = "apache-airflow"\nversion = "2.10.5"\n', '2'],
    ['uv.lock', '[[package]]\nname = "apache-airflow-core"\nversion = "3.0.6"\n', '3'],
    ['Pipfile.lock', '{"default": {"apache-airflow": {"hashes": ["a"], "version": "==2.9.0"}}}', '2'],
    ['Dockerfile', 'FROM apache/airflow:3.0.2-python3.12', '3'],
    ['Dockerfile', 'FROM quay.io/astronomer/astro-runtime:12.1.0', '2'],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell's own syntax
    ['docker-compose.yaml', 'image: ${AIRFLOW_IMAGE_NAME:-apache/airflow:2.9.1}', '2'],
    ['requirements.txt', 'apache-airflow-providers-postgres==6.0.0\n', '2 guessed'],
    ['dags/other.py', 'from airflow.sdk import dag\n', '3'],
    ['dags/a.py', dag('a', 'EmptyOperator(task_id="t")').replace('schedule=', 'schedule_interval='), '2'],
    ['README.md', 'airflow 3', '2 guessed'],
  ])('%s: %j', (file, text, expected) => {
    expect(versionWith({ [file]: text })).toBe(expected);
  });

  test('a setting decides', () => {
    expect(versionWith({ 'requirements.txt': 'apache-airflow==2.1.0' }, { airflowVersion: 3 })).toBe('3');
  });

  test('airflow.cfg and settings can keep data intervals of cron strings', () => {
    const intervals = (files: Record<string, string>, options: Partial<ReaderOptions> = {}) => {
      const [reading] = read({ 'dags/a.py': dag('a', 'pass'), ...files }, { airflowVersion: 3, ...options }).files;
      const schedule = reading?.pipelines[0]?.schedule.value;
      return schedule?.kind === 'cron' ? schedule.intervals : schedule;
    };
    const configured = { 'airflow.cfg': '[scheduler]\ncreate_cron_data_intervals = True\n' };
    expect(intervals({})).toBe('zero-width');
    expect(intervals(configured)).toBe('tick-to-tick');
    expect(intervals(configured, { createCronDataIntervals: false })).toBe('zero-width');
    expect(intervals({}, { createCronDataIntervals: true })).toBe('tick-to-tick');
  });
});

describe('template files', () => {
  const find = (search: string, files: Record<string, string>, sql = 'load.sql') => {
    const text = dag('a', `PostgresOperator(task_id="t", sql="${sql}")`, 'import os').replace(
      'schedule=',
      `${search}schedule=`,
    );
    const [reading] = read({ 'dags/team/a.py': text, ...files }).files;
    return reading?.dependsOn.join(' ');
  };
  test.each([
    ['beside the DAG file first', '', 'load.sql', 'dags/team/load.sql'],
    ['a leading slash is the search path too', '', '/load.sql', 'dags/team/load.sql'],
    ['a folder of the workspace', 'template_searchpath="sql", ', 'only.sql', 'sql/only.sql'],
    [
      'a folder of the scheduler',
      'template_searchpath=["/opt/airflow/dags/queries"], ',
      'deep.sql',
      'dags/queries/deep.sql',
    ],
    ['a folder that is not known', 'template_searchpath=[os.environ["SQL"]], ', 'deep.sql', 'dags/queries/deep.sql'],
    [
      'a folder from where Airflow was started',
      'template_searchpath="dags/queries", ',
      'deep.sql',
      'dags/queries/deep.sql',
    ],
    ['a folder from a folder above the DAG', 'template_searchpath="queries", ', 'deep.sql', 'dags/queries/deep.sql'],
    ['never a guess', '', 'deep.sql', ''],
    ['never one of two', 'template_searchpath=[os.environ["SQL"]], ', 'twice.sql', ''],
  ])('%s', (_, search, sql, expected) => {
    const files = {
      'dags/team/load.sql': 'select 1',
      'sql/load.sql': 'select 2',
      'sql/only.sql': 'select 3',
      'dags/queries/deep.sql': 'select 4',
      'x/twice.sql': 'select 5',
      'y/twice.sql': 'select 6',
    };
    expect(find(search, files, sql)).toBe(expected);
  });
});
