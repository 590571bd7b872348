import { isAggregate } from '../../../sql/calls/is-aggregate.ts';
import type { SqlExpression } from '../../../sql/model/expression.ts';
import { sameValue } from '../../repeats/known-functions.ts';
import type { Value } from '../../repeats/term.ts';
import { ofValues } from './aggregates.ts';
import { NotRun } from './not-run.ts';
import { goesDown, orderOf } from './ordering.ts';
import type { Scene, Sight } from './relation.ts';

type Run = (one: SqlExpression, at?: Sight) => Value;

/** `row_number() OVER (…)` and its kin for one row among those of its query. */
export function windowValue(
  one: SqlExpression & { readonly kind: 'call' },
  name: string,
  sight: Sight,
  scene: Scene,
  run: Run,
): Value {
  const { window } = one;
  const { text } = scene.masked;
  if (window === undefined || window.isNamed || sight.peers === undefined) throw new NotRun(name);
  if (/\b(rows|range|groups)\b/i.test(text.slice(window.start, window.end))) throw new NotRun('a frame');
  const { partitionBy, orderBy } = window;
  const by = orderBy?.by ?? [];
  const down = orderBy === undefined ? [] : goesDown(orderBy, text);
  const part = partitionBy.map((each) => run(each));
  const mine = (at: Sight): boolean =>
    partitionBy.every((each, index) => {
      const [a, b] = [run(each, at), part[index] ?? null];
      return a === null || b === null ? a === b : sameValue(a, b);
    });
  const rows = sight.peers.filter(mine).map((at) => ({ at, order: by.map((each) => run(each, at)) }));
  // Rows that are alike keep the order in which they stand.
  rows.sort((a, b) => orderOf(a.order, b.order, down));
  const place = rows.findIndex(({ at }) => at.levels === sight.levels);
  const own = rows[place]?.order ?? [];
  const before = rows.filter(({ order }) => orderOf(order, own, down) < 0).length;
  const upTo = rows.filter(({ order }) => orderOf(order, own, down) <= 0);
  const given = one.arguments.filter((each) => ![...partitionBy, ...by].includes(each));
  const [first, second] = given;
  const count = rows.length;
  switch (name) {
    case 'row_number':
      return place + 1;
    case 'rank':
      return before + 1;
    case 'dense_rank':
      return new Set(rows.slice(0, before).map(({ order }) => JSON.stringify(order))).size + 1;
    case 'percent_rank':
      return count <= 1 ? 0 : before / (count - 1);
    case 'cume_dist':
      return upTo.length / count;
    case 'ntile': {
      const parts = first === undefined ? 0 : Number(run(first));
      const [size, more] = [Math.floor(count / parts), count % parts];
      const large = more * (size + 1);
      return place < large ? Math.floor(place / (size + 1)) + 1 : more + Math.floor((place - large) / size) + 1;
    }
    case 'lag':
    case 'lead': {
      const step = second === undefined ? 1 : Number(run(second));
      const other = rows[place + (name === 'lag' ? -step : step)];
      return other === undefined || first === undefined ? null : run(first, other.at);
    }
    case 'first_value': {
      const head = rows[0];
      return head === undefined || first === undefined ? null : run(first, head.at);
    }
  }
  if (!isAggregate(name)) throw new NotRun(name);
  const of = by.length === 0 ? rows : upTo;
  if (first === undefined || first.kind === 'star') return of.length;
  return ofValues(
    name,
    of.map(({ at }) => run(first, at)),
    one.distinct,
  );
}
