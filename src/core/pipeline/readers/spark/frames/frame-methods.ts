import type { SourceSpan } from '../../../../text/span.ts';
import { argument } from '../../../python/calls/call.ts';
import { iterate } from '../../../python/values/iterate.ts';
import { hostValue, none, unknown } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { columnName, columnOf, columnText, columnTexts } from '../columns/column.ts';
import { plain, sparkWorkOf } from '../session/spark-work.ts';
import { holeOf, joined, nameOf, type SqlPart, sqlOf } from '../text/sql-parts.ts';
import {
  type FrameHost,
  type FrameQuery,
  frameOf,
  opaqueQuery,
  openQuery,
  queryText,
  subquery,
  whereOf,
  wholeQuery,
} from './frame-query.ts';
import { tableWriter } from './writer.ts';

/** How rows of a query become a frame. */
type MakeFrame = (query: FrameQuery, alias: string) => Value;

/** What a call makes of the rows: another query, or something else. */
type Step = (self: FrameHost, call: Call, run: Interpreter) => FrameQuery;
type Method = (self: FrameHost, call: Call, run: Interpreter, make: MakeFrame) => Value;

/** What a frame's method gives; `undefined` for a name that is a column rather than a method. */
export function frameMethod(self: FrameHost, name: string, make: MakeFrame): Value | undefined {
  if (name === 'na' || name === 'stat')
    return hostValue({ type: 'spark-frame-part', isFree: true, attribute: () => method(self, step(same), make) });
  const made = Object.hasOwn(steps, name) ? steps[name] : undefined;
  if (made !== undefined) return method(self, step(made), make);
  const found = Object.hasOwn(methods, name) ? methods[name] : undefined;
  return found && method(self, found, make);
}

const step =
  (does: Step): Method =>
  (self, call, run, make) =>
    make(does(self, call, run), self.alias);

const method = (self: FrameHost, does: Method, make: MakeFrame): Value =>
  hostValue({ type: 'spark-frame-method', isFree: true, call: (call, run) => does(self, call, run, make) });

const same: Step = ({ query }) => query;

const whole = ({ query }: FrameHost, text: TextValue): FrameQuery => wholeQuery(text, query.streaming);

/** `SELECT … FROM` what the frame has. */
function selected(self: FrameHost, items: readonly SqlPart[], rest: readonly SqlPart[] = []): FrameQuery {
  const { from, where } = openQuery(self);
  return whole(self, sqlOf('SELECT ', joined(items, ', '), ' FROM ', from, ...whereOf(where), ...rest));
}

const filter: Step = (self, call, run) => {
  const [condition] = call.positional;
  const at = call.positionalAt[0] ?? call.at;
  if (condition === undefined) return self.query;
  const text =
    columnOf(condition)?.text ?? (condition.kind === 'text' ? sqlOf('(', condition, ')') : holeOf(condition, at, run));
  const { where } = openQuery(self);
  return { ...openQuery(self), where: [...where, text] };
};

const withColumn: Step = (self, call, run) => {
  const [name, value] = call.positional;
  if (name?.kind !== 'text' || value === undefined)
    return opaqueQuery('which column it adds is not known', call.at, run, self);
  return selected(self, [
    '*',
    sqlOf(
      columnText(value, call.positionalAt[1] ?? call.at, run),
      ' AS ',
      columnName(name, call.positionalAt[0] ?? call.at),
    ),
  ]);
};

const withColumns: Step = (self, call, run) => {
  const [given] = call.positional;
  if (given?.kind !== 'dict' || given.open)
    return opaqueQuery('which columns it adds is not known', call.at, run, self);
  const items = [...given.entries].map(([name, { value, valueAt }]) =>
    sqlOf(columnText(value, valueAt, run), ` AS ${nameOf(name)}`),
  );
  return selected(self, ['*', ...items]);
};

const renamed: Step = (self, call, run) => {
  const [from, to] = call.positional;
  if (from?.kind !== 'text' || to?.kind !== 'text')
    return opaqueQuery('which column it renames is not known', call.at, run, self);
  return selected(self, [
    '*',
    sqlOf(columnName(from, call.positionalAt[0] ?? call.at), ' AS ', columnName(to, call.positionalAt[1] ?? call.at)),
  ]);
};

const select: Step = (self, call, run) => {
  const items = columnTexts(call, run);
  return items.length === 0 ? self.query : selected(self, items);
};

/** Items are expressions of SQL. */
const selectExpr: Step = (self, call, run) => {
  const given = call.positional.flatMap((value) => (value.kind === 'list' ? iterate(value).values : [value]));
  if (given.length === 0 || given.some((value) => value.kind !== 'text'))
    return opaqueQuery('which columns it selects is not known', call.at, run, self);
  return selected(self, given as readonly TextValue[]);
};

const kinds: Readonly<Record<string, string>> = {
  inner: 'JOIN',
  left: 'LEFT JOIN',
  leftouter: 'LEFT JOIN',
  left_outer: 'LEFT JOIN',
  right: 'RIGHT JOIN',
  rightouter: 'RIGHT JOIN',
  right_outer: 'RIGHT JOIN',
  outer: 'FULL JOIN',
  full: 'FULL JOIN',
  fullouter: 'FULL JOIN',
  full_outer: 'FULL JOIN',
  cross: 'CROSS JOIN',
  semi: 'LEFT SEMI JOIN',
  leftsemi: 'LEFT SEMI JOIN',
  left_semi: 'LEFT SEMI JOIN',
  anti: 'LEFT ANTI JOIN',
  leftanti: 'LEFT ANTI JOIN',
  left_anti: 'LEFT ANTI JOIN',
};

const join: Step = (self, call, run) => {
  const other = frameOf(argument(call, 'other', 0)?.value);
  const on = argument(call, 'on', 1);
  const how = plainText(argument(call, 'how', 2)?.value) ?? 'inner';
  if (other === undefined) return opaqueQuery('what it joins is not known', call.at, run, self);
  const left = openQuery(self);
  const right = openQuery(other);
  // What is asked of the other side is asked before the two meet.
  const rightFrom = right.where.length === 0 ? right.from : subquery(other.query, other.alias);
  const leftFrom = left.where.length === 0 ? left.from : subquery(self.query, self.alias);
  const from = sqlOf(
    leftFrom,
    ` ${kinds[how.toLowerCase()] ?? 'JOIN'} `,
    rightFrom,
    ...joinCondition(on?.value, on?.valueAt ?? call.at, run),
  );
  return { ...left, from, where: [] };
};

function joinCondition(on: Value | undefined, at: SourceSpan, run: Interpreter): readonly SqlPart[] {
  if (on === undefined) return [];
  const items = on.kind === 'list' ? iterate(on).values : [on];
  const columns = items.map(columnOf);
  if (columns.every((one) => one !== undefined))
    return [
      ' ON ',
      joined(
        columns.map(({ text }) => text),
        ' AND ',
      ),
    ];
  const names = items.flatMap((item) => (item.kind === 'text' ? [columnName(item, at)] : []));
  return names.length === items.length ? [' USING (', joined(names, ', '), ')'] : [' ON ', holeOf(on, at, run)];
}

const crossJoin: Step = (self, call, run) => {
  const [other] = call.positional;
  return other === undefined
    ? self.query
    : join(self, { ...call, positional: [other, none, derivedText('cross')] }, run);
};

const combined =
  (word: string): Step =>
  (self, call, run) => {
    const other = frameOf(call.positional[0]);
    if (other === undefined) return opaqueQuery('what it is combined with is not known', call.at, run, self);
    return whole(self, sqlOf(queryText(self.query), ` ${word} `, queryText(other.query)));
  };

/** `groupBy(…)` waits for what is made of each group. */
const groupBy: Method = (self, call, run, make) => {
  const names = columnTexts(call, run);
  const keys = call.positional.flatMap((value, index) => {
    const at = call.positionalAt[index] ?? call.at;
    return (value.kind === 'list' ? iterate(value).values : [value]).map((item) => columnText(item, at, run));
  });
  const grouped = (made: readonly SqlPart[]): Value =>
    make(selected(self, [...names, ...made], keys.length === 0 ? [] : [' GROUP BY ', joined(keys, ', ')]), self.alias);
  const group: Value = hostValue({
    type: 'spark-groups',
    isFree: true,
    attribute: (name) =>
      hostValue({
        type: 'spark-groups-method',
        isFree: true,
        call(made) {
          if (name === 'pivot') return group;
          if (name === 'count') return grouped([sqlOf({ text: 'count(*)', at: made.at }, ' AS count')]);
          if (name === 'agg') return grouped(aggregates(made, run));
          if (/^(?:sum|avg|mean|min|max)$/.test(name)) {
            const words = { text: `${name === 'mean' ? 'avg' : name}(`, at: made.at };
            return grouped(columnTexts(made, run).map((item) => sqlOf(words, item, ')')));
          }
          return make(opaqueQuery('what Python makes of each group is not followed', made.at, run, self), self.alias);
        },
      }),
  });
  return group;
};

function aggregates(call: Call, run: Interpreter): readonly SqlPart[] {
  const [first] = call.positional;
  if (first?.kind !== 'dict') return columnTexts(call, run);
  return [...first.entries].map(([name, { value }]) => `${plainText(value) ?? 'agg'}(${nameOf(name)})`);
}

/** Which of several rows of one key stays is not said. */
const dropDuplicates: Step = (self, call, run) => {
  const keys = columnTexts(call, run);
  if (keys.length === 0) {
    const { from, where } = openQuery(self);
    return whole(self, sqlOf('SELECT DISTINCT * FROM ', from, ...whereOf(where)));
  }
  return self.query;
};

const drop: Step = (self, call) => {
  const names = call.positional.map(plainText);
  if (names.length === 0 || names.some((name) => name === undefined)) return self.query;
  return selected(self, [`* EXCEPT (${names.map((name) => nameOf(name ?? '')).join(', ')})`]);
};

/** `orderBy("day", ascending=False)`: a list of them says it of each column. */
const ordered: Step = (self, call, run) => {
  const order = columnTexts(call, run);
  const ascending = call.keywords.get('ascending')?.value;
  const falls = (index: number): boolean => {
    const one = ascending?.kind === 'list' ? ascending.items[index] : ascending;
    return one?.kind === 'scalar' && (one.value === false || one.value === 0);
  };
  return { ...self.query, order: order.map((text, index) => (falls(index) ? sqlOf(text, ' DESC') : text)) };
};

/** A step that leaves the rows in their order. */
const inOrder =
  (does: Step): Step =>
  (self, call, run) => ({ ...does(self, call, run), ...(self.query.order && { order: self.query.order }) });

const limit: Step = (self, call) => {
  const [count] = call.positional;
  const number = count?.kind === 'scalar' ? String(count.value) : '1';
  const { order = [] } = self.query;
  const by = order.length === 0 ? [] : [' ORDER BY ', joined(order, ', ')];
  return whole(self, sqlOf(queryText(openQuery(self)), ...by, { text: ` LIMIT ${number}`, at: call.at }));
};

const aliased: Method = (self, call, _run, make) => {
  const name = plainText(call.positional[0]);
  if (name === undefined) return make(self.query, self.alias);
  return make({ ...openQuery(self), from: subquery(self.query, name), where: [] }, name);
};

const transform: Method = (self, call, run, make) => {
  const [made, ...rest] = call.positional;
  const own = make(self.query, self.alias);
  if (made === undefined) return own;
  const at = call.positionalAt[0] ?? call.at;
  const given = run.call(made, {
    ...call,
    positional: [own, ...rest],
    positionalAt: [at, ...call.positionalAt.slice(1)],
  });
  return frameOf(given) === undefined
    ? make(opaqueQuery('what its function gives is not followed', call.at, run, self), self.alias)
    : given;
};

const view: Method = (self, call, run) => {
  const [name] = call.positional;
  const work = sparkWorkOf(run);
  if (name?.kind !== 'text') {
    work.unread('table', 'the name of its view is not known', call.at);
    return none;
  }
  const words = { text: 'CREATE OR REPLACE TEMPORARY VIEW ', at: call.at };
  work.note({ text: sqlOf(words, name, ' AS ', queryText(self.query)), call, composed: plain });
  return none;
};

/** What is taken out of Spark was read. */
const action =
  (gives: string): Method =>
  (self, call, run) => {
    if (self.query.streaming === undefined)
      sparkWorkOf(run).note({ text: queryText(self.query), call, composed: plain });
    return unknown(gives);
  };

const opaque: Step = (self, call, run) =>
  opaqueQuery('what Python makes of its rows is not followed', call.at, run, self);

const handled: Method = (self, call, run, make) => {
  sparkWorkOf(run).unread('code', 'it hands rows to Python one by one, which may write them anywhere', call.at);
  return action('nothing')(self, call, run, make);
};

/** Calls that give other rows. */
const steps: Readonly<Record<string, Step>> = {
  filter: inOrder(filter),
  where: inOrder(filter),
  withColumn: inOrder(withColumn),
  withColumns: inOrder(withColumns),
  withColumnRenamed: inOrder(renamed),
  select: inOrder(select),
  selectExpr: inOrder(selectExpr),
  join,
  crossJoin,
  union: combined('UNION ALL'),
  unionAll: combined('UNION ALL'),
  unionByName: combined('UNION ALL'),
  intersect: combined('INTERSECT'),
  intersectAll: combined('INTERSECT ALL'),
  subtract: combined('EXCEPT'),
  exceptAll: combined('EXCEPT ALL'),
  agg: (self, call, run) => selected(self, aggregates(call, run)),
  distinct: dropDuplicates,
  dropDuplicates,
  drop_duplicates: dropDuplicates,
  drop: inOrder(drop),
  limit,
  ...named('orderBy sort', ordered),
  ...named(
    'sortWithinPartitions repartition repartitionByRange coalesce cache persist unpersist checkpoint ' +
      'localCheckpoint hint fillna dropna replace sample toDF withWatermark observe',
    same,
  ),
  ...named('mapInPandas mapInArrow melt unpivot crosstab', opaque),
};

const methods: Readonly<Record<string, Method>> = {
  groupBy,
  groupby: groupBy,
  rollup: groupBy,
  cube: groupBy,
  alias: aliased,
  transform,
  ...named('printSchema explain', () => none),
  ...named(
    'collect first head take tail count show toPandas toLocalIterator isEmpty describe summary',
    action('what is taken out of a frame'),
  ),
  foreach: handled,
  foreachPartition: handled,
  ...named(
    'createOrReplaceTempView createTempView createOrReplaceGlobalTempView createGlobalTempView registerTempTable',
    view,
  ),
  writeTo: ({ query }, call) => tableWriter(query, call),
};

function named<T>(names: string, does: T): Record<string, T> {
  return Object.fromEntries(names.split(' ').map((name) => [name, does]));
}
