import { isMap, LineCounter, type Node, parseDocument } from 'yaml';
import type { DeclaredTask } from '../../core/lineage/facts/declared-facts.ts';
import type { SliceCut } from '../../core/lineage/facts/slice-cut.ts';
import { allRules } from '../../core/lint/all-rules.ts';
import { writtenName } from '../../core/sql/model/name-parts.ts';
import type { Problem, SourceSpan } from '../../core/text/span.ts';
import { didYouMean } from '../nearest-names.ts';
import { type Config, type ConnectionSpec, defaultRunSettings, emptyConfig, type SchedulerSpec } from './config.ts';
import { configShape, type WrittenConfig } from './config-shape.ts';
import { declaredSource } from './declared-source.ts';
import { lakesOfOneLedger } from './lakes-of-one-ledger.ts';
import { isNeverBefore } from './parse-edge.ts';
import { isAddress } from './resolve-events.ts';
import { isPlainUrl } from './resolve-scheduler.ts';
import { type ReadContext, spanOf } from './shape.ts';

/**
 * Reads `backfill.yaml`. What is wrong is said with its place, and everything else still counts, so that a slip in
 * one line does not take the declarations of the others away.
 */
export function readConfig(
  file: string,
  source: string,
): { readonly config: Config; readonly problems: readonly Problem[] } {
  const problems: Problem[] = [];
  const document = parseDocument(source, { lineCounter: new LineCounter(), prettyErrors: false });
  // What follows a tear is read out of joint.
  const torn = document.errors.findIndex(({ code }) => code !== 'DUPLICATE_KEY');
  const errors = torn === -1 ? document.errors : document.errors.slice(0, torn + 1);
  for (const { message, pos } of [...errors, ...document.warnings]) {
    problems.push({
      message: `not valid YAML: ${message}`,
      at: { file, start: pos[0], end: pos[1] },
      severity: 'error',
    });
  }
  // In a torn file the missing pieces are consequences, so only the tear is said.
  const context: ReadContext = { document, file, problems: document.errors.length > 0 ? [] : problems };
  const root = document.contents;
  const read =
    root === null ? { ...emptyConfig, file } : configOf(configShape.read(root, context) ?? {}, root, context);
  return { config: { ...read, slip: problems.find(({ severity }) => severity === 'error') }, problems };
}

function configOf(written: WrittenConfig, root: Node, context: ReadContext): Omit<Config, 'slip'> {
  const { file } = context;
  const connections = new Map<string, ConnectionSpec>();
  for (const [name, connection] of written.connections ?? []) {
    const at = placeOf(root, context, 'connections', name);
    const engine = connection.engine ?? (connection.directory === undefined ? 'postgres' : 'pglite');
    const problem = wrongEngine(engine, connection);
    if (problem !== undefined) {
      context.problems.push({ message: `connection ${name} ${problem}`, at, severity: 'error' });
      continue;
    }
    connections.set(name, {
      name,
      at,
      engine,
      host: connection.host,
      port: connection.port,
      database: connection.database,
      user: connection.user,
      password: connection.password,
      service: connection.service,
      sslmode: connection.sslmode,
      sslrootcert: connection.sslrootcert,
      directory: connection.directory,
      url: connection.url,
      token: connection.token,
      ledger: connection.ledger,
      settings: Object.fromEntries(connection.settings ?? []),
      protected: connection.protected ?? false,
      concurrency: connection.concurrency,
      airflowIds: connection.airflowIds ?? [],
      preview: connection.preview,
    });
  }
  for (const { name, preview } of connections.values()) {
    if (preview === undefined || (connections.has(preview) && preview !== name)) continue;
    const message =
      preview === name
        ? `connection ${name} names itself for previews; name another one, or leave preview out`
        : `there is no connection ${preview}${didYouMean(preview, connections.keys())}`;
    context.problems.push({
      message,
      at: placeOf(root, context, 'connections', name, 'preview'),
      severity: 'error',
    });
  }
  for (const { name, ledger } of connections.values()) {
    if (ledger === undefined || ['postgres', 'pglite'].includes(connections.get(ledger)?.engine ?? '')) continue;
    const message = connections.has(ledger)
      ? `connection ${name} names ${ledger} for its ledger, which is no database; name one of postgres or pglite`
      : `there is no connection ${ledger}${didYouMean(ledger, connections.keys())}`;
    const at = placeOf(root, context, 'connections', name, 'ledger');
    context.problems.push({ message, at, severity: 'error' });
  }
  for (const [name, other] of lakesOfOneLedger(connections)) {
    const message = `connections ${other} and ${name} are two lakes with one ledger, where tables of one name would be taken for one; give ${name} a ledger of its own`;
    const at = placeOf(root, context, 'connections', name, 'ledger');
    context.problems.push({ message, at, severity: 'error' });
  }
  const named = written.defaultConnection;
  if (named !== undefined && !connections.has(named)) {
    const at = placeOf(root, context, 'defaultConnection');
    const message = `there is no connection ${named}${didYouMean(named, connections.keys())}`;
    context.problems.push({ message, at, severity: 'error' });
  }
  const schedulers = schedulersOf(written, root, context);
  const ruleNames = allRules.map(({ id }) => id);
  const checkRules = (names: Iterable<string>, ...path: readonly string[]): void => {
    for (const name of names) {
      if (ruleNames.includes(name)) continue;
      const message = `there is no rule ${name}${didYouMean(name, ruleNames)}`;
      context.problems.push({ message, at: placeOf(root, context, ...path, name), severity: 'error' });
    }
  };
  checkRules(written.rules?.keys() ?? [], 'rules');
  for (const [folder, { rules }] of written.folders ?? []) checkRules(rules?.keys() ?? [], 'folders', folder, 'rules');
  const sources = new Set<string>();
  for (const name of written.sources?.keys() ?? []) {
    const table = writtenName(name);
    if (sources.has(table)) {
      const message = `${table} is declared twice; names of tables are the same in any case, so put both into one entry`;
      context.problems.push({ message, at: placeOf(root, context, 'sources', name), severity: 'error' });
    }
    sources.add(table);
  }
  const [only] = connections.size === 1 ? connections.keys() : [];
  const { run = {}, airflow = {} } = written;
  const shrinkPercent = run.shrinkPercent ?? defaultRunSettings.holdShrinkPercent;
  const fallback = defaultRunSettings;
  return {
    file,
    connections,
    defaultConnection: named !== undefined && connections.has(named) ? named : only,
    schedulers,
    airflow: {
      version: airflow.version ?? 'auto',
      python: airflow.python,
      createCronDataIntervals: airflow.create_cron_data_intervals,
      createDeltaDataIntervals: airflow.create_delta_data_intervals,
    },
    dialect: written.dialect,
    dialects: Object.fromEntries(written.dialects ?? []),
    variables: Object.fromEntries(written.variables ?? []),
    environment: Object.fromEntries(written.environment ?? []),
    params: Object.fromEntries(written.params ?? []),
    dags: Object.fromEntries(
      [...(written.dags ?? [])].map(([id, { schedule, start_date, end_date, zone, catchup, ...templates }]) => [
        id,
        {
          schedule,
          startDate: start_date,
          endDate: end_date,
          zone,
          catchup,
          templateSearchPath: templates.template_searchpath,
          variables: templates.variables && Object.fromEntries(templates.variables),
          params: templates.params && Object.fromEntries(templates.params),
        },
      ]),
    ),
    declared: new Map(
      [...(written.tasks ?? [])].map(([name, task]) => [name, declaredTask(name, task, shrinkPercent, root, context)]),
    ),
    sources: new Map(
      [...(written.sources ?? [])].map(([name, source]) => {
        const problem = (message: string): void => {
          context.problems.push({ message, at: placeOf(root, context, 'sources', name), severity: 'error' });
        };
        return [writtenName(name), declaredSource(name, source, problem)];
      }),
    ),
    rules: Object.fromEntries(written.rules ?? []),
    folders: new Map(
      [...(written.folders ?? [])].map(([folder, { rules }]) => [
        folder.replaceAll('\\', '/').replace(/^(?:\.\/)+|\/+$/g, ''),
        Object.fromEntries(rules ?? []),
      ]),
    ),
    diff: { floatTolerance: written.diff?.floatTolerance },
    run: {
      concurrency: run.concurrency ?? fallback.concurrency,
      tableConcurrency: run.tableConcurrency ?? fallback.tableConcurrency,
      compare: run.compare ?? fallback.compare,
      samples: run.samples ?? fallback.samples,
      holdShrinkPercent: run.hold === false ? undefined : shrinkPercent,
      keepBeforeRows: run.keepBeforeRows ?? fallback.keepBeforeRows,
      keepBeforeDays: run.keepBeforeDays ?? fallback.keepBeforeDays,
      earlyCutoff: run.earlyCutoff ?? fallback.earlyCutoff,
      lockTable: run.lockTable ?? fallback.lockTable,
      vacuum: run.vacuum ?? fallback.vacuum,
      lockTimeoutMs: run.lockTimeout ?? fallback.lockTimeoutMs,
      statementTimeoutMs: run.statementTimeout ?? fallback.statementTimeoutMs,
      leaseMs: run.lease ?? fallback.leaseMs,
    },
  };
}

function schedulersOf(written: WrittenConfig, root: Node, context: ReadContext): Config['schedulers'] {
  const schedulers = new Map<string, SchedulerSpec>();
  for (const [name, { url, user, password, token, events, eventsToken }] of written.schedulers ?? []) {
    const at = placeOf(root, context, 'schedulers', name);
    const problem = (message: string): void => {
      context.problems.push({ message: `scheduler ${name}: ${message}`, at, severity: 'error' });
    };
    if (url === undefined) continue;
    if (url.names.length === 0 && !isPlainUrl(url.source))
      problem('its url is to be like https://airflow.example.org, without user and password');
    else if (token !== undefined && (user !== undefined || password !== undefined))
      problem('say token, or user and password, not both');
    // A user alone: an editor keeps the password in its secret store.
    else if (user === undefined && password !== undefined) problem('a password wants its user');
    else if (events !== undefined && isAddress(events) && !isPlainUrl(events))
      problem('its events are to be like https://marquez.example.org, without user and password; say eventsToken');
    else if (eventsToken !== undefined && !(events !== undefined && isAddress(events)))
      problem('eventsToken is for a collector: events has to be its address');
    else schedulers.set(name, { name, at, url, user, password, token, events, eventsToken });
  }
  return schedulers;
}

type WrittenTask = NonNullable<WrittenConfig['tasks']> extends ReadonlyMap<string, infer T> ? T : never;

function declaredTask(
  name: string,
  task: WrittenTask,
  shrinkPercent: number | undefined,
  root: Node,
  context: ReadContext,
): DeclaredTask {
  const problem = (message: string): void => {
    context.problems.push({ message, at: placeOf(root, context, 'tasks', name), severity: 'error' });
  };
  const { reads, writes } = task;
  const before = context.problems.length;
  const said = {
    reads: (reads ?? []).flatMap(({ table, column, window, from, to }) => {
      if (table === undefined) return [];
      if (window === undefined && from === undefined && to === undefined) {
        problem(`${table}: say which part is read, with from and to (and column), or with window: all`);
        return [];
      }
      if (from !== undefined && to !== undefined && isNeverBefore(from, to))
        problem(`${table}: its window ends where it begins or before, so that nothing is read; exchange from and to`);
      return [{ table: writtenName(table), column, window: window ?? { lo: from, hi: to } }];
    }),
    writes: (writes ?? []).flatMap(({ table, column, slice, from, to, key = [], volatile = [], ...more }) => {
      if (table === undefined) return [];
      const cuts = [column && 'column', more.columns && 'columns', more.expression && 'expression'].filter(Boolean);
      if (cuts.length > 1) problem(`${table}: say by what it is cut in one way, not by ${cuts.join(' and ')}`);
      if (cuts.length > 0 && slice === 'all')
        problem(`${table}: ${cuts[0]} cuts the table into slices, slice: all does not; say one of them`);
      const by = cutOf(more, (message) => problem(`${table}: ${message}`));
      const bounds = from === undefined || to === undefined ? undefined : { lo: from, hi: to };
      const range = slice === undefined || slice === 'all' ? bounds : slice;
      const isBounded = range !== undefined || from !== undefined || to !== undefined;
      if (isBounded && cuts.length === 0) problem(`${table}: say which column its slice is cut by`);
      if ((from === undefined) !== (to === undefined)) problem(`${table}: say both ends of its slice, from and to`);
      if (slice !== undefined && (from !== undefined || to !== undefined))
        problem(`${table}: say its slice in one way, with slice or with from and to`);
      if (bounds !== undefined && isNeverBefore(bounds.lo, bounds.hi))
        problem(`${table}: its slice ends where it begins or before; exchange from and to`);
      const { floatTolerance, concurrency, orphans } = more;
      const journal = more.journal === true ? (true as const) : undefined;
      const whole = cuts.length === 0 && (slice === 'all' || journal) ? ('all' as const) : undefined;
      const said = {
        column,
        cut: by,
        slice: whole,
        range,
        key,
        volatile,
        floatTolerance,
        concurrency,
        orphans,
        journal,
      };
      return [{ table: writtenName(table), ...said }];
    }),
  };
  for (const [index, { table }] of said.writes.entries())
    if (said.writes.findIndex((other) => other.table === table) < index)
      problem(`${table} stands twice under writes; put what is said of it into one entry`);
  const isWhole = [...(reads ?? []), ...(writes ?? [])].every(({ table }) => table !== undefined);
  const complete = reads !== undefined && writes !== undefined && isWhole && context.problems.length === before;
  return {
    complete,
    ...said,
    ...holdOf(task, shrinkPercent),
    ...(task.batch !== undefined && { batchMs: task.batch }),
  };
}

type WrittenCut = Pick<NonNullable<WrittenTask['writes']>[number], 'columns' | 'expression'>;

function cutOf({ columns, expression }: WrittenCut, problem: (message: string) => void): SliceCut | undefined {
  if (expression !== undefined) return { kind: 'expression', ...expression };
  if (columns === undefined) return undefined;
  const isSaid = columns.length >= 2 && columns.length <= 4 && new Set(columns).size === columns.length;
  if (!isSaid)
    problem('columns are those of year, month and, if there are, day and hour, each one time; a single one is column');
  return isSaid ? { kind: 'parts', columns } : undefined;
}

/** A task with a share of its own is held by it although others are not, unless it says so itself. */
function holdOf({ hold, shrinkPercent }: WrittenTask, otherwise: number | undefined): Pick<DeclaredTask, 'hold'> {
  if (hold === undefined && shrinkPercent === undefined) return {};
  return { hold: { shrinkPercent: hold === false ? undefined : (shrinkPercent ?? otherwise) } };
}

/** Place of a key by its path; of the nearest enclosing one when it is not found. */
function placeOf(root: Node, context: ReadContext, ...path: readonly string[]): SourceSpan {
  let node: Node | null | undefined = root;
  let place = spanOf(root, context);
  for (const name of path) {
    if (!isMap(node)) break;
    const pair = node.items.find(({ key }) => String(key) === name);
    if (pair === undefined) break;
    place = spanOf(pair.key as Node, context);
    node = pair.value as Node | null;
  }
  return place;
}

/** What an engine lacks, or has and cannot use; `undefined` where neither. */
function wrongEngine(
  engine: ConnectionSpec['engine'],
  {
    directory,
    url,
    token,
    ledger,
    preview,
  }: Pick<Partial<ConnectionSpec>, 'directory' | 'url' | 'token' | 'ledger' | 'preview'>,
): string | undefined {
  if (engine === 'pglite' && directory === undefined) return 'needs a directory';
  if (engine === 'spark') {
    if (url === undefined) return 'needs a url, like sc://localhost:15002';
    return preview === undefined ? undefined : 'is of Spark, where a preview publishes nothing; leave preview out';
  }
  const odd = Object.entries({ url, token, ledger }).find(([, value]) => value !== undefined);
  return odd && `has ${odd[0]}, which only an engine: spark has`;
}
