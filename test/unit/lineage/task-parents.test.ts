import { expect, test } from 'vitest';
import { taskParents } from '../../../src/core/lineage/workspace/task-parents.ts';
import { workspace } from './workspace.ts';

const till = (tally: string) =>
  workspace({
    till: {
      tasks: {
        tally,
        balance: `delete from balance where day = '{{ ds }}';
          insert into balance (day, cents) select day, cents from tally where day = '{{ ds }}'`,
      },
      edges: ['tally >> balance'],
    },
  });

test.each([
  ['the day before', "select cents from balance where day = '{{ ds }}'::date - 1"],
  ['the whole table', 'select max(cents) from balance'],
  ['a range that nobody can read', 'select cents from balance where day > last_day()'],
])('what a later task of the run writes is read from earlier runs: %s', (_, query) => {
  const facts = till(`insert into tally ${query}`);
  expect(taskParents(facts, 'till.tally')).toEqual({ after: [], ofEarlierRuns: ['till.balance'] });
  expect(taskParents(facts, 'till.balance')).toEqual({ after: ['till.tally'], ofEarlierRuns: [] });
});

test('rows of its own interval that a later task will write are nothing that it reads', () => {
  const facts = till("insert into tally select cents from balance where day = '{{ ds }}'");
  expect(taskParents(facts, 'till.tally')).toEqual({ after: [], ofEarlierRuns: [] });
});

test('a table that a task without a place in the order writes is a dependency on it', () => {
  const facts = workspace({
    a: { tasks: { load: 'insert into x select 1' } },
    b: { tasks: { sum: 'insert into y select * from x' } },
  });
  expect(taskParents(facts, 'b.sum')).toEqual({ after: ['a.load'], ofEarlierRuns: [] });
});

test('what a DAG writes that this one starts is read from earlier runs too', () => {
  const facts = workspace({
    one: {
      tasks: { fill: 'insert into a select x from b', start: { operator: 'TriggerDagRunOperator' } },
      edges: ['fill >> start'],
    },
    two: {
      tasks: { more: 'update b set x = 1', last: 'insert into b select 1' },
      edges: ['more >> last', { edge: 'one.start >> two.more', kind: 'trigger' }],
    },
    three: { tasks: { other: 'insert into b select 2' } },
  });
  expect(taskParents(facts, 'one.fill')).toEqual({ after: ['three.other'], ofEarlierRuns: ['two.last', 'two.more'] });
  expect(taskParents(facts, 'two.more')).toEqual({ after: ['one.start'], ofEarlierRuns: [] });
});

test('a sensor that looks for another date is no part of the run', () => {
  const facts = workspace({
    one: { tasks: { fill: 'insert into a select x from b' } },
    two: {
      tasks: { more: 'insert into b select 1' },
      edges: [{ edge: 'one.fill >> two.more', kind: 'sensor', shift: { months: 0, days: -1, ms: 0 } }],
    },
  });
  expect(taskParents(facts, 'one.fill')).toEqual({ after: ['two.more'], ofEarlierRuns: [] });
});

test('of a table that the run has made anew, nothing of earlier runs is left', () => {
  const texts = (first: string) => ({
    d: {
      tasks: { make: first, read: 'insert into u select count(*) from t', change: 'update t set x = 2' },
      edges: ['make >> read', 'read >> change'],
    },
  });
  expect(taskParents(workspace(texts('drop table if exists t; create table t (x int)')), 'd.read')).toEqual({
    after: ['d.make'],
    ofEarlierRuns: [],
  });
  expect(taskParents(workspace(texts('insert into t select 1')), 'd.read')).toEqual({
    after: ['d.make'],
    ofEarlierRuns: ['d.change'],
  });
});
