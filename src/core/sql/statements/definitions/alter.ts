import type { ColumnDefinition, StatementKind } from '../../model/statement.ts';
import type { TableReference } from '../../model/table-reference.ts';
import {
  accept,
  acceptAny,
  acceptOperator,
  type Cursor,
  done,
  isName,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  word,
} from '../../parse/cursor.ts';
import { readConjuncts } from '../../parse/expressions/conjuncts.ts';
import { readColumnList, readTableName } from '../../parse/names.ts';
import { readAssignments } from '../rows/assignments.ts';
import type { Reading } from '../rows/reading.ts';
import { readColumnDefinition, readTableConstraint } from './table-definition.ts';

const modifiers = new Set(['foreign', 'external', 'iceberg', 'dynamic', 'materialized', 'streaming', 'hybrid']);
const named = new Set([
  'table',
  'view',
  'index',
  'sequence',
  'schema',
  'database',
  'task',
  'stream',
  'pipe',
  'warehouse',
  'procedure',
  'proc',
  'function',
  'type',
]);
const partitionActions = new Set(
  'attach detach add drop exchange truncate reorganize coalesce rebuild replace move rename recover touch archive unarchive compact analyze check optimize repair import discard clear'.split(
    ' ',
  ),
);

/** ALTER as far as it moves rows or names: partitions, renames, swaps, APPEND, added columns and keys. Of the rest only the table. */
export function readAlter(c: Cursor): Reading {
  c.index++;
  while (acceptAny(c, modifiers) !== undefined);
  const object = acceptAny(c, named);
  if (object === undefined) return { kind: 'alter' };
  accept(c, 'if', 'exists');
  accept(c, 'only');
  const target = readTableName(c);
  acceptOperator(c, '*');
  if (object !== 'table' && object !== 'view') return { kind: 'alter', target };
  return { target, ...readAction(c) };
}

function readAction(c: Cursor): Reading {
  if (accept(c, 'on', 'cluster')) skipOne(c);
  const mutation = readMutation(c);
  if (mutation !== undefined) return mutation;
  if (isPartitionAction(c)) return readRest(c, 'alter_partition');
  if (word(c) === 'rename' && (word(c, 1) === 'to' || word(c, 1) === 'as')) {
    c.index += 2;
    return { kind: 'alter_rename', renamedTo: readTableName(c) };
  }
  if (accept(c, 'swap')) {
    accept(c, 'with');
    return { kind: 'alter_swap', renamedTo: readTableName(c) };
  }
  if (accept(c, 'append')) {
    const source = accept(c, 'from') ? readTableName(c) : undefined;
    if (source !== undefined) c.reads.push(source);
    return { kind: 'alter_append' };
  }
  return readAdditions(c);
}

/** ClickHouse: `ALTER TABLE t DELETE WHERE …` and `ALTER TABLE t UPDATE a = 1 WHERE …` change rows. */
function readMutation(c: Cursor): Reading | undefined {
  const kind = word(c);
  const isDelete = kind === 'delete' && (word(c, 1) === 'where' || word(c, 1) === 'in');
  if (!isDelete && !(kind === 'update' && isName(token(c, 1)) && operator(c, 2) === '=')) return undefined;
  c.index++;
  const assignments = isDelete ? [] : readAssignments(c);
  if (accept(c, 'in', 'partition')) skipOne(c);
  const start = startOffset(c);
  if (!accept(c, 'where')) return { kind: isDelete ? 'delete' : 'update', assignments };
  const where = readConjuncts(c);
  return { kind: isDelete ? 'delete' : 'update', assignments, where, whereSpan: spanFrom(c, start) };
}

function isPartitionAction(c: Cursor): boolean {
  if (word(c) === 'partition' && operator(c, 1) === '(') return true;
  if (!partitionActions.has(word(c))) return false;
  let ahead = 1;
  if (word(c, ahead) === 'all' || word(c, ahead) === 'detached' || word(c, ahead) === 'temporary') ahead++;
  if (word(c, ahead) === 'if') ahead += word(c, ahead + 1) === 'not' ? 3 : 2;
  return word(c, ahead) === 'partition' || word(c, ahead) === 'partitions';
}

/** The source of a partition that comes from another table counts as read. */
function readRest(c: Cursor, kind: StatementKind): Reading {
  const action = word(c);
  while (!done(c)) {
    const source: TableReference | undefined =
      (action === 'exchange' && accept(c, 'with', 'table')) ||
      ((action === 'replace' || action === 'attach') && word(c) === 'from' && accept(c, 'from'))
        ? readTableName(c)
        : undefined;
    if (source !== undefined) c.reads.push(source);
    else if (!done(c)) skipOne(c);
  }
  return { kind };
}

/** `ADD COLUMN …`, `ADD [CONSTRAINT c] PRIMARY KEY (…)`, `ADD UNIQUE (…)`; other actions only pass by. */
function readAdditions(c: Cursor): Reading {
  const definitions: ColumnDefinition[] = [];
  const keys: (readonly string[])[] = [];
  while (!done(c)) {
    if (accept(c, 'add')) {
      const key = readTableConstraint(c);
      if (key?.unique === true) keys[key.primary ? 'unshift' : 'push'](key.columns);
      else if (key === undefined && (accept(c, 'column') || isColumnAhead(c))) {
        accept(c, 'if', 'not', 'exists');
        if (operator(c) === '(') readColumnList(c);
        else {
          const definition = readColumnDefinition(c);
          if (definition !== undefined) definitions.push(definition);
        }
      }
    }
    while (!done(c) && operator(c) !== ',') skipOne(c);
    acceptOperator(c, ',');
  }
  for (const definition of definitions) if (definition.primaryKey || definition.unique) keys.push([definition.name]);
  return { kind: 'alter', definitions, keys };
}

const isColumnAhead = (c: Cursor): boolean => {
  const here = token(c);
  return (
    here !== undefined &&
    (here.kind === 'quoted' || here.kind === 'word') &&
    (token(c, 1)?.kind === 'word' || operator(c, 1) === '.')
  );
};
