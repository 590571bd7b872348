import type { CalledRoutine } from '../../pipeline/model/model.ts';
import type { FromItem, QueryBlock, SqlExpression } from '../../sql/model/expression.ts';
import { blocksBelow } from '../../sql/model/sql-search.ts';
import { readSql } from '../../sql/read-sql.ts';
import { locate } from '../../text/mapped-text.ts';
import type { ChangedColumn } from '../facts/facts.ts';
import { isJournalName, isRevisionCounter, isStagingName } from '../facts/table-roles.ts';
import { comesAndGoes } from '../repeats/comes-and-goes.ts';
import { composeRewrites } from '../repeats/compose-rewrites.ts';
import { isSum } from '../repeats/is-sum.ts';
import type { Returned } from '../repeats/read-term.ts';
import type { Rewrite } from '../repeats/rewrite.ts';
import type { MadeTable } from '../repeats/row-scope.ts';
import { secondRun } from '../repeats/second-run.ts';
import type { StatementInText } from '../repeats/statement-in-text.ts';
import { type Around, insertedRow, movedRewrites, updateRewrites } from '../repeats/statement-rewrites.ts';
import { ownColumns } from '../repeats/term.ts';
import { isRetentionDelete } from './retention-delete.ts';
import type { TaskStatement } from './task-statements.ts';
import { updatedAfterInsert } from './updated-after-insert.ts';

/**
 * The columns of a table that the statements of a task make from old values of the rows that they rewrite, so that a second run
 * of an interval may make them anew: by SET, or by taking rows out and putting them back, through subqueries, common tables and
 * tables that the task fills for itself. Not for what is meant to tell how often something ran.
 */
export function changedAgain(
  table: string,
  all: readonly TaskStatement[],
  columns: readonly string[],
  typeOf: (column: string) => string | undefined = () => undefined,
): readonly ChangedColumn[] {
  if (isJournalName(table) || isStagingName(table)) return [];
  const isSame = (name: string): boolean => sameName(name, table);
  const made = new Map<string, MadeTable>();
  const fresh = new Set<string>();
  const rows = new Set<string>();
  const updates: Rewrite[] = [];
  const moves: Rewrite[] = [];
  const rowsChanged: ChangedColumn[] = [];
  const fresher: ChangedColumn[] = [];
  const upsert = (inText: StatementInText, around: Around): void => {
    const rewrites = updateRewrites(inText, around);
    updates.push(...rewrites);
    const inserted = insertedRow(inText, around);
    for (const one of rewrites) {
      for (const { column, at } of inserted.length === 0 ? [] : updatedAfterInsert(one, inserted))
        if (!isRevisionCounter(column)) fresher.push({ column, adds: false, certainty: 'open', why: whyFresh, at });
    }
  };
  /** The rows are gone, all or those of some DELETE; then others are there. */
  let emptied: 'no' | 'some' | 'all' = 'no';
  for (const item of all) {
    const { statement } = item;
    const { kind, target, query } = statement;
    const loop = loopIn(item);
    if (loop !== undefined) made.set(loop.name, loop.rows);
    if (loop !== undefined) rows.add(loop.name);
    if (target === undefined) continue;
    const isOwn = statement.targets.some(({ name }) => isSame(name)) || isSame(target.name);
    const around: Around = { table, isSame, made: new Map(made), rows: item.inBody ? [...rows] : [], columns, typeOf };
    const inText = textOf(item);
    const moved = (from: QueryBlock, origin?: MadeTable): void => {
      // Rows of another table alone are no old ones of this; most INSERTs end here.
      const mayReadOwn =
        item.inBody ||
        item.calls.length > 0 ||
        statement.modifying.length > 0 ||
        statement.reads.some(({ name }) => isSame(name) || made.has(name) || rows.has(name));
      if (origin === undefined && !mayReadOwn) return;
      const found = movedRewrites(inText, from, around, origin === undefined ? [] : [origin]);
      // What was taken out before is not read here.
      const isDirect = origin === undefined && readsItself(from, isSame, statement.modifying.length > 0);
      if (!isDirect) moves.push(...found);
    };
    if (!isOwn) {
      follow(item, made, fresh);
      if (kind === 'drop') continue;
      const renamed = statement.renamedTo;
      const origin = made.get(target.name);
      if (renamed !== undefined && isSame(renamed.name) && origin !== undefined) moved(origin.query, origin);
      continue;
    }
    switch (kind) {
      case 'delete':
        if (!isRetentionDelete(statement)) emptied = statement.whereSpan === undefined ? 'all' : 'some';
        break;
      case 'truncate':
      case 'drop':
      case 'create_table':
        if (!statement.ifNotExists) emptied = 'all';
        break;
      case 'create_table_as':
      case 'insert_overwrite':
        if (query !== undefined && !statement.ifNotExists && emptied === 'no')
          moves.push(...movedRewrites(inText, query, around, []));
        else if (query !== undefined) moved(query);
        emptied = 'all';
        break;
      case 'insert':
        if (statement.conflict !== undefined && emptied === 'no') upsert(inText, around);
        else if (query !== undefined && emptied !== 'no') moved(query);
        break;
      case 'update':
      case 'merge': {
        if (emptied !== 'no') break;
        upsert(inText, around);
        const going = comesAndGoes(inText, around);
        if (going !== undefined) {
          const { branch, certainty, why } = going;
          const at = locate(item.sql.source, branch.actionSpan);
          rowsChanged.push({ column: undefined, adds: false, certainty, at, ...(why === undefined ? {} : { why }) });
        }
        break;
      }
    }
  }
  const changed = changesOf(updates, moves);
  const others = fresher.filter(({ column }) => changed.every((one) => one.column !== column));
  return [...rowsChanged, ...changed, ...others];
}

const whyFresh =
  'whether the first run inserts the row, because what it inserts is not what it makes of a row that is there';

/** Of every rewrite alone, and of those that follow each other what they do together. */
function changesOf(updates: readonly Rewrite[], moves: readonly Rewrite[]): readonly ChangedColumn[] {
  const found = new Map<string, ChangedColumn>();
  const settled = new Set<string>();
  const spoken = new Set<string>();
  const add = (rewrite: Rewrite, isMoved: boolean): void => {
    const changes = secondRun(rewrite);
    for (const { column, term, at } of rewrite.columns) {
      const change = changes.get(column);
      if (change === undefined || isRevisionCounter(column)) continue;
      if (change.kind === 'same' || (change.kind === 'kept' && isMoved)) continue;
      const one = { column, adds: isSum(term), at };
      (change.kind === 'kept' && !one.adds && asksOnlyFor(column, rewrite) ? settled : spoken).add(column);
      if (rewrite.guarded || change.kind === 'kept') found.set(column, { ...one, certainty: 'guarded' });
      else if (change.kind === 'changes') found.set(column, { ...one, certainty: 'sure' });
      else found.set(column, { ...one, certainty: 'open', why: change.kind === 'open' ? change.why : '' });
    }
  };
  for (const move of moves) add(move, true);
  for (const update of updates) add(update, false);
  const whole = updates.length > 1 && updates.every(({ guarded }) => !guarded) ? composeRewrites(updates) : undefined;
  if (whole !== undefined) {
    const alone = new Map(found);
    for (const { column } of whole.columns) if (alone.get(column)?.certainty !== 'guarded') found.delete(column);
    const guarded = new Map([...found].filter(([, { certainty }]) => certainty === 'guarded'));
    add(whole, false);
    for (const [column, one] of guarded) found.set(column, one);
    for (const { column } of whole.columns) if (!alone.has(column) && isApart(column, updates)) found.delete(column);
    for (const [column, one] of alone) {
      const now = found.get(column);
      if (now !== undefined) found.set(column, { ...now, at: one.at, adds: one.adds });
    }
  }
  // What asks for the old value and puts another one there is done: nothing else can bring it back.
  return [...found.values()].filter(({ column = '' }) => !settled.has(column) || spoken.has(column));
}

/** Of the columns that are set, the conditions ask for this one alone: `SET code = CASE code … END WHERE code IN (…)`. */
function asksOnlyFor(column: string, { columns, conditions }: Rewrite): boolean {
  const set = new Set(columns.map((one) => one.column));
  return conditions.every((one) => [...ownColumns(one)].every((own) => own === column || !set.has(own)));
}

/** One of the updates sets the column, out of itself and by itself: what the others do is nothing to it. */
function isApart(column: string, updates: readonly Rewrite[]): boolean {
  const set = new Set(updates.flatMap(({ columns }) => columns.map((one) => one.column)));
  const [own, ...more] = updates.filter(({ columns }) => columns.some((one) => one.column === column));
  const term = own?.columns.find((one) => one.column === column)?.term;
  return (
    own !== undefined &&
    more.length === 0 &&
    [...(term === undefined ? [] : [term]), ...own.conditions].every((one) =>
      [...ownColumns(one)].every((name) => name === column || !set.has(name)),
    )
  );
}

/** `FOR r IN SELECT …` of a body: the query by whose rows a loop goes. */
function loopIn({
  statement,
  sql,
  inBody,
}: TaskStatement): { readonly name: string; readonly rows: MadeTable } | undefined {
  if (!inBody || statement.kind !== 'other') return undefined;
  const text = sql.source.text.slice(statement.start, statement.end);
  const [head, name] = /^\s*(?:<<\w+>>\s*)?for\s+(\w+)\s+in\s+(?=select\b|with\b|\()/i.exec(text) ?? [];
  if (head === undefined || name === undefined) return undefined;
  const asked = text.slice(head.length).replace(/\bloop\s*$/i, '');
  const { statements } = readSql({ text: asked, holes: [], tags: [], problem: undefined }, sql.dialect);
  const query = statements[0]?.query;
  return query && { name: name.toLowerCase(), rows: { query, columns: [], text: asked, common: [] } };
}

/** What a table of the task's own holds after a statement. */
function follow(item: TaskStatement, made: Map<string, MadeTable>, fresh: Set<string>): void {
  const { statement, sql } = item;
  const { kind, target, query } = statement;
  if (target === undefined) return;
  const { name } = target;
  const text = sql.source.text;
  const known = made.get(name);
  switch (kind) {
    case 'create_table':
    case 'truncate':
      fresh.add(name);
      made.delete(name);
      return;
    case 'delete':
      if (statement.whereSpan === undefined) {
        fresh.add(name);
        made.delete(name);
      }
      return;
    case 'create_table_as':
      if (query !== undefined) made.set(name, { query, columns: [], text, common: statement.with });
      return;
    case 'drop':
      made.delete(name);
      return;
    case 'insert':
      if (query === undefined || (known === undefined && !fresh.has(name))) return;
      if (known === undefined) made.set(name, { query, columns: statement.columns, text, common: statement.with });
      else if (known.text === text) {
        const then = [...known.query.then, { operator: 'union all' as const, query }, ...query.then];
        made.set(name, { ...known, query: { ...known.query, then }, common: [...known.common, ...statement.with] });
      } else made.delete(name);
      return;
    case 'update': {
      if (known === undefined || known.text !== text) return;
      made.set(name, {
        ...known,
        columns: [],
        query: updated(known, item),
        common: [...known.common, ...statement.with],
      });
      return;
    }
  }
}

/** `SELECT *` of what the table held, with the columns that an UPDATE sets. */
function updated(known: MadeTable, { statement }: TaskStatement): QueryBlock {
  const { start, end, target, targetAlias } = statement;
  const star = { start, end, kind: 'star', qualifier: undefined } as const;
  const before: FromItem = {
    start,
    end,
    kind: 'query',
    query: known.query,
    alias: targetAlias ?? target?.name.split('.').at(-1),
    join: 'first',
    on: [],
    using: [],
  };
  return {
    ...known.query,
    start,
    end,
    with: [],
    select: [
      { start, end, expression: star, name: undefined, alias: undefined },
      ...statement.assignments.map(({ column, value }) => ({
        start,
        end,
        expression: value,
        name: column,
        alias: undefined,
      })),
    ],
    from: [before, ...statement.from],
    where: statement.from.length > 0 ? statement.where : [],
    groupBy: [],
    having: [],
    qualify: [],
    // biome-ignore lint/suspicious/noThenProperty: a list, nothing that await would call
    then: [],
  };
}

/** Whether a query names the table itself, rather than one that was filled from it. */
const readsItself = (query: QueryBlock, isSame: (name: string) => boolean, takes: boolean): boolean =>
  !takes &&
  blocksBelow(query).some(({ from }) =>
    from.some((item) => item.kind === 'table' && item.cte === undefined && isSame(item.table.name)),
  );

const textOf = ({ statement, sql, calls }: TaskStatement): StatementInText => ({
  statement,
  text: sql.source.text,
  nameOf: ({ name }) => name,
  placeOf: (span) => locate(sql.source, span),
  returned: (call) => returnedBy(call, calls),
});

/** What a routine of the database gives back for a call: each query of one value in its body, with the call's own arguments. */
const returnedBy = (
  { name, start: from, end: to }: SqlExpression & { readonly kind: 'call' },
  calls: readonly CalledRoutine[],
): readonly Returned[] =>
  calls
    .filter((call) => call.name === name && from <= call.at && call.at < to)
    .flatMap(({ sql }) =>
      sql.reading.statements
        .flatMap((one) => (one.body.length > 0 ? one.body : [one]))
        .flatMap(({ kind, query, conditional, start, end }) =>
          kind === 'select' && query?.select.length === 1 && query.then.length === 0
            ? [{ expression: { kind: 'subquery', query, start, end } as const, text: sql.source.text, conditional }]
            : [],
        ),
    );

/** One of the names may lack its schema. */
const sameName = (a: string, b: string): boolean => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`);
