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
  /** How its rows stand, which only matters to what takes the first of them. */
  readonly order?: readonly TextValue[];
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

/**
 * One query or another, whichever a condition takes: the wider of the two where one only filters the other, the outer one
 * where it only adds columns, else the rows of both.
 */
export function eitherQuery(one: FrameQuery, other: FrameQuery): FrameQuery {
  if (filters(one, other)) return one;
  if (filters(other, one)) return other;
  if (addsColumns(one, other)) return other;
  if (addsColumns(other, one)) return one;
  const [longer, shorter] = coreOf(one).length >= coreOf(other).length ? [one, other] : [other, one];
  // Where ways double with each condition, the longest text says most.
  if (coreOf(longer).length > longestText) return longer;
  return wholeQuery(sqlOf(queryText(longer), ' UNION ', queryText(shorter)), longer.streaming ?? shorter.streaming);
}

const longestText = 20_000;

/** `SELECT * FROM` aside, so that a query which selects from it has it as a part. */
const coreOf = ({ whole, from, where }: FrameQuery): string => (whole ?? sqlOf(from, ...whereOf(where))).mapped.text;

/** `narrow` takes rows of `wide` and nothing else. */
function filters(wide: FrameQuery, narrow: FrameQuery): boolean {
  if (wide.whole !== undefined || narrow.whole !== undefined)
    return wide.whole?.mapped.text === narrow.whole?.mapped.text;
  return (
    wide.from.mapped.text === narrow.from.mapped.text &&
    wide.where.every((condition, index) => condition.mapped.text === narrow.where[index]?.mapped.text)
  );
}

/** `outer` is a SELECT from `inner` that cuts, joins and groups nothing. */
function addsColumns(inner: FrameQuery, outer: FrameQuery): boolean {
  const [part, text] = [coreOf(inner), coreOf(outer)];
  const at = text.indexOf(part);
  if (at < 0) return false;
  const rest = text.slice(0, at) + text.slice(at + part.length);
  return (
    !/\b(?:join|where|having|limit|union|except|intersect|group|distinct|qualify)\b/i.test(rest) &&
    (rest.match(/\bfrom\b/gi) ?? []).length < 2
  );
}
