import type { SourceSpan } from '../../../../text/span.ts';
import { argument } from '../../../python/calls/call.ts';
import { hostValue, none } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, HostObject, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { columnOf, columnTexts } from '../columns/column.ts';
import { type OverwriteMode, overwriteMode, overwritesOfSession, plain, sparkWorkOf } from '../session/spark-work.ts';
import { partitionClause, pathTable } from '../text/file-path.ts';
import { holeOf, joined, nameOf, type SqlPart, sqlOf } from '../text/sql-parts.ts';
import { type FrameQuery, queryText } from './frame-query.ts';

/** A value of a chain of settings, and the call of the chain that says it. */
interface Setting {
  readonly value: Value;
  readonly at: SourceSpan;
  readonly valueAt: SourceSpan;
}

/** `frame.write.mode(…).format(…)`, so far. */
interface WriterSettings {
  readonly query: FrameQuery;
  /** By the name of the method, `option <name>` for options, names in small letters. */
  readonly said: ReadonlyMap<string, Setting>;
  readonly partitionBy: readonly TextValue[];
}

export const writerFor = (query: FrameQuery): Value => writer({ query, said: new Map(), partitionBy: [] });

/** `frame.writeTo(table)`. */
export function tableWriter(query: FrameQuery, call: Call): Value {
  const table = argument(call, 'table', 0);
  const said = new Map<string, Setting>(table === undefined ? [] : [['table', table]]);
  return writer({ query, said, partitionBy: [] });
}

function writer(settings: WriterSettings): Value {
  const host: HostObject = {
    type: 'spark-writer',
    isFree: true,
    attribute: (name) =>
      hostValue({
        type: 'spark-writer-method',
        isFree: true,
        call: (call, run) => setting(settings, name, call, run) ?? written(settings, name, call, run),
      }),
  };
  return hostValue(host);
}

const silent = /^(?:bucketBy|sortBy|using|tableProperty|clusterBy)$/;

/** A call that only sets something; `undefined` for one that writes. */
function setting(settings: WriterSettings, name: string, call: Call, run: Interpreter): Value | undefined {
  const says = (entries: readonly (readonly [string, Setting])[]): Value =>
    writer({ ...settings, said: new Map([...settings.said, ...entries]) });
  const [first] = call.positional;
  const at = methodAt(call, name, run);
  switch (name) {
    case 'mode':
    case 'format': {
      const given = first ?? [...call.keywords.values()][0]?.value;
      const valueAt = call.positionalAt[0] ?? at;
      return given === undefined ? writer(settings) : says([[name, { value: given, at, valueAt }]]);
    }
    case 'option': {
      const key = plainText(argument(call, 'key', 0)?.value);
      const value = argument(call, 'value', 1);
      return key === undefined || value === undefined
        ? writer(settings)
        : says([[`option ${key.toLowerCase()}`, { value: value.value, at, valueAt: value.valueAt }]]);
    }
    case 'options':
      return says(
        [...call.keywords.values()].map(({ name: key, value, at: whole, valueAt }) => [
          `option ${key.toLowerCase()}`,
          { value, at: whole, valueAt },
        ]),
      );
    case 'partitionBy':
    case 'partitionedBy':
      return writer({ ...settings, partitionBy: columnTexts(call, run) });
    default:
      return silent.test(name) ? writer(settings) : undefined;
  }
}

/** `mode("overwrite")` of `frame.write.mode("overwrite")`: the call without what it is called on. */
export function methodAt(call: Call, name: string, run: Interpreter): SourceSpan {
  const { file, start, end } = call.at;
  const text = run.files.read(file)?.slice(start, end);
  const open = call.positionalAt[0] ?? [...call.keywords.values()][0]?.at;
  const until = open === undefined || open.file !== file ? (text?.length ?? 0) : open.start - start;
  const found = text === undefined ? -1 : text.lastIndexOf(name, until);
  return found < 0 ? call.at : { file, start: start + found, end };
}

function written(settings: WriterSettings, name: string, call: Call, run: Interpreter): Value {
  write(settings, name, call, run);
  return none;
}

/** What the call that ends the chain does. */
function write(settings: WriterSettings, name: string, call: Call, run: Interpreter): void {
  const work = sparkWorkOf(run);
  const at = methodAt(call, name, run);
  if (settings.query.streaming === true) {
    work.unread('code', 'it writes a stream, which goes on by itself and has no data interval', at);
    return;
  }
  const target = targetOf(settings, name, call, run);
  if (target === undefined) {
    work.unread('table', `where ${name}(…) writes to is not known`, at);
    return;
  }
  const format = plainText(settings.said.get('format')?.value);
  if (format === 'hudi' || format === 'org.apache.hudi') {
    writeHudi(settings, target.table, at, call, run);
    return;
  }
  if (format !== undefined && !knownFormats.test(format)) {
    work.unread('statement', `what the format ${format} does with rows that are there is not known`, at);
    return;
  }
  const mode = modeOf(settings, name, call, at);
  if (mode.word === undefined) {
    work.unread(
      'statement',
      `what ${name}(…) does to the rows that are there is not known: its mode is known at run time only`,
      mode.at,
    );
    return;
  }
  const statement = statementFor(settings, target, mode.word, name, call, run);
  // The words stand for the call that says what becomes of the rows that are there.
  const head = sqlOf({ text: sqlOf(...statement.head), at: mode.at });
  const text = sqlOf(head, ...statement.rest, ' ', queryText(settings.query));
  work.note({
    text,
    call,
    composed: { partitionedBy: partitionNames(settings.partitionBy) },
    ...(statement.overwrites === undefined ? {} : { overwrites: statement.overwrites }),
  });
}

/** Formats of files, tables and databases whose append adds rows, whatever their keys. */
const knownFormats =
  /^(?:parquet|csv|json|orc|text|avro|xml|hive|delta|iceberg|jdbc|bigquery|snowflake|net\.snowflake\.spark\.snowflake|redshift|io\.github\.spark_redshift_community\.spark\.redshift|com\.databricks\.spark\.(?:csv|avro|redshift|xml)|excel|com\.crealytics\.spark\.excel)$/;

/** Hudi puts rows in the place of those of their key unless it is told otherwise, in its mode of appending. */
function writeHudi(settings: WriterSettings, table: TextValue, at: SourceSpan, call: Call, run: Interpreter): void {
  const option = (name: string): Value | undefined =>
    settings.said.get(`option hoodie.datasource.write.${name}`)?.value;
  const mode = plainText(settings.said.get('mode')?.value)?.toLowerCase();
  const asked = option('operation');
  const operation = asked === undefined ? 'upsert' : plainText(asked)?.toLowerCase();
  const key = plainText(option('recordkey.field'))
    ?.split(',')
    .map((name) => nameOf(name.trim()));
  const rows = queryText(settings.query);
  const work = sparkWorkOf(run);
  const note = (...parts: readonly SqlPart[]): void => work.note({ text: sqlOf(...parts), call, composed: plain });
  if (mode === 'overwrite') note({ text: sqlOf('CREATE OR REPLACE TABLE ', table), at }, ' AS ', rows);
  else if (operation === 'insert' || operation === 'bulk_insert')
    note({ text: sqlOf('INSERT INTO ', table), at }, ' ', rows);
  else if (operation === 'insert_overwrite_table') note({ text: sqlOf('INSERT OVERWRITE ', table), at }, ' ', rows);
  else if ((operation === 'upsert' || operation === 'delete') && key !== undefined) {
    const on = key.map((name) => `target.${name} = source.${name}`).join(' AND ');
    const does = operation === 'delete' ? 'DELETE' : 'UPDATE SET * WHEN NOT MATCHED THEN INSERT *';
    const into = { text: sqlOf('MERGE INTO ', table), at };
    note(into, ' AS target USING (', rows, `) AS source ON ${on} WHEN MATCHED THEN ${does}`);
  } else work.unread('statement', 'what Hudi does with rows of the same key is known at run time only', at);
}

interface Target {
  readonly table: TextValue;
  readonly partition: ReturnType<typeof pathTable>['partition'];
  readonly isPath: boolean;
}

const fileFormats = /^(?:parquet|csv|json|orc|text|avro|xml)$/;

function targetOf(settings: WriterSettings, name: string, call: Call, run: Interpreter): Target | undefined {
  const { said } = settings;
  const named = (value: Value | undefined, at: SourceSpan): Target | undefined => {
    if (value === undefined) return undefined;
    const table = value.kind === 'text' ? value : holeOf(value, at, run);
    return { table, partition: [], isPath: false };
  };
  const files = (value: Value | undefined, at: SourceSpan): Target | undefined => {
    if (value === undefined) return undefined;
    const path =
      value.kind === 'text' ? value : value.kind === 'path' ? derivedText(value.path, at) : holeOf(value, at, run);
    return { ...pathTable(path), isPath: true };
  };
  const own = said.get('table');
  if (own !== undefined) return named(own.value, own.valueAt);
  const first = argument(
    call,
    name === 'jdbc' ? 'table' : name === 'saveAsTable' ? 'name' : name === 'insertInto' ? 'tableName' : 'path',
    name === 'jdbc' ? 1 : 0,
  );
  if (name === 'saveAsTable' || name === 'insertInto' || name === 'jdbc')
    return named(first?.value, first?.valueAt ?? call.at);
  if (fileFormats.test(name)) return files(first?.value, first?.valueAt ?? call.at);
  if (name !== 'save') return undefined;
  const table = said.get('option dbtable') ?? said.get('option table');
  if (table !== undefined) return named(table.value, table.valueAt);
  const path = first ?? said.get('option path');
  const format = plainText(said.get('format')?.value);
  if (path === undefined) return undefined;
  // Iceberg is saved to a table's name; a path has slashes.
  const text = path.value.kind === 'text' ? path.value.mapped.text : '';
  return format === 'iceberg' && !text.includes('/')
    ? named(path.value, path.valueAt)
    : files(path.value, path.valueAt);
}

const modes: Readonly<Record<string, string>> = {
  append: 'append',
  overwrite: 'overwrite',
  ignore: 'ignore',
  error: 'create',
  errorifexists: 'create',
  default: 'create',
};

/** What becomes of the rows that are there, and the place that says so. */
function modeOf(
  { said }: WriterSettings,
  name: string,
  call: Call,
  at: SourceSpan,
): { readonly word: string | undefined; readonly at: SourceSpan } {
  if (said.has('table')) return { word: tableModes[name], at };
  const overwrite = name === 'insertInto' ? argument(call, 'overwrite', 1) : undefined;
  if (overwrite?.value.kind === 'scalar' && overwrite.value.value !== null)
    return { word: overwrite.value.value ? 'overwrite' : 'append', at: overwrite.at };
  const own =
    name === 'jdbc'
      ? argument(call, 'mode', 2)
      : argument(call, 'mode', name === 'save' || name === 'saveAsTable' ? 2 : 1);
  const given: Setting | undefined = own !== undefined && own.value.kind !== 'scalar' ? own : said.get('mode');
  if (given === undefined) return { word: name === 'insertInto' ? 'append' : 'create', at };
  const word = plainText(given.value)?.toLowerCase();
  const known = word === undefined ? undefined : modes[word];
  return { word: name === 'insertInto' && known === 'create' ? 'append' : known, at: given.at };
}

/** The last calls of `frame.writeTo(table)`. */
const tableModes: Readonly<Record<string, string>> = {
  append: 'append',
  overwritePartitions: 'partitions',
  overwrite: 'where',
  create: 'create',
  createOrReplace: 'replace',
  replace: 'replace',
};

interface StatementHead {
  readonly head: readonly SqlPart[];
  readonly rest: readonly SqlPart[];
  readonly overwrites?: OverwriteMode;
}

function statementFor(
  settings: WriterSettings,
  { table, partition, isPath }: Target,
  mode: string,
  name: string,
  call: Call,
  run: Interpreter,
): StatementHead {
  const byName = name === 'insertInto' ? [] : [' BY NAME'];
  const spec = partitionClause(partition);
  switch (mode) {
    case 'append':
      return { head: ['INSERT INTO ', table], rest: [...spec, ...byName] };
    case 'ignore':
      return { head: ['CREATE TABLE IF NOT EXISTS ', table], rest: [...layoutOf(settings), ' AS'] };
    case 'create':
      return { head: ['CREATE TABLE ', table], rest: [...layoutOf(settings), ' AS'] };
    case 'replace':
      return { head: ['CREATE OR REPLACE TABLE ', table], rest: [...layoutOf(settings), ' AS'] };
    case 'where': {
      const [condition] = call.positional;
      const text =
        condition &&
        (columnOf(condition)?.text ??
          (condition.kind === 'text' ? condition : holeOf(condition, call.positionalAt[0] ?? call.at, run)));
      return { head: ['INSERT INTO ', table], rest: [' REPLACE WHERE ', text ?? 'true'] };
    }
    case 'partitions':
      return {
        head: ['INSERT OVERWRITE ', table],
        rest: partitionClause(partition, settings.partitionBy),
        overwrites: 'dynamic',
      };
    default:
      return overwriteHead(settings, { table, partition, isPath }, name, run, spec, byName);
  }
}

/** `mode("overwrite")`: the whole table, the partitions that get rows, or what a condition names. */
function overwriteHead(
  settings: WriterSettings,
  { table, partition }: Target,
  name: string,
  run: Interpreter,
  spec: readonly SqlPart[],
  byName: readonly SqlPart[],
): StatementHead {
  const condition = settings.said.get('option replacewhere');
  if (condition !== undefined) {
    const text = condition.value.kind === 'text' ? condition.value : holeOf(condition.value, condition.valueAt, run);
    return { head: ['INSERT INTO ', table], rest: [' REPLACE WHERE ', text] };
  }
  const laidOut = layoutOf(settings);
  const format = plainText(settings.said.get('format')?.value);
  const overwrites = overwriteModeOf(settings, run);
  const remakes = name === 'jdbc' || (name === 'saveAsTable' && format !== 'delta');
  // Spark drops such a table and makes it anew, whatever the mode of partitions says.
  if (remakes) return { head: ['CREATE OR REPLACE TABLE ', table], rest: [...laidOut, ' AS'] };
  if (overwrites !== 'dynamic') return { head: ['INSERT OVERWRITE ', table], rest: [...spec, ...byName], overwrites };
  return {
    head: ['INSERT OVERWRITE ', table],
    rest: [
      ...partitionClause(partition, settings.partitionBy),
      ...(settings.partitionBy.length > 0 || partition.length > 0 ? [] : byName),
    ],
    overwrites,
  };
}

function overwriteModeOf({ said }: WriterSettings, run: Interpreter): OverwriteMode {
  const own = said.get('option partitionoverwritemode')?.value;
  return own === undefined ? (overwritesOfSession(sparkWorkOf(run)) ?? 'static') : overwriteMode(own);
}

/** Columns that are named in full. */
const partitionNames = (columns: readonly TextValue[]): readonly string[] =>
  columns.flatMap(({ mapped, holes }) => (holes.length > 0 ? [] : [mapped.text.replaceAll('`', '').toLowerCase()]));

const layoutOf = ({ partitionBy }: WriterSettings): readonly SqlPart[] =>
  partitionBy.length === 0 ? [] : [' PARTITIONED BY (', joined(partitionBy, ', '), ')'];
