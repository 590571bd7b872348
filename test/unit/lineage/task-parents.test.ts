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

const mark = (source: string) =>
  `insert into ${source} select 1; insert into marks select max(id), '${source}' from marks`;

test.each([
  ['side by side', [], [[], []]],
  ['with an edge', ['shops >> sites'], [[], ['pull.shops']]],
])('of two tasks that keep their marks in one table, none is after the other: %s', (_, edges, expected) => {
  const facts = workspace({ pull: { tasks: { shops: mark('shops'), sites: mark('sites') }, edges } });
  expect(['pull.shops', 'pull.sites'].map((id) => taskParents(facts, id).after)).toEqual(expected);
});

test.each([
  ['on their own', [], []],
  ['one that starts the other', [{ edge: 'shops.pull >> sites.pull', kind: 'trigger' as const }], ['shops.pull']],
  [
    'one that starts the other at its end',
    [
      'shops.pull >> shops.start',
      { edge: 'shops.start >> sites.check', kind: 'trigger' as const },
      'sites.check >> sites.pull',
    ],
    ['shops.pull', 'sites.check'],
  ],
])('nor of two DAGs that keep their marks in one table: %s', (_, edges, expected) => {
  const facts = workspace({
    shops: { tasks: { pull: mark('shops'), start: { operator: 'TriggerDagRunOperator' } } },
    sites: { tasks: { check: 'select 1', pull: mark('sites') }, edges },
  });
  expect(taskParents(facts, 'sites.pull').after).toEqual(expected);
});

test('a task that only reads the marks is after all that write them', () => {
  const facts = workspace({
    pull: { tasks: { shops: mark('shops'), sites: mark('sites'), report: 'insert into ages select * from marks' } },
  });
  expect(taskParents(facts, 'pull.report').after).toEqual(['pull.shops', 'pull.sites']);
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
