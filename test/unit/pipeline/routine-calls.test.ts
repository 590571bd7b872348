import { describe, expect, it } from 'vitest';
import { sliceInWords, windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import { checkFiles, factsOf } from '../../support/check-files.ts';

const dag = (tasks: Readonly<Record<string, string>>, operator = 'PostgresOperator') =>
  [
    'from airflow import DAG',
    'from airflow.providers.postgres.operators.postgres import PostgresOperator',
    'from airflow.providers.snowflake.operators.snowflake import SnowflakeOperator',
    'with DAG("d", schedule="@daily", start_date="2024-01-01", catchup=False, default_args={"retries": 1}):',
    ...Object.entries(tasks).map(([name, sql]) => `    ${operator}(task_id="${name}", sql=${sql})`),
    '',
  ].join('\n');

const plpgsql = (head: string, ...body: string[]) =>
  `CREATE OR REPLACE ${head} LANGUAGE plpgsql AS $$\n${body.join('\n')}\n$$;\n`;

const ofDay = '[day of start (UTC), day of start (UTC) + 1 day)';

/** What the task `t` of a workspace does, in words. */
function doneBy(call: string, sql: string, operator?: string) {
  const files = { 'dags/d.py': dag({ t: call }, operator), 'sql/routines.sql': sql };
  const findings = checkFiles(files);
  const own = factsOf(files).facts.get('d.t');
  return {
    writes: own?.writes.map(({ table, mode, slice }) => `${mode} ${table} ${sliceInWords(slice)}`),
    reads: own?.reads.map(({ table, window }) => `${table} ${windowInWords(window)}`),
    unknown: own?.unknowns.map(({ message }) => message),
    findings: findings.map(({ rule, at }) => `${rule} ${at.file}`),
  };
}
const call = `"CALL mart.load('{{ ds }}')"`;

describe('a routine that a file of the workspace makes', () => {
  it('does its work where it is called, with what the call gives', () => {
    const body = plpgsql(
      'PROCEDURE mart.load(d date)',
      'BEGIN',
      'DELETE FROM mart.t WHERE day = d;',
      'INSERT INTO mart.t SELECT * FROM raw.s WHERE day = d;',
      'END',
    );
    expect(doneBy(call, body)).toEqual({
      writes: [`delete+insert mart.t ${ofDay}`],
      reads: [`raw.s ${ofDay}`],
      unknown: [],
      findings: [],
    });
  });

  it('does the same where its body stands between plain quotes, each in it doubled', () => {
    const body = [
      'BEGIN',
      'DELETE FROM mart.t WHERE day = d;',
      "INSERT INTO mart.t SELECT * FROM raw.s WHERE day = d AND kind <> '$$';",
      "EXECUTE format('DELETE FROM mart.%I WHERE day = %L', 'u', d);",
      'END',
    ].join('\n');
    const quoted = `CREATE PROCEDURE mart.load(d date) LANGUAGE plpgsql AS '${body.replaceAll("'", "''")}';`;
    const dollars = `CREATE PROCEDURE mart.load(d date) LANGUAGE plpgsql AS $body$${body}$body$;`;
    expect(doneBy(call, quoted)).toMatchObject({ unknown: [] });
    expect(doneBy(call, quoted)).toEqual(doneBy(call, dollars));
    const files = { 'dags/d.py': dag({ t: call }), 'sql/routines.sql': quoted };
    const place = factsOf(files).facts.get('d.t')?.reads[0]?.at;
    expect(place && quoted.slice(place.start, place.end)).toBe('raw.s');
  });

  it.each([
    ['a variable', 'DECLARE n date := d + 1; BEGIN DELETE FROM mart.t WHERE day >= d AND day < n; END'],
    [
      'a variable that is set once',
      'DECLARE n date; BEGIN n := d + 1; DELETE FROM mart.t WHERE day >= d AND day < n; END',
    ],
    ['the name of the routine', 'BEGIN DELETE FROM mart.t WHERE day = load.d; END'],
    ['a text', "BEGIN EXECUTE 'DELETE FROM mart.t WHERE day = ' || quote_literal(d); END"],
    ['a text with quotes', "BEGIN EXECUTE 'DELETE FROM mart.t WHERE day = ''' || d || ''''; END"],
    ['a pattern', "BEGIN EXECUTE format('DELETE FROM mart.%I WHERE day = %L', 't', d); END"],
    ['places', "BEGIN EXECUTE 'DELETE FROM mart.t WHERE day = $1' USING d; END"],
    [
      'a text in a variable',
      "DECLARE q text; BEGIN q := format('DELETE FROM %1$I.t WHERE day = %2$L', 'mart', d); EXECUTE q; END",
    ],
  ])('reads %s', (_, body) => {
    expect(doneBy(call, plpgsql('PROCEDURE mart.load(d date)', body))).toMatchObject({
      writes: [`delete mart.t ${ofDay}`],
      unknown: [],
    });
  });

  it.each([
    [
      'is set anew',
      'BEGIN d := d - 1; DELETE FROM mart.t WHERE day = d; END',
      'd of mart.load is only known when the routine runs',
    ],
    [
      'is set on one way only',
      'DECLARE n date; BEGIN IF d IS NULL THEN n := d; END IF; DELETE FROM mart.t WHERE day = n; END',
      'n of mart.load is only known when the routine runs',
    ],
    [
      'comes from a query',
      'DECLARE n date; BEGIN SELECT max(day) INTO n FROM mart.u; DELETE FROM mart.t WHERE day = n; END',
      'n of mart.load is only known when the routine runs',
    ],
  ])('says of a value that %s that it is not known', (_, body, reason) => {
    expect(doneBy(call, plpgsql('PROCEDURE mart.load(d date)', body)).writes).toEqual([
      `delete mart.t unknown: the bound on day cannot be read: ${reason}`,
    ]);
  });

  it('says that it runs text which only the run knows', () => {
    const body = plpgsql('PROCEDURE mart.load(d date)', 'BEGIN EXECUTE (SELECT text FROM mart.jobs); END');
    expect(doneBy(call, body).unknown).toEqual([
      'Not all that mart.load reads and writes is known: it runs text that it makes as SQL, or is not written in SQL.',
    ]);
  });

  it('finds what a second run adds, in the file of the routine, and offers no edit there', () => {
    const body = plpgsql(
      'PROCEDURE mart.load(d date)',
      'BEGIN INSERT INTO mart.t SELECT * FROM raw.s WHERE day = d; END',
    );
    const findings = checkFiles({ 'dags/d.py': dag({ t: call }), 'sql/routines.sql': body });
    expect(findings.map(({ rule, at, fixes }) => [rule, at.file, body.slice(at.start, at.end), fixes])).toEqual([
      ['plain-insert', 'sql/routines.sql', 'INSERT INTO mart.t', []],
    ]);
  });

  it.each([
    [`"SELECT mart.load('{{ ds }}'::date)"`, 'FUNCTION mart.load(d date) RETURNS void'],
    [
      `"SELECT mart.load(d => '{{ ds }}')"`,
      "FUNCTION mart.load(tag text DEFAULT 'x', d date DEFAULT now()) RETURNS void",
    ],
    [`"CALL load('{{ ds }}')"`, 'PROCEDURE mart.load(IN d date)'],
    [`"CALL mart.outer_one('{{ ds }}')"`, 'PROCEDURE mart.load(d date)'],
  ])('%s', (text, head) => {
    const body =
      plpgsql(head, 'BEGIN DELETE FROM mart.t WHERE day = d; END') +
      plpgsql('PROCEDURE mart.outer_one(d date)', 'BEGIN CALL mart.load(d); END');
    expect(doneBy(text, body)).toMatchObject({ writes: [`delete mart.t ${ofDay}`], unknown: [] });
  });

  it('is not called by what makes a trigger of it', () => {
    const made = plpgsql(
      'FUNCTION mart.note() RETURNS trigger',
      'BEGIN INSERT INTO mart.t VALUES (1); RETURN NEW; END',
    );
    const trigger = '"CREATE TRIGGER n AFTER INSERT ON mart.s FOR EACH ROW EXECUTE FUNCTION mart.note()"';
    expect(doneBy(trigger, made)).toMatchObject({ writes: [], unknown: [] });
    expect(doneBy('"SELECT mart.note()"', made).writes).toHaveLength(1);
  });

  it('is run at once where it is made by a WITH of Snowflake', () => {
    const text =
      "'''WITH p AS PROCEDURE () RETURNS VARCHAR LANGUAGE SQL AS $$ BEGIN DELETE FROM mart.t; CALL other(); END $$ CALL p()'''";
    expect(doneBy(text, '', 'SnowflakeOperator')).toMatchObject({
      writes: ['full_replace mart.t the whole table'],
      unknown: ['What other reads and writes is not known: the task only calls it.'],
    });
  });

  it('is read in the dialect of its caller', () => {
    const body =
      'CREATE PROCEDURE mart.load(d DATE) RETURNS VARCHAR LANGUAGE SQL AS $$ BEGIN DELETE FROM mart.t WHERE day = :d; END $$;';
    expect(doneBy(call, body, 'SnowflakeOperator').writes).toEqual([`delete mart.t ${ofDay}`]);
  });

  it('is not followed where two could be meant, or where it is written in another language', () => {
    const one = plpgsql('PROCEDURE mart.load(d date)', 'BEGIN DELETE FROM mart.t; END');
    expect(doneBy(call, one + one)).toMatchObject({
      writes: [],
      unknown: ['What mart.load reads and writes is not known: the task only calls it.'],
    });
    const script = 'CREATE PROCEDURE mart.load(d VARCHAR) RETURNS STRING LANGUAGE JAVASCRIPT AS $$ run("DELETE"); $$;';
    expect(doneBy(call, script, 'SnowflakeOperator').unknown).toEqual([
      'Not all that mart.load reads and writes is known: it runs text that it makes as SQL, or is not written in SQL.',
    ]);
  });
});
