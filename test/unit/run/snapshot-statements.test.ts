import { describe, expect, test } from 'vitest';
import { substituteTables } from '../../../src/core/run/jobs/snapshot-statements.ts';

const table = { of: ['customers', 'raw.customers', 'Raw.Customers'], sql: 'raw.customers_20240304' };
const rows = { of: ['customers', 'raw.customers'], sql: `(select "id" from raw.history where "day" = '2024-03-04')` };

const read = (text: string, substitute = table) => substituteTables(text, 'postgres', [substitute]);

describe('reading a snapshot instead of a source', () => {
  test.each([
    ['an alias stays', 'select c.id from raw.customers c', 'select c.id from raw.customers_20240304 c'],
    [
      'a table without one is called as before',
      'select * from customers',
      'select * from raw.customers_20240304 as customers',
    ],
    [
      'columns behind the name',
      'select customers.id from customers where customers.id > 1',
      'select customers.id from raw.customers_20240304 as customers where customers.id > 1',
    ],
    [
      'columns behind schema and name',
      'select raw.customers.id, raw.customers.* from raw.customers order by raw.customers.id',
      'select customers.id, customers.* from raw.customers_20240304 as customers order by customers.id',
    ],
    [
      'quoted names',
      'select "Raw"."Customers".id from "Raw"."Customers" where "Raw"."Customers".id = 1',
      'select "Customers".id from raw.customers_20240304 as "Customers" where "Customers".id = 1',
    ],
    [
      'joins, derived tables, subqueries and set operations',
      `select 1 from orders o join raw.customers as c on c.id = o.customer, (select id from customers) d
       where exists (select from customers x where x.id = o.id) and o.id in (select id from raw.customers)
       union all select 2 from customers`,
      `select 1 from orders o join raw.customers_20240304 as c on c.id = o.customer, (select id from raw.customers_20240304 as customers) d
       where exists (select from raw.customers_20240304 x where x.id = o.id) and o.id in (select id from raw.customers_20240304 as customers)
       union all select 2 from raw.customers_20240304 as customers`,
    ],
    [
      'twice in one FROM',
      'select * from customers a, customers b where a.id < b.id',
      'select * from raw.customers_20240304 a, raw.customers_20240304 b where a.id < b.id',
    ],
    [
      'common tables of its name stay',
      'with customers as (select 1 as id) select id from customers',
      'with customers as (select 1 as id) select id from customers',
    ],
    [
      'common tables over it',
      'with c as (select * from customers) insert into t select * from c',
      'with c as (select * from raw.customers_20240304 as customers) insert into t select * from c',
    ],
    [
      'UPDATE FROM, DELETE USING, MERGE USING',
      'update t set n = c.n from customers c where c.id = t.id; delete from t using customers where customers.id = t.id; merge into t using customers c on c.id = t.id when matched then delete',
      'update t set n = c.n from raw.customers_20240304 c where c.id = t.id; delete from t using raw.customers_20240304 as customers where customers.id = t.id; merge into t using raw.customers_20240304 c on c.id = t.id when matched then delete',
    ],
    [
      'a statement inside another',
      'with gone as (delete from t where id in (select id from customers) returning id) select * from gone',
      'with gone as (delete from t where id in (select id from raw.customers_20240304 as customers) returning id) select * from gone',
    ],
    [
      'a table of its own, and a passing view',
      'create table t as select * from customers; create temp view v as select * from customers c',
      'create table t as select * from raw.customers_20240304 as customers; create temp view v as select * from raw.customers_20240304 c',
    ],
    [
      'words that are no table',
      `select 'customers', customers from other as customers -- from customers
       where "customers" is not null /* raw.customers.id */`,
      `select 'customers', customers from other as customers -- from customers
       where "customers" is not null /* raw.customers.id */`,
    ],
    ['another schema', 'select * from archive.customers', 'select * from archive.customers'],
    [
      'a lasting view',
      'create or replace view v as select * from customers',
      'create or replace view v as select * from customers',
    ],
    [
      'column names behind the alias, samples',
      'select * from customers c (a, b) tablesample bernoulli (10) repeatable (1), customers tablesample system (5)',
      'select * from raw.customers_20240304 c (a, b) tablesample bernoulli (10) repeatable (1), raw.customers_20240304 as customers tablesample system (5)',
    ],
  ])('%s', (_, text, expected) => {
    expect(read(text)).toMatchObject({ text: expected, outOfReach: undefined });
  });

  test('rows of one day of a table that holds all', () => {
    expect(read('select c.id, customers.id from customers, raw.customers as c', rows).text).toBe(
      `select c.id, customers.id from ${rows.sql} as customers, ${rows.sql} as c`,
    );
  });

  test.each([
    ['a body in quotes', 'do $$ begin insert into t select * from customers; end $$'],
    ['COPY', 'copy customers to stdout'],
  ])('%s is out of reach', (_, text) => {
    const { outOfReach } = read(text);
    expect(outOfReach && text.slice(outOfReach.start, outOfReach.end)).toBe('customers');
  });

  test('what was found is told', () => {
    expect([...read('select 1 from customers').replaced]).toEqual([table]);
    expect([...read('select 1').replaced]).toEqual([]);
  });
});
