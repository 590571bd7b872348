import { queryOf } from '../../../lineage/columns/query-scope.ts';
import { isEventTimeColumn, isJournalName } from '../../../lineage/facts/table-roles.ts';
import type { QueryBlock, SelectItem } from '../../../sql/model/expression.ts';
import { blocksBelow } from '../../../sql/model/sql-search.ts';
import type { LintContext } from '../../context/lint-context.ts';
import { runsOnce } from '../../context/runs-once.ts';
import { picksOf } from '../../keys/picks.ts';
import { type UpsertKey, upsertKey } from '../../keys/upsert-key.ts';
import type { Rule, RuleFinding } from '../../model/rule.ts';
import { placeOf, type StatementView, tableKey, tableLabel, writeSubject } from '../../source/statement-view.ts';

/** Several rows come for one key: which of them stays is left to chance, or the run fails. */
function* check(context: LintContext): Generator<RuleFinding> {
  for (const task of context.tasks) {
    if (runsOnce(task.pipeline)) continue;
    for (const view of task.statements) {
      const { target, conflict } = view.statement;
      const upsert = upsertKey(view);
      if (target === undefined || upsert === undefined || !upsert.isWhole || conflict?.action === 'nothing') continue;
      const key = tableKey(view, target);
      if (isJournalName(key)) continue;
      const finer = finerColumn(context, view, upsert);
      if (finer === undefined) continue;
      yield {
        at: placeOf(view, upsert.at),
        message: `Rows come with a ${finer} of their own, yet ${tableLabel(view, target)} has one for each ${upsert.columns.map(({ name }) => name).join(', ')}: of several with one key the run fails, or keeps one by chance. Put ${finer} into the key, or make one row of each key before.`,
        subject: writeSubject(view, key),
        restsOn: [view],
      };
    }
  }
}

/** A column that tells rows apart which the key takes for one. */
function finerColumn(context: LintContext, view: StatementView, { columns, rows }: UpsertKey): string | undefined {
  if (rows === undefined || rows.then.length > 0 || isOneEach(view, rows)) return undefined;
  const source = plainSource(rows);
  if (source === undefined) return undefined;
  const names = new Map<string, string>();
  for (const column of columns) {
    const expression = column.origin?.item.expression;
    if (expression?.kind !== 'column' || column.origin?.block !== source) return undefined;
    names.set(expression.name, column.name);
  }
  const carried = (name: string): boolean =>
    source.select.some(({ expression }) => expression.kind === 'column' && expression.name === name);
  const [only] = source.from;
  const keys = only?.kind === 'table' ? (context.table(tableKey(view, only.table))?.keys ?? []) : [];
  if (keys.length > 0) {
    // The source's own keys tell: with one of them inside the key of the upsert there is one row for each.
    if (keys.some((one) => one.every((name) => names.has(name)))) return undefined;
    // `id` beside a key of other columns is made for each row.
    if ([...names.keys()].some((name) => ownId.test(name) && !keys.flat().includes(name))) return undefined;
    return keys.flat().find((name) => !names.has(name) && carried(name) && !isFixed(source, name));
  }
  if ([...names.keys()].some((name) => isIdentifier(name)) || ![...names.keys()].some(isEventTimeColumn))
    return undefined;
  return source.select.flatMap(ownName).find((name) => !names.has(name) && finer.test(name));
}

const ownName = ({ expression }: SelectItem): readonly string[] =>
  expression.kind === 'column' ? [expression.name] : [];

const ownId = /^(?:id|uuid|guid)$/;

const isIdentifier = (name: string): boolean =>
  /(?:id|uuid|guid|key|hash|code|number|symbol|ticker|name|no|nr)$/.test(name);

/** Names of single events, of which a day or a place has many. */
const finer =
  /^(?:id|uuid)$|^(?:tx|txn|trx|transaction|event|message|msg|order|order_line|line|item|click|view|hit|session|payment|ticket|invoice|request)_?(?:id|hash|uuid|guid|no|nr|number)$/;

/** The block that reads the one table from which the rows come, nothing joined on the way. */
function plainSource(rows: QueryBlock): QueryBlock | undefined {
  let block = rows;
  for (let depth = 0; depth < 6; depth++) {
    const [only] = block.from;
    if (only === undefined || block.from.length > 1) return undefined;
    const inner = queryOf(only, rows.with)?.query;
    if (inner === undefined) return only.kind === 'table' && only.cte === undefined ? block : undefined;
    if (inner.then.length > 0) return undefined;
    block = inner;
  }
  return undefined;
}

/** The column has one value in all rows. */
const isFixed = ({ where }: QueryBlock, name: string): boolean =>
  where.some(
    (conjunct) =>
      conjunct.kind === 'binary' &&
      conjunct.operator === '=' &&
      conjunct.left.kind === 'column' &&
      conjunct.left.name === name,
  );

/** Something on the way groups the rows, or keeps one of each. */
const isOneEach = (view: StatementView, rows: QueryBlock): boolean =>
  picksOf(view).length > 0 ||
  blocksBelow(rows).some(
    ({ groupBy, distinct, limit, qualify }) =>
      groupBy.length > 0 || distinct || limit !== undefined || qualify.length > 0,
  );

export default {
  id: 'merge-key-not-grain',
  severity: 'warning',
  summary: 'An upsert whose key is coarser than the rows that it brings',
  help: 'Put the column that tells the rows apart into the key, or group or deduplicate the rows by the key first.',
  supersedes: ['unconditional-upsert'],
  check,
} satisfies Rule;
