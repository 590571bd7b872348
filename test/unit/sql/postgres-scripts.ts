import fc from 'fast-check';

/** Random scripts that Postgres (nearly always) accepts, with what makes reading hard: nesting, scopes, odd spacing. */

const table = fc.constantFrom(
  'raw.orders',
  'mart.daily',
  'Stage',
  '"Mart"."Daily ☕"',
  'a.b.c',
  'src',
  'x',
  '"select"',
);
const alias = fc.constantFrom('o', 'AS t', 'AS "Q"', 's', 'AS left_side', '');
const column = fc.constantFrom(
  'id',
  'o.ds',
  't."Created"',
  'n',
  'value',
  '"from"',
  'src.amount',
  'year',
  'offset_days',
  'date',
);
const gap = fc.constantFrom(' ', '\n', '\r\n\t', ' /* ; from x */ ', " -- it's 🎉; select\n", '  ');
const literal = fc.constantFrom(
  "'2026-01-01'",
  "'it''s; from x'",
  '42',
  '1.5e3',
  "E'a\\'b'",
  '$q$from; y$q$',
  'NULL',
  'true',
  "date '2026-01-01'",
  "interval '7 days'",
  "'👍🏽'",
);

const { expression, query } = fc.letrec<{
  expression: string;
  condition: string;
  from: string;
  select: string;
  query: string;
}>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'sql' },
    column,
    literal,
    fc
      .tuple(tie('expression'), fc.constantFrom('+', '-', '*', '||', '->>', '%'), tie('expression'))
      .map(([a, o, b]) => `${a} ${o} ${b}`),
    fc
      .tuple(
        fc.constantFrom('coalesce', 'sum', 'pg_catalog.lower', 'count', 'date_trunc'),
        fc.array(tie('expression'), { minLength: 1, maxLength: 3 }),
      )
      .map(([f, a]) => `${f}(${a.join(', ')})`),
    tie('expression').map((a) => `(${a})::numeric(10, 2)`),
    tie('expression').map((a) => `cast(${a} AS timestamp(6) with time zone)`),
    fc
      .tuple(tie('condition'), tie('expression'), tie('expression'))
      .map(([c, a, b]) => `CASE WHEN ${c} THEN ${a} ELSE ${b} END`),
    tie('query').map((q) => `(${q})`),
    tie('query').map((q) => `ARRAY(${q})`),
    fc
      .tuple(column, column)
      .map(
        ([a, b]) => `row_number() OVER (PARTITION BY ${a} ORDER BY ${b} DESC ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)`,
      ),
    column.map((a) => `extract(epoch FROM ${a})`),
    column.map((a) => `(${a}) AT TIME ZONE 'Asia/Tokyo'`),
    column.map((a) => `string_agg(DISTINCT ${a}, ',' ORDER BY ${a}) FILTER (WHERE n > 1)`),
  ),
  condition: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'sql' },
    fc
      .tuple(column, fc.constantFrom('=', '>=', '<', '<>', 'LIKE', 'IS DISTINCT FROM'), tie('expression'))
      .map(([a, o, b]) => `${a} ${o} ${b}`),
    fc
      .tuple(tie('condition'), fc.constantFrom('AND', 'OR'), gap, tie('condition'))
      .map(([a, o, g, b]) => `${a}${g}${o} (${b})`),
    tie('condition').map((a) => `NOT (${a})`),
    fc.tuple(column, literal, literal).map(([a, b, c]) => `${a} NOT BETWEEN ${b} AND ${c}`),
    fc.tuple(column, tie('query')).map(([a, q]) => `${a} NOT IN (${q})`),
    tie('query').map((q) => `EXISTS (${q})`),
    fc.tuple(column, fc.constantFrom('IS NULL', 'IS NOT TRUE', 'NOTNULL', 'IN (1, 2)')).map(([a, o]) => `${a} ${o}`),
  ),
  from: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'sql' },
    fc.tuple(table, alias).map(([t, a]) => `${t} ${a}`),
    fc.tuple(tie('query'), fc.constantFrom('q', 'AS sub (c1, c2)')).map(([q, a]) => `(${q}) ${a}`),
    fc
      .tuple(tie('from'), fc.constantFrom('LEFT JOIN', 'JOIN', 'FULL OUTER JOIN'), gap, tie('from'), tie('condition'))
      .map(([a, j, g, b, c]) => `${a} ${j}${g}${b} ON ${c}`),
    fc.tuple(tie('from'), table).map(([a, t]) => `${a} CROSS JOIN ${t}`),
    fc.tuple(tie('from'), tie('query')).map(([a, q]) => `${a}, LATERAL (${q}) AS l`),
    fc.constant("generate_series('2026-01-01'::date, now(), interval '1 day') AS g(d)"),
    fc.tuple(tie('from'), tie('from')).map(([a, b]) => `(${a} JOIN ${b} USING (id))`),
    table.map((t) => `${t} TABLESAMPLE system (10)`),
  ),
  select: fc
    .tuple(
      fc.constantFrom('', 'DISTINCT ', 'ALL '),
      fc.array(
        fc.oneof(
          fc
            .tuple(tie('expression'), fc.constantFrom('', ' AS v', ' AS "Out"', ' total'))
            .map(([e, a]) => (a === ' total' ? `(${e})${a}` : e + a)),
          fc.constantFrom('*', 'o.*'),
        ),
        { minLength: 1, maxLength: 3 },
      ),
      gap,
      fc.option(tie('from'), { nil: undefined }),
      fc.option(tie('condition'), { nil: undefined }),
      fc.constantFrom('', ' GROUP BY 1, 2', ' GROUP BY GROUPING SETS ((id), ()) HAVING count(*) > 1'),
    )
    .map(
      ([d, items, g, from, where, group]) =>
        `SELECT ${d}${items.join(',')}${g}${from === undefined ? '' : `FROM ${from}${g}`}${where === undefined ? '' : `WHERE ${where}`}${group}`,
    ),
  query: fc.oneof(
    { maxDepth: 2, depthIdentifier: 'sql' },
    tie('select'),
    fc
      .tuple(tie('select'), fc.constantFrom('UNION ALL', 'EXCEPT', 'INTERSECT'), tie('select'))
      .map(([a, o, b]) => `${a} ${o} ${b}`),
    fc
      .tuple(fc.constantFrom('', 'RECURSIVE '), fc.constantFrom('src', 'x', 'Stage'), tie('query'), tie('query'))
      .map(([r, n, a, b]) => `WITH ${r}${n} AS (${a}) ${b}`),
    tie('select').map((q) => `(${q}) ORDER BY 1 LIMIT 10 OFFSET 2`),
  ),
}));

const statement = fc.oneof(
  query,
  fc.tuple(table, gap, query).map(([t, g, q]) => `INSERT INTO ${t} (id, "Ds")${g}${q}`),
  fc
    .tuple(table, query, expression)
    .map(([t, q, e]) => `INSERT INTO ${t} AS w (${q}) ON CONFLICT (id) DO UPDATE SET n = ${e} RETURNING *`),
  fc
    .tuple(table, expression)
    .map(([t, e]) => `INSERT INTO ${t} VALUES (1, ${e}), (DEFAULT, now()) ON CONFLICT DO NOTHING`),
  fc
    .tuple(table, query, table)
    .map(
      ([t, q, u]) => `WITH d AS (DELETE FROM ${u} RETURNING *), src AS (${q}) INSERT INTO ${t} SELECT * FROM src, d, x`,
    ),
  fc.tuple(table, query, gap).map(([t, q, g]) => `DELETE FROM ${t}${g}AS me USING (${q}) AS s WHERE me.id = s.id`),
  fc
    .tuple(table, expression, query)
    .map(([t, e, q]) => `UPDATE ${t} SET a = ${e}, (b, c) = (${q}) FROM mart.s WHERE id = 1`),
  fc.tuple(table, query).map(([t, q]) => `CREATE TEMP TABLE ${t.includes('.') ? 'tmp' : t} ON COMMIT DROP AS ${q}`),
  fc.tuple(table, query).map(([t, q]) => `CREATE OR REPLACE VIEW ${t} AS ${q}`),
  fc
    .tuple(table, query, expression)
    .map(
      ([t, q, e]) =>
        `MERGE INTO ${t} AS m USING (${q}) AS s ON m.id = s.id WHEN MATCHED AND m.n > 1 THEN UPDATE SET n = ${e} WHEN NOT MATCHED THEN INSERT (id) VALUES (${e})`,
    ),
  query.map((q) => `COPY (${q}) TO STDOUT`),
  table.map((t) => `TRUNCATE ${t}, mart.other`),
  fc.constantFrom('BEGIN', 'COMMIT', "SET search_path = 'a;b'", 'DO $$ BEGIN DELETE FROM x; END $$', 'ROLLBACK'),
);

export const postgresScript: fc.Arbitrary<string> = fc
  .tuple(fc.array(statement, { minLength: 1, maxLength: 4 }), gap)
  .map(([all, g]) => `${g}${all.join(`;${g}`)};`);
