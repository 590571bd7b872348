import type { SourceSpan } from '../../../../text/span.ts';
import { hostValue, unknown } from '../../../python/values/make-value.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Call, HostObject, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { column, columnOf } from '../columns/column.ts';
import { sparkWorkOf } from '../session/spark-work.ts';
import { nameOf, sqlOf } from '../text/sql-parts.ts';
import { frameMethod } from './frame-methods.ts';
import { eitherQuery, type FrameHost, type FrameQuery, opaqueQuery, wholeQuery } from './frame-query.ts';
import { streamWriter } from './stream-writer.ts';
import { writerFor } from './writer.ts';

/** The rows of a query as Python has them. */
export function frame(query: FrameQuery, alias: string): Value {
  const host: FrameHost = {
    type: 'spark-frame',
    isFree: true,
    query,
    alias,
    either: (others) => eitherFrame(host, others),
    attribute: (name, at) => attributeOf(host, name, at),
    item: (key, at, run) => itemOf(host, key, at, run),
  };
  return hostValue(host);
}

/** The rows of one frame or another: all that may be read, so that none is lost. */
function eitherFrame(host: FrameHost, others: readonly HostObject[]): Value | undefined {
  const frames = others.filter((other): other is FrameHost => other.type === host.type);
  if (frames.length < others.length) return undefined;
  return frame(
    frames.reduce((query, other) => eitherQuery(query, other.query), host.query),
    host.alias,
  );
}

function attributeOf(host: FrameHost, name: string, at: SourceSpan): Value {
  if (name === 'write') return writerFor(host.query);
  if (name === 'writeStream') return streamWriter;
  if (name === 'rdd') return unknown('rows that Python takes one by one');
  if (name === 'columns' || name === 'schema' || name === 'dtypes') return unknown(`the ${name} of a frame`);
  return frameMethod(host, name, frame) ?? columnOfFrame(host, name, at);
}

const columnOfFrame = ({ alias }: FrameHost, name: string, at: SourceSpan): Value =>
  column(sqlOf(`${nameOf(alias)}.`, { text: nameOf(name), at }));

/** `df["ds"]`, `df[df.ds == ds]`, `df[["a", "b"]]`. */
function itemOf(host: FrameHost, key: Value, at: SourceSpan, run: Interpreter): Value | undefined {
  const name = plainText(key);
  if (name !== undefined) return columnOfFrame(host, name, at);
  const method = columnOf(key) !== undefined ? 'filter' : key.kind === 'list' ? 'select' : undefined;
  const found = method === undefined ? undefined : frameMethod(host, method, frame);
  const call: Call = {
    at,
    callee: method ?? '',
    positional: [key],
    positionalAt: [at],
    keywords: new Map(),
    open: false,
  };
  return found?.kind === 'host' ? found.host.call?.(call, run) : undefined;
}

/** The rows of a table or of files; a name of its own for the columns. */
export function tableFrame(table: TextValue, run: Interpreter): Value {
  const alias = sparkWorkOf(run).nextAlias();
  return frame({ from: sqlOf(table, ` AS ${alias}`), where: [] }, alias);
}

/** The rows of a whole query. */
export const queryFrame = (whole: TextValue, run: Interpreter): Value =>
  frame(wholeQuery(whole), sparkWorkOf(run).nextAlias());

/** Rows of which only the run knows what they are. */
export const opaqueFrame = (reason: string, at: SourceSpan, run: Interpreter, streaming?: true): Value =>
  frame({ ...opaqueQuery(reason, at, run), ...(streaming && { streaming }) }, sparkWorkOf(run).nextAlias());
