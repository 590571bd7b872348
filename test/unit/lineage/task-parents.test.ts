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
