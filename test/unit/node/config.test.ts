import { describe, expect, test } from 'vitest';
import { lineIndex } from '../../../src/core/text/line-index.ts';
import { configShape } from '../../../src/node/config/config-shape.ts';
import { parseDuration, parseEdge } from '../../../src/node/config/parse-edge.ts';
import { previewPlace } from '../../../src/node/config/preview-place.ts';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { connectionFor, resolveConnection } from '../../../src/node/config/resolve-connection.ts';

const read = (source: string) => readConfig('backfill.yaml', source);

/** Problems as `line:column text under the mark: message`. */
const said = (source: string): string[] => {
  const index = lineIndex(source);
  return read(source).problems.map(({ message, at }) => {
    const { line, column } = index.position(at?.start ?? 0);
    return `${line}:${column} ${source.slice(at?.start, at?.end).split('\n')[0]}: ${message}`;
  });
};

const full = `version: 1
defaultConnection: warehouse
connections:
  warehouse:
    host: db.example
    port: 5433
    database: shop
    user: \${env:SHOP_USER}
    password: \${env:SHOP_PASSWORD}
    sslmode: require
    sslrootcert: certs/root.crt
    settings: { timezone: Europe/Berlin, work_mem: 64MB }
    protected: true
    airflowIds: [shop_db, shop_db_ro]
    preview: sandbox
  sandbox:
    engine: pglite
    directory: .backfill/sandbox
airflow:
  version: 3
  create_cron_data_intervals: true
variables:
  region: eu
  limits: { max: 3 }
params:
  depth: 7
tasks:
  shop.daily:
    reads:
      - { table: Raw.Orders, column: ordered_at, from: start - 6 days, to: end }
      - { table: dim.shop, window: all }
    writes:
      - table: mart.daily
        column: day
        key: [day, shop]
        volatile: [loaded_at]
        orphans: delete
        floatTolerance: 1e-6
        concurrency: 1
rules:
  wall-clock: off
diff:
  floatTolerance: 1e-9
run:
  concurrency: 2
  tableConcurrency: 3
  shrinkPercent: 80
  compare: checksums
  samples: 0
  keepBeforeRows: 500
  keepBeforeDays: 7
  earlyCutoff: false
  lockTable: true
  vacuum: run
  lockTimeout: 5s
  statementTimeout: 10min
  lease: 2min
`;

describe('readConfig', () => {
  test('reads everything', () => {
    const { config, problems } = read(full);
    expect(problems).toEqual([]);
    expect([...config.connections.keys()]).toEqual(['warehouse', 'sandbox']);
    expect(config.connections.get('warehouse')).toMatchObject({
      engine: 'postgres',
      sslmode: 'require',
      protected: true,
      settings: { timezone: 'Europe/Berlin', work_mem: '64MB' },
      airflowIds: ['shop_db', 'shop_db_ro'],
      preview: 'sandbox',
    });
    expect(previewPlace(config, 'warehouse', undefined)).toBe('sandbox');
    expect(previewPlace(config, 'warehouse', 'warehouse')).toBe('warehouse');
    expect(previewPlace(config, 'sandbox', undefined)).toBe('sandbox');
    const resolved = resolveConnection(config, 'warehouse', '/ws', { SHOP_USER: 'etl', SHOP_PASSWORD: 'x' });
    expect(resolved).toMatchObject({ connection: { user: 'etl', sslrootcert: '/ws/certs/root.crt' } });
    expect(config.airflow).toEqual({ version: 3, createCronDataIntervals: true, createDeltaDataIntervals: undefined });
    expect(config.variables).toEqual({ region: 'eu', limits: { max: 3 } });
    expect(config.params).toEqual({ depth: 7 });
    expect(config.declared.get('shop.daily')).toEqual({
      complete: true,
      reads: [
        {
          table: 'raw.orders',
          column: 'ordered_at',
          window: {
            lo: { anchor: 'start', floor: undefined, offset: { months: 0, days: -6, ms: 0 } },
            hi: { anchor: 'end', floor: undefined, offset: { months: 0, days: 0, ms: 0 } },
          },
        },
        { table: 'dim.shop', column: undefined, window: 'all' },
      ],
      writes: [
        {
          table: 'mart.daily',
          column: 'day',
          key: ['day', 'shop'],
          volatile: ['loaded_at'],
          floatTolerance: 1e-6,
          concurrency: 1,
          orphans: 'delete',
        },
      ],
    });
    expect(config.diff).toEqual({ floatTolerance: 1e-9 });
    expect(config.rules).toEqual({ 'wall-clock': 'off' });
    expect(config.run).toEqual({
      concurrency: 2,
      tableConcurrency: 3,
      compare: 'checksums',
      samples: 0,
      holdShrinkPercent: 80,
      keepBeforeRows: 500,
      keepBeforeDays: 7,
      earlyCutoff: false,
      lockTable: true,
      vacuum: 'run',
      lockTimeoutMs: 5000,
      statementTimeoutMs: 600_000,
      leaseMs: 120_000,
    });
  });

  test('says for a task when its slices are held, else the run does', () => {
    const heldAs = (run: string, task: string): unknown =>
      read(`version: 1\nrun: ${run}\ntasks: { a.b: ${task} }\n`).config.declared.get('a.b')?.hold;
    expect(heldAs('{}', '{ reads: [] }')).toBeUndefined();
    expect(heldAs('{}', '{ hold: false, shrinkPercent: 10 }')).toEqual({ shrinkPercent: undefined });
    expect(heldAs('{ hold: false }', '{ shrinkPercent: 10 }')).toEqual({ shrinkPercent: 10 });
    expect(heldAs('{ hold: false, shrinkPercent: 20 }', '{ hold: true }')).toEqual({ shrinkPercent: 20 });
    expect(heldAs('{}', '{ hold: true }')).toEqual({ shrinkPercent: 50 });
  });

  test.each([
    [
      'an unknown key, with the nearest',
      'version: 1\nconection: {}\n',
      ['2:1 conection: unknown key conection; did you mean connections?'],
    ],
    [
      'the same in another spelling',
      'version: 1\nrun: { lock_table: true }\n',
      ['2:8 lock_table: unknown key lock_table; did you mean lockTable?'],
    ],
    ['no version', 'run: {}\n', ['1:1 run: {}: version is missing; write version: 1']],
    ['a later version', 'version: 2\n', ['1:10 2: expected one of 1: Version of this file’s layout']],
    [
      'a password in the file',
      'version: 1\nconnections:\n  a:\n    password: hunter2\n',
      [
        `4:15 hunter2: a password must not stand in this file; write \${env:NAME} and set that variable, or leave it out and use .pgpass or PGSERVICE`,
      ],
    ],
    [
      'a password with a prefix',
      `version: 1\nconnections:\n  a:\n    password: x\${env:P}\n`,
      [expect.stringContaining('a password must not stand in this file')],
    ],
    [
      'another kind of reference',
      `version: 1\nconnections: { a: { host: "\${HOST}" } }\n`,
      [expect.stringContaining(`only \${env:NAME} is understood`)],
    ],
    [
      'a wrong word',
      'version: 1\nrun: { compare: row }\n',
      ['2:17 row: expected one of rows, checksums, none; did you mean rows?'],
    ],
    [
      'a number out of range',
      'version: 1\nrun: { samples: 21 }\n',
      [expect.stringContaining('2:17 21: expected a whole number from 0 to 20')],
    ],
    [
      'a duration without unit',
      'version: 1\nrun: { lease: 30 }\n',
      ['2:15 30: "30" is not a duration; write it like 30s, 5min or 1h'],
    ],
    [
      'a window nobody can read',
      'version: 1\ntasks:\n  a.b:\n    reads: [{ table: t, from: six days ago }]\n',
      [
        expect.stringContaining('"six days ago" is not a bound of a window'),
        expect.stringContaining('t: say which part is read'),
      ],
    ],
    [
      'a read without a window',
      'version: 1\ntasks:\n  a.b:\n    reads: [{ table: t }]\n',
      ['3:3 a.b: t: say which part is read, with from and to (and column), or with window: all'],
    ],
    [
      'a connection for previews that is not there, or is the same',
      'version: 1\nconnections: { prod: { preview: colne }, clone: { preview: clone } }\n',
      [
        '2:24 preview: there is no connection colne; did you mean clone?',
        '2:51 preview: connection clone names itself for previews; name another one, or leave preview out',
      ],
    ],
    [
      'a default that is not there',
      'version: 1\ndefaultConnection: wharehouse\nconnections: { warehouse: {}, other: {} }\n',
      ['2:1 defaultConnection: there is no connection wharehouse; did you mean warehouse?'],
    ],
    [
      'a list where names belong',
      'version: 1\nconnections: [a]\n',
      ['2:14 [a]: expected names and values: Databases by name'],
    ],
    ['a scalar file', 'hello\n', [expect.stringContaining('expected names and values')]],
    [
      'a key twice',
      'version: 1\nrun: {}\nrun: {}\n',
      [expect.stringContaining('not valid YAML: Map keys must be unique')],
    ],
    [
      'two breaks that come of one',
      'version: 1\na: [1\nb: }\n',
      [expect.stringMatching(/not valid YAML: Flow sequence in block collection/)],
    ],
    ['half a line', 'version: 1\nconnections:\n  a: {host: \n', [expect.stringContaining('not valid YAML')]],
    ['a tab as indent', 'version: 1\nrun:\n\tsamples: 1\n', [expect.stringContaining('not valid YAML')]],
    [
      'a PGlite without a place',
      'version: 1\nconnections: { s: { engine: pglite } }\n',
      [expect.stringContaining('connection s needs a directory')],
    ],
    [
      'a Spark without an address',
      'version: 1\nconnections: { s: { engine: spark } }\n',
      [expect.stringContaining('connection s needs a url')],
    ],
    [
      'a ledger that is no database',
      'version: 1\nconnections: { s: { engine: spark, url: "sc://h", ledger: s } }\n',
      [expect.stringContaining('connection s names s for its ledger, which is no database')],
    ],
    [
      'two lakes with one ledger, of which two names of one lake are none',
      'version: 1\nconnections: { d: { engine: postgres, host: h }, a: { engine: spark, url: "sc://a", ledger: d }, b: { engine: spark, url: "sc://b", ledger: d }, c: { engine: spark, url: "sc://a", ledger: d } }\n',
      [expect.stringContaining('connections a and b are two lakes with one ledger')],
    ],
    [
      'an address where no Spark is',
      'version: 1\nconnections: { s: { engine: postgres, url: "sc://h" } }\n',
      [expect.stringContaining('connection s has url, which only an engine: spark has')],
    ],
    [
      'a token in the file',
      'version: 1\nconnections: { s: { engine: spark, url: "sc://h", token: abc } }\n',
      [expect.stringContaining('a token must not stand in this file')],
    ],
  ])('says %s', (_, source, expected) => {
    expect(said(source)).toEqual(expected);
  });

  test.each([
    ['{ table: t, column: d, slice: day of start }', { floor: 'day', days: 0 }, { floor: 'day', days: 1 }],
    [
      '{ table: t, column: d, from: start - 1 day, to: start }',
      { floor: undefined, days: -1 },
      { floor: undefined, days: 0 },
    ],
    ['{ table: t, column: d, slice: week of start - 7 days }', { floor: 'week', days: -7 }, { floor: 'week', days: 0 }],
  ])('the rows of a table that an interval owns: %s', (write, lo, hi) => {
    const edge = ({ floor, days }: typeof lo) => ({ anchor: 'start', floor, offset: { months: 0, days, ms: 0 } });
    const source = `version: 1\ntasks:\n  a.b:\n    writes: [${write}]\n`;
    const { config, problems } = readConfig('backfill.yaml', source);
    expect(problems).toEqual([]);
    expect(config.declared.get('a.b')?.writes).toMatchObject([{ column: 'd', range: { lo: edge(lo), hi: edge(hi) } }]);
  });

  test('what cuts a table where no column does', () => {
    const read = (write: string) => {
      const { config, problems } = readConfig('backfill.yaml', `version: 1\ntasks:\n  a.b:\n    writes: [${write}]\n`);
      return {
        writes: config.declared.get('a.b')?.writes,
        said: problems.map(({ message }) => message).join(),
        problems,
      };
    };
    expect(read('{ table: t, columns: [y, m, d], slice: day of start }')).toMatchObject({
      said: '',
      writes: [{ column: undefined, cut: { kind: 'parts', columns: ['y', 'm', 'd'] }, range: {} }],
    });
    expect(read('{ table: t, expression: "(p ->> 1)::date" }')).toMatchObject({
      said: '',
      writes: [{ cut: { kind: 'expression', sql: '(p ->> 1)::date', columns: ['p'], calls: [] } }],
    });
    const wrong = read('{ table: t, expression: now() - a }');
    expect(wrong.said).toContain('now has another value');
    expect(wrong.problems[0]?.at?.start).toBe(
      'version: 1\ntasks:\n  a.b:\n    writes: [{ table: t, expression: '.length,
    );
    expect(read('{ table: t, column: d, columns: [y, m] }').said).toContain('not by column and columns');
    expect(read('{ table: t, expression: d, slice: all }').said).toContain('expression cuts the table into slices');
    expect(read('{ table: t, columns: [y] }').said).toContain('a single one is column');
    expect(read('{ table: t, columns: [y, y] }').said).toContain('a single one is column');
  });

  test("a unit of another calendar than the pipeline's says whose", () => {
    const source = 'version: 1\ntasks:\n  a.b:\n    writes: [{ table: t, column: d, slice: day of start (UTC) }]\n';
    expect(readConfig('backfill.yaml', source).config.declared.get('a.b')?.writes[0]?.range?.hi.zone).toBe('UTC');
  });

  test('when DAGs run', () => {
    const source =
      'version: 1\ndags:\n  d: { schedule: "@daily", start_date: 2024-01-01, zone: Europe/Berlin, catchup: false }\n';
    const { config, problems } = readConfig('backfill.yaml', source);
    expect(problems).toEqual([]);
    expect(config.dags).toEqual({
      d: { schedule: '@daily', startDate: '2024-01-01', endDate: undefined, zone: 'Europe/Berlin', catchup: false },
    });
    const templates =
      'version: 1\ndags:\n  d: { template_searchpath: [etl/sql], variables: { a: 1 }, params: { b: [c] } }\n';
    expect(readConfig('backfill.yaml', templates).config.dags).toEqual({
      d: { templateSearchPath: ['etl/sql'], variables: { a: 1 }, params: { b: ['c'] } },
    });
    for (const wrong of [
      'schedule: daily',
      'start_date: soon',
      'zone: Mars',
      'schedul: "@daily"',
      'template_searchpath: sql',
      'params: [a]',
    ])
      expect(readConfig('backfill.yaml', `version: 1\ndags: { d: { ${wrong} } }\n`).problems).toHaveLength(1);
  });

  test.each([
    ['{ table: t, slice: day of start }', 't: say which column its slice is cut by'],
    ['{ table: t, column: d, from: start }', 't: say both ends of its slice, from and to'],
    [
      '{ table: t, column: d, from: end, to: start }',
      't: its slice ends where it begins or before; exchange from and to',
    ],
    ['{ table: t, column: d, slice: day of start, from: start, to: end }', 't: say its slice in one way'],
    ['{ table: t, column: d, slice: start }', '"start" is no slice; write all, or a unit'],
    ['{ table: t, column: d, slice: day of start (Mars) }', 'is no slice; write all, or a unit'],
  ])('a slice that is not said: %s', (write, message) => {
    const { problems } = readConfig('backfill.yaml', `version: 1\ntasks:\n  a.b:\n    writes: [${write}]\n`);
    expect(problems.map((problem) => problem.message).join()).toContain(message);
  });

  test.each([
    ['reads: []\n    writes: []', true],
    ['reads: []', false],
    ['writes: [{ table: t, slice: all }]', false],
    ['reads: [{ table: t, window: all }]\n    writes: []', true],
    ['reads: [{ table: t }]\n    writes: []', false],
    ['reads: [{ column: c }]\n    writes: []', false],
    ['reads:\n    writes: []', false],
  ])('a declaration is of everything when both lists are there and right: %s', (lists, complete) => {
    const { config } = readConfig('backfill.yaml', `version: 1\ntasks:\n  a.b:\n    ${lists}\n`);
    expect(config.declared.get('a.b')?.complete).toBe(complete);
  });

  test('a slice is cut by a column or is the whole table, not both', () => {
    const read = (write: string) => readConfig('backfill.yaml', `version: 1\ntasks:\n  a.b:\n    writes: [${write}]\n`);
    expect(read('{ table: t, slice: all }').config.declared.get('a.b')?.writes).toMatchObject([{ slice: 'all' }]);
    expect(read('{ table: t, slice: all }').problems).toEqual([]);
    expect(read('{ table: t, slice: all, column: day }').problems).toHaveLength(1);
  });

  test('what is wrong in one place does not take the rest away', () => {
    const { config } = read('version: 1\nrun: { samples: 99, concurrency: 3 }\nconnections: { a: { hots: x } }\n');
    expect(config.run).toMatchObject({ concurrency: 3, samples: 5 });
    expect(config.defaultConnection).toBe('a');
  });

  test.each([
    '',
    '\n',
    '# nothing yet\n',
    '\uFEFFversion: 1\r\nrun:\r\n  samples: 3\r\n',
    'version: 1\nrun:\nconnections:\n',
  ])('an empty, commented or CRLF file is fine: %j', (source) => {
    expect(read(source).problems.filter(({ message }) => !message.includes('has no value'))).toEqual([]);
  });

  test('aliases are followed, and a bomb of them is refused', () => {
    const { config } = read('version: 1\nvariables: { a: &x [1], b: *x }\n');
    expect(config.variables).toEqual({ a: [1], b: [1] });
    const bomb = Array.from(
      { length: 12 },
      (_, i) =>
        `  k${i}: &a${i} [${Array(10)
          .fill(i === 0 ? '1' : `*a${i - 1}`)
          .join(',')}]`,
    );
    expect(said(`version: 1\nvariables:\n${bomb.join('\n')}\n`).join()).toContain('alias');
  });
});

describe('windows and durations in words', () => {
  test.each([
    ['start', { anchor: 'start', floor: undefined, offset: { months: 0, days: 0, ms: 0 } }],
    ['End + 1 day', { anchor: 'end', floor: undefined, offset: { months: 0, days: 1, ms: 0 } }],
    ['month of start - 1 month', { anchor: 'start', floor: 'month', offset: { months: -1, days: 0, ms: 0 } }],
    ['start-2weeks + 3 hours', { anchor: 'start', floor: undefined, offset: { months: 0, days: -14, ms: 10_800_000 } }],
    ['day of end + 1 year', { anchor: 'end', floor: 'day', offset: { months: 12, days: 0, ms: 0 } }],
  ])('%s', (source, value) => expect(parseEdge(source)).toEqual({ value }));

  test.each([
    '',
    'begin',
    'start - six days',
    'start -',
    'start 6 days',
    'decade of start',
    'start - 6 fortnights',
    'start - 1.5 days',
  ])('%j is refused', (source) => expect(parseEdge(source)).toHaveProperty('wrong'));

  test.each([
    ['30s', 30_000],
    ['5 min', 300_000],
    ['1h', 3_600_000],
    ['250ms', 250],
  ])('%s is %d ms', (source, value) => expect(parseDuration(source)).toEqual({ value }));

  test.each([
    ['0s', undefined, '"0s" is too short; write at least 1ms'],
    ['900ms', 1000, 'write at least 1s'],
    ['597h', undefined, '"597h" is too long; write at most 596h'],
    ['99999999999999999999h', undefined, 'is too long'],
    ['-30s', undefined, 'is not a duration'],
  ])('%s is refused', (source, least, wrong) =>
    expect(parseDuration(source, least)).toEqual({ wrong: expect.stringContaining(wrong) }),
  );
});

describe('resolveConnection', () => {
  const { config } = read(full);
  const env = { SHOP_USER: 'ann', SHOP_PASSWORD: 's3cret' };

  test('looks the environment up', () => {
    expect(resolveConnection(config, undefined, '/ws', env)).toEqual({
      connection: expect.objectContaining({
        engine: 'postgres',
        port: 5433,
        user: 'ann',
        password: 's3cret',
        database: 'shop',
      }),
    });
    expect(resolveConnection(config, 'sandbox', '/ws', {})).toEqual({
      connection: expect.objectContaining({ engine: 'pglite', directory: '/ws/.backfill/sandbox' }),
    });
  });

  test('names what is missing and never a value', () => {
    const result = resolveConnection(config, 'warehouse', '/ws', { SHOP_PASSWORD: 's3cret' });
    expect(result).toHaveProperty(
      'problem.message',
      'connection warehouse needs the environment variable SHOP_USER, which is not set',
    );
    expect(JSON.stringify(result)).not.toContain('s3cret');
  });

  test.each([
    ['', undefined, 'no connection: add one under connections'],
    ['version: 1\nconnections: { a: {}, b: {} }\n', undefined, 'name one of a, b'],
    ['version: 1\nconnections: { prod: {} }\n', 'pord', 'there is no connection pord; did you mean prod?'],
    ['version: 1\nconnections: { a: { port: http } }\n', 'a', 'the port is not a number'],
  ])('%j', (source, name, message) => {
    expect(resolveConnection(read(source).config, name, '/ws', {})).toHaveProperty(
      'problem.message',
      expect.stringContaining(message),
    );
  });

  test.each([
    ['reads: [{ table: b, from: end, to: start }]', 'b: its window ends where it begins or before'],
    ['reads: [{ table: b, from: start - 1 day, to: start - 24 days }]', 'b: its window ends where it begins or before'],
    ['reads: [{ table: b, from: start - 1 month, to: start - 7 days }, { table: b, to: start }]', undefined],
    ['writes: [{ table: B, column: day }, { table: b, column: week }]', 'b stands twice under writes'],
  ])('%s', (said, message) => {
    const { problems } = read(`version: 1\ntasks: { a.b: { ${said} } }\n`);
    expect(problems.map((problem) => problem.message)).toEqual(
      message === undefined ? [] : [expect.stringContaining(message)],
    );
  });

  // What it was to say may be that it is protected, or what a run reads instead of a table of today.
  test.each(['    protected: ja\n', 'sources: { raw.shops: { snapshots: shops_{{ ds_nodash }} } }\n', 'runs: {}\n'])(
    'opens nothing while the file has an error: %j',
    (slip) => {
      const { config, problems } = read(`version: 1\nconnections:\n  a:\n    host: localhost\n${slip}`);
      expect(resolveConnection(config, 'a', '/ws', {})).toEqual({
        problem: {
          ...problems[0],
          message: `no database is worked on while backfill.yaml has an error (${problems[0]?.message}); mend it first`,
        },
      });
    },
  );

  test('maps Airflow connection ids', () => {
    const meant = (airflowId: string) => connectionFor(config, { airflowId, database: undefined }, {});
    expect(meant('warehouse')).toBe('warehouse');
    expect(meant('shop_db_ro')).toBe('warehouse');
    expect(meant('another')).toBeUndefined();
  });
});

test('the JSON schema describes the same keys', () => {
  expect(configShape.schema).toMatchObject({
    type: 'object',
    additionalProperties: false,
    required: ['version'],
    properties: {
      run: {
        properties: { compare: { enum: ['rows', 'checksums', 'none'] }, concurrency: { minimum: 1, maximum: 64 } },
      },
      connections: { additionalProperties: { properties: { engine: { enum: ['postgres', 'pglite', 'spark'] } } } },
    },
  });
});
