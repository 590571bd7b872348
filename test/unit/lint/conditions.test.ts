import { describe, expect, test } from 'vitest';
import { checkFiles, type Files, factsOf, inWords } from '../../support/check-files.ts';
import { bodyFile } from '../../support/read-tasks.ts';

const imports = `from airflow.models import Variable
from airflow.exceptions import AirflowSkipException
from airflow.providers.postgres.hooks.postgres import PostgresHook
hook = PostgresHook("dw")
full = Variable.get("full") == "1"`;

const main = (lines: string): Files => ({
  'dags/main.py': bodyFile(lines, imports).replace('DAG("d")', 'DAG("d", schedule="@daily")'),
});

const insertFindings = (files: Files): string[] =>
  checkFiles(files)
    .filter(({ rule }) => rule === 'plain-insert')
    .map((finding) => inWords(files, finding));

const write = (files: Files, table = 't'): string => {
  const facts = [...factsOf(files).facts.values()].flatMap(({ writes }) => writes);
  return facts
    .filter((fact) => fact.table === table)
    .map(({ mode, slice }) => `${mode} ${slice.kind === 'unknown' ? slice.reason : slice.kind}`)
    .join(' | ');
};

const insert = 'hook.run("INSERT INTO t SELECT * FROM s")';
const truncate = 'hook.run("TRUNCATE t")';
const error = ['plain-insert error «INSERT INTO t»'];
const warning = ['plain-insert warning «INSERT INTO t»'];

describe('an INSERT whose table a condition of Python empties', () => {
  test.each<[string, string, string[]]>([
    ['only where it holds', `if full:\n    ${truncate}\n${insert}`, warning],
    ['only where it does not', `if not full:\n    pass\nelse:\n    ${truncate}\n${insert}`, warning],
    ['by a short circuit', `full and ${truncate}\n${insert}`, warning],
    ['by a conditional expression', `${truncate} if full else None\n${insert}`, warning],
    ['when something failed', `try:\n    work()\nexcept ValueError:\n    ${truncate}\n${insert}`, warning],
    ['in the other branch', `if full:\n    ${truncate}\nelse:\n    ${insert}`, error],
    ['in the branch that returned', `if full:\n    ${truncate}\n    return\n${insert}`, error],
    [
      'in the branch of the same condition, asked again',
      `if full:\n    ${truncate}\nif not full:\n    ${insert}`,
      error,
    ],
    [
      'behind a mark that the task keeps, for the rows that it fetches',
      'mark = hook.get_first("SELECT at FROM marks WHERE what = 1")\nfor row in hook.get_records("SELECT * FROM s WHERE at > %s", (mark,)):\n    hook.run("INSERT INTO t VALUES (%s)", row)\nhook.run("UPDATE marks SET at = %s WHERE what = 1", (mark,))',
      warning,
    ],
    [
      'behind a mark that nothing moves',
      'mark = hook.get_first("SELECT at FROM marks WHERE what = 1")\nfor row in hook.get_records("SELECT * FROM s WHERE at > %s", (mark,)):\n    hook.run("INSERT INTO t VALUES (%s)", row)',
      error,
    ],
    ['by SQL of the same task that is not known', `hook.run(requests.get(url).text)\n${insert}`, warning],
    ['by SQL that is not known, but behind it', `${insert}\nhook.run(requests.get(url).text)`, error],
    [
      'by a text that is cut to its length',
      `q = f"DELETE FROM t WHERE day = '{ds}' and "\nhook.run(q[:-4])\n${insert}`,
      [],
    ],
    ['in the same branch', `if full:\n    ${truncate}\n    ${insert}`, []],
    ['under the same condition, asked again', `if full:\n    ${truncate}\nprint(1)\nif full:\n    ${insert}`, []],
    [
      'in both branches',
      `if full:\n    ${truncate}\nelse:\n    hook.run("DELETE FROM t WHERE day = 1")\n${insert}`,
      [],
    ],
    ['always, before an INSERT that may be', `${truncate}\nfor row in rows():\n    ${insert}`, []],
    ['before an early return', `${truncate}\nif full:\n    return\n${insert}`, []],
    [
      'by a function that two branches call',
      `def clear():\n    ${truncate}\nif full:\n    clear()\nelse:\n    clear()\n${insert}`,
      [],
    ],
  ])('%s', (_, lines, found) => expect(insertFindings(main(lines))).toEqual(found));

  test('two questions in the same words are two conditions', () => {
    const lines = `if ask():\n    return\nif ask():\n    ${insert}`;
    expect(insertFindings(main(lines))).toEqual(error);
  });
});

describe('what such a task does to the table', () => {
  test.each([
    [
      `if full:\n    ${truncate}\n${insert}`,
      'unknown full_replace or append depends on a condition that is not known before it runs: full',
    ],
    [`if full:\n    ${truncate}\n    ${insert}\nelse:\n    ${truncate}\n    ${insert}`, 'full_replace whole-table'],
    [`if rows():\n    ${truncate}\n    ${insert}`, 'full_replace whole-table'],
    [`${truncate}\nif rows():\n    ${insert}`, 'full_replace whole-table'],
  ])('%s', (lines, said) => expect(write(main(lines))).toBe(said));
});

describe('the code looks before it inserts', () => {
  const look = 'hook.get_first("SELECT 1 FROM t WHERE day = 1")';
  test.each([
    ['and returns', `if ${look}:\n    return\n${insert}`],
    ['and skips', `if ${look}:\n    raise AirflowSkipException()\n${insert}`],
    ['and inserts where nothing is', `found = ${look}\nif not found:\n    ${insert}`],
  ])('%s', (_, lines) => expect(insertFindings(main(lines))).toEqual([]));

  test('a look at another table is none', () =>
    expect(insertFindings(main(`if hook.get_first("SELECT 1 FROM s"):\n    ${insert}`))).toEqual(error));
});

const dag = (lines: string): Files => ({
  'dags/main.py': `from airflow import DAG
from airflow.models import Variable
from airflow.operators.python import BranchPythonOperator, PythonOperator, ShortCircuitOperator
from airflow.operators.empty import EmptyOperator
from airflow.providers.postgres.operators.postgres import PostgresOperator
from airflow.providers.common.sql.operators.sql import SQLExecuteQueryOperator
from airflow.providers.postgres.hooks.postgres import PostgresHook
def one():
    return "a" if Variable.get("x") else "b"
def several():
    return ["a", "b"]
def look():
    return not PostgresHook("dw").get_first("SELECT 1 FROM t")
def sql(name, text):
    return SQLExecuteQueryOperator(task_id=name, conn_id="dw", sql=text)
with DAG("d", schedule="@daily"):
${lines
  .split('\n')
  .map((line) => `    ${line}`)
  .join('\n')}
`,
});

describe('tasks behind a task that decides', () => {
  const tasks = 'a = sql("a", "TRUNCATE t")\nb = sql("b", "INSERT INTO t SELECT * FROM s")';
  const branch = (callable: string) => `c = BranchPythonOperator(task_id="c", python_callable=${callable})`;
  test.each<[string, string, string[]]>([
    ['siblings of a branch never run together', `${tasks}\n${branch('one')}\nc >> [a, b]`, error],
    ['siblings of a branch that lets several run', `${tasks}\n${branch('several')}\nc >> [a, b]`, []],
    ['the branch is joined again', `${tasks}\n${branch('one')}\nc >> [a, EmptyOperator(task_id="e")] >> b`, warning],
    ['a branch before both', `${tasks}\n${branch('one')}\nc >> a >> b`, []],
    [
      'a short circuit before both',
      `${tasks}\nc = ShortCircuitOperator(task_id="c", python_callable=one)\nc >> a >> b`,
      [],
    ],
    [
      'a short circuit before what empties',
      `${tasks}\nc = ShortCircuitOperator(task_id="c", python_callable=one)\nc >> a\na >> EmptyOperator(task_id="e")\nEmptyOperator(task_id="f") >> b`,
      warning,
    ],
    [
      'a short circuit that looks into the table',
      `b = sql("b", "INSERT INTO t SELECT * FROM s")\nShortCircuitOperator(task_id="c", python_callable=look) >> b`,
      warning,
    ],
    [
      'a task that drops whatever it finds',
      `b = sql("b", "INSERT INTO t SELECT * FROM s")\nsql("a", f"DROP TABLE {Variable.get('n')}") >> b`,
      warning,
    ],
  ])('%s', (_, lines, found) => expect(insertFindings(dag(lines))).toEqual(found));
});

describe('a class or function that a condition chooses', () => {
  test.each([
    [
      'an operator',
      'Op = PostgresOperator if Variable.get("x") else SQLExecuteQueryOperator\nb = Op(task_id="b", sql="INSERT INTO t SELECT * FROM s")',
    ],
    [
      'an operator, by a statement',
      'if Variable.get("x"):\n    Op = PostgresOperator\nelse:\n    Op = SQLExecuteQueryOperator\nb = Op(task_id="b", sql="INSERT INTO t SELECT * FROM s")',
    ],
    [
      'a function that makes the task',
      'make = (lambda n: sql(n, "INSERT INTO t SELECT * FROM s")) if Variable.get("x") else (lambda n: sql(n, "INSERT INTO t SELECT * FROM s"))\nb = make("b")',
    ],
  ])('%s', (_, lines) => {
    const files = dag(`${lines}\nb >> EmptyOperator(task_id="e")`);
    expect(insertFindings(files)).toEqual(error);
    const { pipelines } = factsOf(files);
    expect(pipelines[0]?.tasks.map(({ name }) => name)).toEqual(['b', 'e']);
    expect(pipelines[0]?.edges.map(({ from, to }) => `${from} ${to}`)).toEqual(['d.b d.e']);
  });

  test('branches that make one task with other SQL are both kept', () => {
    const files = dag(
      'if Variable.get("x"):\n    sql("a", "INSERT INTO t SELECT * FROM s")\nelse:\n    sql("a", "INSERT INTO u SELECT * FROM s")',
    );
    expect(write(files, 't')).toContain('append');
    expect(write(files, 'u')).toContain('append');
  });
});
