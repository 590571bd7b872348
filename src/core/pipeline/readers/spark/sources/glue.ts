import { argument } from '../../../python/calls/call.ts';
import { hostValue, none } from '../../../python/values/make-value.ts';
import type { Call, DictValue, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { opaqueFrame, queryFrame } from '../frames/frame.ts';
import { type FrameHost, frameOf, queryText } from '../frames/frame-query.ts';
import { methodAt } from '../frames/writer.ts';
import { plain, sparkWorkOf } from '../session/spark-work.ts';
import { filesQuery, partitionClause, pathTable } from '../text/file-path.ts';
import { holeOf, type SqlPart, sqlOf } from '../text/sql-parts.ts';
import { session } from './session.ts';

const method = (type: string, call: (given: Call, run: Interpreter) => Value): Value =>
  hostValue({ type: `glue-${type}`, isFree: true, call });

/** `GlueContext`: frames of the catalog and of files, and what writes them. All of its writes add rows. */
export const glueContext: Value = hostValue({
  type: 'glue-context',
  isFree: true,
  attribute(name) {
    switch (name) {
      case 'spark_session':
        return session;
      case 'create_dynamic_frame':
      case 'create_data_frame':
        return hostValue({
          type: 'glue-reader',
          isFree: true,
          attribute: (kind) => method('read', (call, run) => read(kind, call, run)),
        });
      case 'create_dynamic_frame_from_catalog':
        return method('read', (call, run) => read('from_catalog', call, run));
      case 'create_dynamic_frame_from_options':
        return method('read', (call, run) => read('from_options', call, run));
      case 'write_dynamic_frame':
      case 'write_data_frame':
        return hostValue({
          type: 'glue-writer',
          isFree: true,
          attribute: (kind) =>
            method('write', (call, run) => write(call, kind, frameOf(argument(call, 'frame', 0)?.value), call, run)),
        });
      case 'getSink':
        return method('sink', (call) => sink(call));
      case 'purge_s3_path':
      case 'purge_table':
        return method('purge', (call, run) => purge(name, call, run));
      default:
        return undefined;
    }
  },
});

/** `ApplyMapping.apply(frame=…)` and other transforms give rows of the frame; `DynamicFrame.fromDF(frame, …)` is one. */
export function glueCall(name: string, call: Call): Value | undefined {
  if (!/(?:^|\.)(?:DynamicFrame\.fromDF|\w+\.apply)$/.test(name)) return undefined;
  const given = argument(call, 'frame', 0) ?? argument(call, 'dataframe', 0);
  return frameOf(given?.value) === undefined ? undefined : given?.value;
}

function read(kind: string, call: Call, run: Interpreter): Value {
  if (kind === 'from_catalog') {
    const table = catalogTable(call, run);
    const filter = (call.keywords.get('push_down_predicate') ?? call.keywords.get('catalogPartitionPredicate'))?.value;
    const where = filter?.kind === 'text' ? [' WHERE ', filter] : [];
    return table === undefined
      ? opaqueFrame('its table is not known', call.at, run)
      : queryFrame(sqlOf('SELECT * FROM ', table, ...where), run);
  }
  const options = call.keywords.get('connection_options')?.value;
  const paths = options?.kind === 'dict' ? (options.entries.get('paths') ?? options.entries.get('path')) : undefined;
  const first = paths?.value.kind === 'list' ? paths.value.items[0] : paths?.value;
  if (first?.kind === 'text') return queryFrame(filesQuery(first), run);
  const table = options?.kind === 'dict' ? options.entries.get('dbtable')?.value : undefined;
  return table?.kind === 'text'
    ? queryFrame(sqlOf('SELECT * FROM ', table), run)
    : opaqueFrame('what it reads is not known', call.at, run);
}

function catalogTable(call: Call, run: Interpreter): TextValue | undefined {
  const database = argument(call, 'database', undefined)?.value ?? call.keywords.get('name_space')?.value;
  const table = call.keywords.get('table_name');
  if (table === undefined) return undefined;
  const name = table.value.kind === 'text' ? table.value : holeOf(table.value, table.valueAt, run);
  return database?.kind === 'text' ? sqlOf(database, '.', name) : name;
}

const settingsOf = (value: Value | undefined): DictValue | undefined => (value?.kind === 'dict' ? value : undefined);

/** Adds the rows of a frame; `options` is the call that says where to. */
function write(options: Call, kind: string, rows: FrameHost | undefined, call: Call, run: Interpreter): Value {
  const work = sparkWorkOf(run);
  const at = methodAt(call, kind, run);
  const settings = settingsOf(options.keywords.get('connection_options')?.value);
  const path = options.keywords.get('path')?.value ?? settings?.entries.get('path')?.value;
  const table =
    kind === 'from_catalog' ? catalogTable(options, run) : (settings?.entries.get('dbtable')?.value ?? undefined);
  const files = path?.kind === 'text' ? pathTable(path) : undefined;
  const spec = table === undefined && files !== undefined ? partitionClause(files.partition) : [];
  const target = table !== undefined && 'mapped' in table ? (table as TextValue) : files?.table;
  if (target === undefined) {
    work.unread('table', `where ${kind}(…) writes to is not known`, at);
    return none;
  }
  const query =
    rows === undefined
      ? sqlOf('SELECT ', holeOf({ kind: 'unknown', reason: 'its frame is not known', clocks: [] }, at, run))
      : queryText(rows.query);
  work.note({
    text: sqlOf({ text: sqlOf('INSERT INTO ', target), at }, ...spec, ' BY NAME ', query),
    call,
    composed: plain,
  });
  return none;
}

/** `getSink(path=…)`, told more on the way, until `writeFrame(…)`. */
function sink(options: Call): Value {
  return hostValue({
    type: 'glue-sink',
    isFree: true,
    attribute: (name) =>
      method('sink-method', (call, run) =>
        name === 'writeFrame' ? write(options, name, frameOf(call.positional[0]), call, run) : none,
      ),
  });
}

/** Files that are taken away before others are written; only those that are older than a week unless it is told otherwise. */
function purge(name: string, call: Call, run: Interpreter): Value {
  const options = settingsOf(argument(call, 'options', name === 'purge_table' ? 2 : 1)?.value);
  const age = options?.entries.get('retentionPeriod')?.value;
  const path = argument(call, 's3_path', 0)?.value;
  const files = name === 'purge_s3_path' && path?.kind === 'text' ? pathTable(path) : undefined;
  const table = name === 'purge_table' ? catalogTable(call, run) : undefined;
  const at = methodAt(call, name, run);
  const work = sparkWorkOf(run);
  if (age?.kind !== 'scalar' || age.value !== 0)
    work.unread(
      'statement',
      `${name}(…) takes away only what is older than its retentionPeriod, a week unless it is told otherwise`,
      at,
    );
  else if (table !== undefined)
    work.note({ text: sqlOf({ text: sqlOf('TRUNCATE TABLE ', table), at }), call, composed: plain });
  else if (files === undefined) work.unread('table', `what ${name}(…) takes away is not known`, at);
  else work.note({ text: sqlOf({ text: sqlOf(...emptied(files)), at }), call, composed: plain });
  return none;
}

const emptied = ({ table, partition }: ReturnType<typeof pathTable>): readonly SqlPart[] =>
  partition.length === 0
    ? ['TRUNCATE TABLE ', table]
    : ['ALTER TABLE ', table, ' DROP IF EXISTS', ...partitionClause(partition)];
