import type { FromItem } from '../../sql/model/expression.ts';
import { lookUp, openScope, type Scope } from './query-scope.ts';
import type { QueryOf } from './with-single-rows.ts';

/** The query that an entry of FROM stands for: its own, or that of a common table in force. */
export function queryIn(scope: Scope, item: FromItem): ReturnType<QueryOf> {
  if (item.kind === 'function') return undefined;
  if (item.kind === 'query') {
    const inside = openScope(item.query, scope);
    return { query: item.query, columns: [], queryOf: (next) => queryIn(inside, next) };
  }
  const common = item.cte === undefined ? undefined : lookUp(scope, item.cte);
  if (common === undefined) return undefined;
  const { query, columns } = common.found.table;
  const inside = openScope(query, common.scope);
  return { query, columns, queryOf: (next) => queryIn(inside, next) };
}
