import type { QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow, within } from '../../sql/model/sql-search.ts';
import type { Statement } from '../../sql/model/statement.ts';

/**
 * What an INSERT asks before it adds anything, the same for all of its rows: a table of what is done (`NOT EXISTS (SELECT FROM etl.log
 * WHERE day = '{{ ds }}')`, `'{{ ds }}' NOT IN (SELECT day FROM etl.log)`), or a function (`NOT etl.is_loaded('{{ ds }}')`). `undefined`:
 * nothing of the kind. `logs`: tables that the
 * task itself writes, of which one question may stand for each row. In a body the question may stand in an IF before it: `before` is the text of the body up to there.
 */
export function asksWhatIsDone(
  { query, conditional, target }: Statement,
  before: string | undefined,
  logs: (table: string) => boolean,
): string | undefined {
  if (query !== undefined && query.then.length === 0) {
    const outer = new Set(
      query.from.flatMap((item) => [item.alias, item.kind === 'table' ? item.table.name : undefined]),
    );
    for (const conjunct of query.where) {
      const asked = askedBy(conjunct, outer, logs);
      if (asked !== undefined && asked !== target?.name) return asked;
    }
  }
  if (before === undefined) return undefined;
  const ifs = [...before.matchAll(condition)];
  const [, word = ''] = ifs.at(-1) ?? [];
  const name = word.toLowerCase();
  if (name === 'exists') return /\bfrom\s+([\w.]+)/i.exec(before.slice(ifs.at(-1)?.index))?.[1]?.toLowerCase();
  const isLeft = /\breturn\s*;/i.test(before.slice(ifs.at(-1)?.index));
  return mayTell.test(name) && (conditional || isLeft) ? name : undefined;
}

/** An IF that asks a function, or whether there is a row, alone or beside other things. */
const condition = /\b(?:if|elsif)\s+(?:not\s+)?\(?\s*((?:[a-z_]\w*\s*\.\s*)?[a-z_]\w*)\s*\(/gi;

/** Functions of the database's own say nothing of what is done; one of a schema may, and one that is called so. */
const mayTell = /\.|load|done|process|exist|seen|finish|complet/;

function askedBy(
  conjunct: SqlExpression,
  outer: ReadonlySet<string | undefined>,
  logs: (table: string) => boolean,
): string | undefined {
  const isNegated = conjunct.kind === 'unary' && /^not$/i.test(conjunct.operator);
  const one = isNegated ? conjunct.operand : conjunct;
  if (one.kind === 'exists') return one.negated !== isNegated ? tableAsked(one.query, outer, logs) : undefined;
  if (one.kind === 'in' && one.query !== undefined)
    return one.negated !== isNegated && isConstant(one.operand) ? tableAsked(one.query, outer, logs) : undefined;
  if (one.kind === 'call' && one.arguments.length > 0 && one.arguments.every(isConstant) && one.name.includes('.'))
    return one.name.startsWith('pg_catalog.') ? undefined : one.name;
  return undefined;
}

/** The one table of a query that names nothing of the rows outside of it, or that the task itself writes. */
function tableAsked(
  query: QueryBlock,
  outer: ReadonlySet<string | undefined>,
  logs: (table: string) => boolean,
): string | undefined {
  const [item, more] = query.from;
  if (item?.kind !== 'table' || more !== undefined) return undefined;
  if (logs(item.table.name)) return item.table.name;
  const own = new Set([item.alias, item.table.name]);
  const isOuter = blocksBelow(query).some(({ where }) =>
    where
      .flatMap(within)
      .some(
        (one) =>
          one.kind === 'column' && one.qualifier !== undefined && outer.has(one.qualifier) && !own.has(one.qualifier),
      ),
  );
  return isOuter ? undefined : item.table.name;
}

const isConstant = (expression: SqlExpression): boolean =>
  within(expression).every(({ kind }) => kind !== 'column' && kind !== 'subquery' && kind !== 'exists');
