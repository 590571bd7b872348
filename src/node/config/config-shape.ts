import { dialectNames } from '../../core/sql/model/dialect-name.ts';
import { rowExpression } from '../../core/sql/row-expression.ts';
import { parseCron } from '../../core/time/schedules/cron.ts';
import { parseInstant } from '../../core/time/zones/iso.ts';
import { isZone } from '../../core/time/zones/zone.ts';
import { envText } from './env-text.ts';
import { edgeExamples, parseBatch, parseCut, parseDuration, parseEdge, parseSpan } from './parse-edge.ts';
import { anything, choice, flag, listOf, mapOf, numeric, object, type Shape, text, whole, written } from './shape.ts';

const env = (description: string) =>
  written(`${description}; may hold \${env:NAME}`, { type: ['string', 'number'] }, envText);

/** A text that must not stand in the file itself. */
const secret = (what: string, description: string, otherwise: string) =>
  written(
    `${description}, only as \${env:NAME}${otherwise === '' ? '' : '; leave it out to use PGPASSWORD, .pgpass or PGSERVICE'}`,
    { type: 'string', pattern: '^\\$\\{env:[A-Za-z_][A-Za-z0-9_]*\\}$' },
    (source) =>
      /^\$\{env:[A-Za-z_][A-Za-z0-9_]*\}$/.test(source)
        ? envText(source)
        : { wrong: `a ${what} must not stand in this file; write \${env:NAME} and set that variable${otherwise}` },
  );

const password = secret('password', 'Password', ', or leave it out and use .pgpass or PGSERVICE');

const connection = object('A database that runs can use', {
  engine: choice('What kind of database it is', 'postgres', 'pglite', 'spark'),
  host: env('Host name, address or socket directory'),
  port: env('Port'),
  database: env('Database name'),
  user: env('User name'),
  password,
  service: env('Name of a service in pg_service.conf'),
  sslmode: choice('How much TLS is asked for', 'disable', 'prefer', 'require', 'verify-ca', 'verify-full'),
  sslrootcert: env('File of the certificates that the server’s must come from, relative to this file, or system'),
  directory: env('Data directory of a PGlite database, relative to this file'),
  url: env('Address of a Spark Connect server, like sc://spark.example.com:15002'),
  token: secret('token', 'Token for a Spark Connect server', ''),
  ledger: text(
    'Connection whose database has the claims and records of units on Spark; left out: a PGlite database of this folder',
  ),
  settings: mapOf('Session settings that the scheduler’s connection has, e.g. timezone', text('Value of the setting')),
  concurrency: whole('Units at work on it at once, of all runs and runners together', 1, 64),
  protected: flag('Ask for the connection’s name to be typed before a run'),
  airflowIds: listOf('Airflow connection ids that mean this database', text('An Airflow connection id')),
  preview: text('Connection that previews of its runs go to instead, e.g. a clone of this database'),
});

const scheduler = object(
  'An Airflow that carries out tasks which are not run from here',
  {
    url: env('Address of its pages, without /home'),
    user: env('User name'),
    password: secret('password', 'Password of the user', ''),
    token: secret('token', 'Token in place of user and password, as managed services give it', ''),
    events: text(
      'Its OpenLineage events, looked at by observe: the file or folder that its file transport writes, or the address of a collector with the API of Marquez',
    ),
    eventsToken: secret('token', 'Token for the collector of its events', ''),
  },
  ['url'],
);

const severities = (description: string) =>
  mapOf(description, choice('Severity', 'off', 'hint', 'info', 'warning', 'error'));

const dialect = (description: string) => choice(description, ...dialectNames);

const edge = (description: string) => written(`${description}: ${edgeExamples}`, { type: 'string' }, parseEdge);
const duration = (description: string, leastMs?: number) =>
  written(`${description}, like 30s, 5min or 1h`, { type: 'string', pattern: '^[0-9]+ *(ms|s|m|min|h)$' }, (source) =>
    parseDuration(source, leastMs),
  );

const floatTolerance = (description: string) => numeric(`${description}, e.g. 1e-9; 0: none`, 0, 1);

const task = object(
  'What a task reads and writes, where it cannot be told from its SQL; both lists together are all of it',
  {
    reads: listOf(
      'Tables that the task reads; [] where it reads none',
      object(
        'One table that is read',
        {
          table: text('Table name as in SQL'),
          column: text('Time column that the window is on'),
          window: choice('The whole table, for every interval', 'all'),
          from: edge('First instant that is read'),
          to: edge('First instant that is not read any more'),
        },
        ['table'],
      ),
    ),
    writes: listOf(
      'Tables that the task writes; [] where it writes none',
      object(
        'One table that is written',
        {
          table: text('Table name as in SQL'),
          column: text('Time column that the slice of an interval is cut by'),
          columns: listOf(
            'Instead of column: those that hold year, month and, if there are, day and hour, in this order, as numbers or as text of two digits (the year of four)',
            text('A column'),
          ),
          expression: written(
            'Instead of column: SQL over columns of the table that gives a date, timestamp or timestamptz',
            { type: 'string' },
            rowExpression,
          ),
          slice: written(
            'What an interval owns: all of the table, or of its column a unit like day of start, month of start, day of start (UTC)',
            {
              type: 'string',
              pattern:
                '^(all|(hour|day|week|month|quarter|year) of (start|end)( *\\([A-Za-z0-9_+/-]+\\))?( *[+-] *[0-9]+ *[a-z]+)*)$',
            },
            parseCut,
          ),
          from: edge('First instant of its column that an interval owns'),
          to: edge('First instant that it does not own any more'),
          key: listOf('Columns that identify a row', text('A column')),
          concurrency: whole('Units that write this table at once, of all runs and runners together', 1, 64),
          journal: flag('Each run is meant to add to this table, so that a second run that does is not held'),
          floatTolerance: floatTolerance(
            'Floats of this table that are apart by no more than this share are counted as equal within tolerance',
          ),
          orphans: choice(
            'Rows that earlier runs left in a slice and one clean run would not have: keep them, or delete them in the run',
            'keep',
            'delete',
          ),
          volatile: listOf('Columns left out of the row checksum, e.g. load timestamps', text('A column')),
        },
        ['table'],
      ),
    ),
    batch: written(
      'Intervals without a gap that are made in one go where that gives the same rows, like 7 days; otherwise, and where this is left out, one by one',
      { type: 'string', pattern: '^[0-9]+ *(second|minute|hour|day|week|month|quarter|year)s?$' },
      parseBatch,
    ),
    hold: flag('As in run, for this task'),
    shrinkPercent: whole('As in run, for this task', 0, 100),
  },
);

const date = (description: string) =>
  written(`${description}, like 2026-11-01 or 2026-11-01T05:00`, { type: 'string' }, (source) =>
    parseInstant(source, 'UTC') === undefined
      ? { wrong: `"${source}" is not a date; write it like 2026-11-01 or 2026-11-01T05:00` }
      : { value: source },
  );

const dag = object('When one DAG runs and what its templates get, in place of what its file says', {
  schedule: written(
    'Cron expression or preset; of a DAG that is started by hand, once or by assets, the dates of its runs',
    { type: 'string' },
    (source) => {
      const { reason } = { reason: undefined, ...parseCron(source) };
      return reason === undefined ? { value: source } : { wrong: `"${source}" is no schedule: ${reason}` };
    },
  ),
  start_date: date('First logical date'),
  end_date: date('Last logical date'),
  zone: written('Time zone of the DAG, like Europe/Berlin', { type: 'string' }, (source) =>
    isZone(source) ? { value: source } : { wrong: `"${source}" is no time zone; write it like UTC or Europe/Berlin` },
  ),
  catchup: flag('Whether runs that were missed are made up for'),
  template_searchpath: listOf(
    'Folders of its template files, from the folder of this file; also of the scheduler’s machine, by their last parts',
    text('A folder'),
  ),
  variables: mapOf('Airflow Variables of its templates, over those for all DAGs', anything('Value of the Variable')),
  params: mapOf('Values for its params, over those for all DAGs', anything('Value of the param')),
});

const source = object('What can still be read of a source table as it was', {
  retention: written(
    'Rows older than this are gone at the source, like 90 days, 36 hours or 6 months',
    { type: 'string', pattern: '^[0-9]+ *(second|minute|hour|day|week|month|quarter|year)s?$' },
    parseSpan,
  ),
  mutable: flag('Overwritten in place: a rerun of an old interval would read its rows of today'),
  snapshots: object(
    'Where its state in each interval is kept; a run reads that instead of the table',
    {
      table: text('A table for each interval, like raw.customers_{{ ds_nodash }}, or with column one table for all'),
      column: text('Column of the table that holds the date of the snapshot'),
      date: text('Date of the snapshot that an interval reads, as a template; {{ ds }} where it is left out'),
      columns: listOf('Columns of the source, where no CREATE TABLE of the workspace has them', text('A column')),
    },
    ['table'],
  ),
});

/** Everything that `backfill.yaml` may hold. */
export const configShape = object(
  'Settings of Backfill Assistant for one workspace',
  {
    version: choice('Version of this file’s layout', 1),
    connections: mapOf('Databases by name', connection),
    defaultConnection: text('Connection of tasks that name no known one'),
    schedulers: mapOf('Airflows by name, whose REST API is used', scheduler),
    airflow: object('How the Airflow that runs these files is set up', {
      version: choice<'auto' | 2 | 3>(
        'Its major version; auto looks at requirements, lock files and imports',
        'auto',
        2,
        3,
      ),
      python: text(
        'A Python with Airflow, or its virtual environment, that loads the DAG files to confirm what is read; their code is run',
      ),
      create_cron_data_intervals: flag('Airflow’s [scheduler] create_cron_data_intervals'),
      create_delta_data_intervals: flag('Airflow’s [scheduler] create_delta_data_intervals'),
    }),
    dialect: dialect('SQL dialect of files and operators that do not tell theirs'),
    dialects: mapOf('SQL dialect by Airflow connection id', dialect('SQL dialect of this connection')),
    variables: mapOf('Airflow Variables that templates may use', anything('Value of the Variable')),
    environment: mapOf('Environment variables of the scheduler that DAG files ask for', text('Value of the variable')),
    params: mapOf('Values for params, over those of the files', anything('Value of the param')),
    dags: mapOf('When DAGs run and what their templates get, by dag_id, where their files do not say it', dag),
    tasks: mapOf('Declarations by task: dag.task, or the path of a SQL file', task),
    sources: mapOf('Tables that tasks read, by name as in SQL', source),
    rules: severities('Severity by rule'),
    folders: mapOf(
      'Settings for the files below a folder, by its path relative to this file; of several the deepest counts',
      object('What is otherwise in a folder', { rules: severities('Severity by rule in this folder') }),
    ),
    diff: object('How the rows of before and after are compared', {
      floatTolerance: floatTolerance(
        'Floats that are apart by no more than this share are counted as equal within tolerance; checksums stay exact',
      ),
    }),
    run: object('How runs go', {
      concurrency: whole('Units side by side', 1, 64),
      tableConcurrency: whole('Units that write one table at once, of all runs and runners together', 1, 64),
      compare: choice('What is compared after each interval', 'rows', 'checksums', 'none'),
      samples: whole('Differing rows of each kind that are shown', 0, 20),
      shrinkPercent: whole(
        'Hold a slice that loses more than this share of its rows; 100 holds only empty ones',
        0,
        100,
      ),
      hold: flag('Hold empty and shrunk slices, and rows that a second run would add or change again, for a decision'),
      keepBeforeRows: whole('Keep the old rows of changed slices of at most this many rows, for undo', 0, 100_000_000),
      keepBeforeDays: whole('Forget old rows that were kept after this many days', 0, 36_500),
      earlyCutoff: flag('Record what inputs hold, and leave out units whose inputs are as their last run saw them'),
      lockTable: flag(
        'Lock written tables against other writers during each unit; left out: those that a task with a schedule writes',
      ),
      vacuum: choice('VACUUM after a run that left many dead rows: say so, run it, or neither', 'advise', 'run', 'off'),
      lockTimeout: duration('Longest wait for a lock'),
      statementTimeout: duration('Longest time of one statement'),
      lease: duration('After this long without a sign of life a run counts as dead', 1000),
    }),
  },
  ['version'],
);

export type WrittenConfig = typeof configShape extends Shape<infer T> ? T : never;
