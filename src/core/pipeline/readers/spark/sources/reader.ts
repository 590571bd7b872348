import type { SourceSpan } from '../../../../text/span.ts';
import { argument } from '../../../python/calls/call.ts';
import { iterate } from '../../../python/values/iterate.ts';
import { hostValue } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { opaqueFrame, queryFrame, tableFrame } from '../frames/frame.ts';
import { filesQuery } from '../text/file-path.ts';
import { holeOf, joined, sqlOf } from '../text/sql-parts.ts';

interface Said {
  readonly value: Value;
  readonly at: SourceSpan;
}

/** `spark.read…`: `format`, `option`, `schema`, then what is read. */
export function readerValue(streaming: boolean, said: ReadonlyMap<string, Said> = new Map()): Value {
  const says = (entries: readonly (readonly [string, Said])[]): Value =>
    readerValue(streaming, new Map([...said, ...entries]));
  return hostValue({
    type: 'spark-reader',
    isFree: true,
    attribute: (name) =>
      hostValue({
        type: 'spark-reader-method',
        isFree: true,
        call(call, run) {
          const [first, second] = call.positional;
          switch (name) {
            case 'format':
              return first === undefined
                ? readerValue(streaming, said)
                : says([['format', { value: first, at: call.at }]]);
            case 'option': {
              const key = plainText(first)?.toLowerCase();
              return key === undefined || second === undefined
                ? readerValue(streaming, said)
                : says([[key, { value: second, at: call.positionalAt[1] ?? call.at }]]);
            }
            case 'options':
              return says(
                [...call.keywords.values()].map(({ name: key, value, valueAt }) => [
                  key.toLowerCase(),
                  { value, at: valueAt },
                ]),
              );
            case 'schema':
              return readerValue(streaming, said);
            default:
              // What goes on coming belongs to no interval.
              return streaming
                ? opaqueFrame('it is a stream', call.at, run, true)
                : (read(name, call, run, said) ?? opaqueFrame(`what read.${name}(…) reads is not known`, call.at, run));
          }
        },
      }),
  });
}

function read(name: string, call: Call, run: Interpreter, said: ReadonlyMap<string, Said>): Value | undefined {
  if (name === 'table') return tableOf(argument(call, 'tableName', 0)?.value, call.positionalAt[0] ?? call.at, run);
  if (name === 'jdbc') {
    const table = argument(call, 'table', 1);
    return table && tableOf(table.value, table.valueAt, run);
  }
  const query = said.get('query');
  if (query?.value.kind === 'text') return queryFrame(query.value, run);
  const table = said.get('dbtable') ?? said.get('table');
  if (table !== undefined) return tableOf(table.value, table.at, run);
  const given = argument(call, 'path', 0) ?? said.get('path');
  if (given === undefined) return undefined;
  const format = plainText(said.get('format')?.value);
  const paths = [
    ...(given.value.kind === 'list' ? iterate(given.value).values : [given.value]),
    ...call.positional.slice(1),
  ];
  const texts = paths.flatMap((value) =>
    value.kind === 'text'
      ? [value]
      : value.kind === 'path'
        ? [derivedText(value.path, given.at)]
        : [holeOf(value, given.at, run)],
  );
  const [only] = texts;
  if (only === undefined) return undefined;
  const isTable = (text: TextValue): boolean =>
    (format === 'iceberg' || format === 'delta') && /^[\w.]+$/.test(text.mapped.text) && text.mapped.text.includes('.');
  if (isTable(only)) return tableFrame(only, run);
  // Only Spark's files take several paths; other readers have settings behind the first.
  const all =
    /^(?:load|parquet|csv|json|orc|text)$/.test(name) && given.value.kind === 'list'
      ? texts
      : name === 'parquet'
        ? texts
        : [only];
  return queryFrame(joined(all.map(filesQuery), ' UNION ALL '), run);
}

/** A table by its name, or a query in brackets with a name behind it. */
function tableOf(value: Value | undefined, at: SourceSpan, run: Interpreter): Value | undefined {
  if (value === undefined) return undefined;
  const text = value.kind === 'text' ? value : holeOf(value, at, run);
  if (!/^\s*\(/.test(text.mapped.text)) return tableFrame(text, run);
  return queryFrame(sqlOf('SELECT * FROM ', text), run);
}
