import type { SourceSpan } from '../../../../text/span.ts';
import { derivedText } from '../../../python/values/text-value.ts';
import type { HostObject, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { holeOf, nameOf, sqlOf } from '../text/sql-parts.ts';

/** A query while it is put together. */
export interface FrameQuery {
  /** What stands behind FROM, with its aliases. */
  readonly from: TextValue;
  readonly where: readonly TextValue[];
  /** A whole query by itself, of which nothing can be taken apart. */
  readonly whole?: TextValue;
  /** Rows that go on coming: nothing of it belongs to an interval. */
  readonly streaming?: true;
}

/** Rows as a query: `spark.table(…).filter(…)`. */
export interface FrameHost extends HostObject {
  readonly type: 'spark-frame';
  readonly query: FrameQuery;
  /** The name by which columns of it are told from those of others in a join. */
  readonly alias: string;
}

export const frameOf = (value: Value | undefined): FrameHost | undefined =>
  value?.kind === 'host' && value.host.type === 'spark-frame' ? (value.host as FrameHost) : undefined;

/** The rows as a SELECT. */
export const queryText = ({ whole, from, where }: FrameQuery): TextValue =>
  whole ?? sqlOf('SELECT * FROM ', from, ...whereOf(where));

export const whereOf = (conditions: readonly TextValue[]): readonly (TextValue | string)[] =>
  conditions.flatMap((condition, index) => [index === 0 ? ' WHERE ' : ' AND ', condition]);

/** As something that more can be asked of. */
export const openQuery = ({ query, alias }: Pick<FrameHost, 'query' | 'alias'>): FrameQuery =>
  query.whole === undefined
    ? query
    : { from: subquery(query, alias), where: [], ...(query.streaming && { streaming: true }) };

/** In brackets and by a name. */
export const subquery = (query: FrameQuery, alias: string): TextValue =>
  sqlOf('(', queryText(query), `) AS ${nameOf(alias)}`);

export const wholeQuery = (whole: TextValue, streaming?: true): FrameQuery => ({
  from: derivedText(''),
  where: [],
  whole,
  ...(streaming && { streaming }),
});

/** Rows of which only the run knows what they are, with the reason. */
export function opaqueQuery(reason: string, at: SourceSpan, run: Interpreter, of?: FrameHost): FrameQuery {
  const rows = holeOf({ kind: 'unknown', reason, clocks: [] }, at, run);
  const from = of === undefined ? [] : [' FROM ', subquery(of.query, of.alias)];
  return wholeQuery(sqlOf('SELECT ', rows, ...from), of?.query.streaming);
}
