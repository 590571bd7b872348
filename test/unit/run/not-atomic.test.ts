import { describe, expect, test } from 'vitest';
import {
  isAlone,
  notAtomicRefusal,
  notAtomicStatement,
  notAtomicTasks,
} from '../../../src/core/run/jobs/not-atomic.ts';
import { planParts } from '../../../src/core/run/relational/task/task-parts.ts';
import type { RenderedStatement } from '../../../src/core/run/unit/unit-job.ts';
import { jobsOf, planOf } from '../../support/fake-run.ts';

const statement = (text: string): RenderedStatement => ({ text, at: undefined });
const first = (...texts: readonly string[]) => notAtomicStatement(texts.map(statement))?.statement.text;

describe('a statement that keeps its unit from being one transaction', () => {
  test.each([
    'vacuum',
    '-- tidy\nVACUUM (ANALYZE) mart.daily',
    'create unique index concurrently i on t (a)',
    'drop index concurrently i',
    'reindex table concurrently t',
    'create database x',
    'drop tablespace x',
    'alter system set work_mem = 1',
    "select dblink_exec('other', 'delete from t')",
  ])('%j', (text) => {
    expect(first('delete from t', text, 'vacuum later')).toBe(text);
    expect(isAlone(statement(text))).toBe(true);
  });

  test.each([
    'delete from vacuum',
    'create index i on t (a)',
    "insert into t select * from dblink('other', 'select 1') as r (a int)",
    "select 'dblink_exec(' -- dblink_exec('x')",
    'analyze t',
    'begin',
    // Refused altogether: no way of running them would be what the task says.
    'rollback',
    'copy t from stdin',
    'discard all',
  ])('is not %j', (text) => {
    expect(first(text)).toBeUndefined();
    expect(isAlone(statement(text))).toBe(false);
  });

  test('CALL and DO may: they stand alone once the task was confirmed, and only then', () => {
    expect(first('call p()', 'do $$ begin commit; end $$')).toBeUndefined();
    expect(['call p()', ' do $$ $$'].map((text) => isAlone(statement(text)))).toEqual([true, true]);
  });
});

test('the parts are as few as can be', () => {
  const job = [...jobsOf(planOf([{ task: 'a', index: 0 }]), 'r').values()][0];
  if (job === undefined) throw new Error('no job');
  const texts = [
    'begin',
    'delete from t',
    'insert into t select 1',
    'commit',
    'vacuum t',
    'update t set a = 1',
    'call p()',
    'vacuum t',
  ];
  const parted = { ...job, notAtomic: 'it was confirmed', statements: texts.map(statement) };
  const plan = planParts(parted);
  expect(plan?.kind === 'ready' && plan.parts.map((part) => part.statements.map(({ text }) => text))).toEqual([
    ['delete from t', 'insert into t select 1'],
    ['vacuum t'],
    ['update t set a = 1'],
    ['call p()'],
    ['vacuum t'],
  ]);
  expect(planParts({ ...parted, statements: ['begin', 'delete from t', 'commit'].map(statement) })).toBeUndefined();
  expect(planParts({ ...parted, notAtomic: undefined })).toBeUndefined();
  expect(planParts({ ...parted, statements: ['vacuum t', 'rollback'].map(statement) })).toMatchObject({
    kind: 'refused',
  });
});

test('the question names task, unit, statement and what is at stake, once for all units of a task', () => {
  const plan = planOf([
    { task: 'a', index: 0 },
    { task: 'b', index: 0 },
    { task: 'a', index: 1 },
    { task: 'c', index: 0 },
  ]);
  const found = notAtomicStatement([statement('VACUUM\n  t')]);
  if (found === undefined) throw new Error('it can be one transaction');
  const refused = new Map(
    plan.units.flatMap(({ id, task }) => (task === 'c' ? [] : [[id, notAtomicRefusal(task, found)] as const])),
  );
  expect(notAtomicTasks(plan, refused)).toEqual([
    {
      task: 'a',
      question:
        'a cannot be one transaction because of VACUUM t: VACUUM cannot run inside a transaction. Where a@0 or another of its ' +
        '2 units stops halfway, what it has done by then stays, nothing can be held or undone, and only you can tell whether ' +
        'to run it again. Run it so?',
    },
    { task: 'b', question: expect.stringContaining('Where b@0 stops halfway') },
  ]);
});
