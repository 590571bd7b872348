import type { ColumnDefinition } from '../../model/statement.ts';
import {
  accept,
  acceptAny,
  type Cursor,
  commaList,
  done,
  isName,
  operator,
  skipOne,
  spanFrom,
  startOffset,
  token,
  within,
  word,
} from '../../parse/cursor.ts';
import { readType } from '../../parse/expressions/read-type.ts';
import { nameOf, readColumnList } from '../../parse/names.ts';

export interface TableDefinition {
  readonly definitions: readonly ColumnDefinition[];
  /** Primary key first. */
  readonly keys: readonly (readonly string[])[];
}

export interface TableConstraint {
  readonly unique: boolean;
  readonly primary: boolean;
  readonly columns: readonly string[];
}

/** The bracket of CREATE TABLE: columns with their constraints, and the table's own keys. */
export function readTableDefinition(c: Cursor): TableDefinition {
  const definitions: ColumnDefinition[] = [];
  const primary: (readonly string[])[] = [];
  const unique: (readonly string[])[] = [];
  within(c, () =>
    commaList(c, () => {
      const constraint = readTableConstraint(c);
      if (constraint?.unique === true) (constraint.primary ? primary : unique).push(constraint.columns);
      else if (constraint === undefined && word(c) !== 'like') {
        const definition = readColumnDefinition(c);
        if (definition !== undefined) definitions.push(definition);
      }
      while (!done(c) && operator(c) !== ',') skipOne(c);
      return undefined;
    }),
  );
  // A column of a primary key takes no NULL, wherever the key is written.
  const keyed = new Set(primary.flat());
  for (const [at, definition] of definitions.entries())
    if (keyed.has(definition.name)) definitions[at] = { ...definition, notNull: true };
  for (const definition of definitions) {
    if (definition.primaryKey) primary.push([definition.name]);
    else if (definition.unique) unique.push([definition.name]);
  }
  return { definitions, keys: [...primary, ...unique] };
}

const otherConstraints = new Set(['foreign', 'check', 'exclude', 'period', 'fulltext', 'spatial']);
const indexWords = new Set(['key', 'index']);

/** `[CONSTRAINT c] PRIMARY KEY (…)`, `UNIQUE [KEY name] (…)`, and those that are no key; `undefined` for a column. */
export function readTableConstraint(c: Cursor): TableConstraint | undefined {
  const named = word(c) === 'constraint';
  if (named) {
    c.index++;
    if (isName(token(c)) && word(c, 1) !== '') c.index++;
  }
  const here = word(c);
  const other: TableConstraint = { unique: false, primary: false, columns: [] };
  if (here === 'primary' && word(c, 1) === 'key') {
    c.index += 2;
    return { unique: true, primary: true, columns: readKeyColumns(c) };
  }
  if (here === 'unique' && (operator(c, 1) === '(' || token(c, 1)?.kind === 'word' || token(c, 1)?.kind === 'quoted')) {
    c.index++;
    acceptAny(c, indexWords);
    accept(c, 'nulls', 'not', 'distinct');
    accept(c, 'nulls', 'distinct');
    const columns = readKeyColumns(c);
    return columns.length > 0 ? { unique: true, primary: false, columns } : other;
  }
  if (otherConstraints.has(here) && (operator(c, 1) === '(' || word(c, 1) !== '')) return other;
  if (indexWords.has(here) && (operator(c, 1) === '(' || operator(c, 2) === '(') && !isSizedType(c)) return other;
  return named ? other : undefined;
}

/** `key varchar(10)` is a column. */
const isSizedType = (c: Cursor): boolean => operator(c, 2) === '(' && c.tokens[c.index + 3]?.kind === 'number';

/** The columns of a key, behind an optional index name and method. */
function readKeyColumns(c: Cursor): readonly string[] {
  while (!done(c) && operator(c) !== '(' && operator(c) !== ',') c.index++;
  return readColumnList(c);
}

export function readColumnDefinition(c: Cursor): ColumnDefinition | undefined {
  const name = token(c);
  if (name === undefined || !isName(name)) return undefined;
  const start = startOffset(c);
  c.index++;
  const type = columnConstraints.has(word(c)) ? '' : readType(c);
  let notNull = false;
  let primaryKey = false;
  let unique = false;
  let hasDefault = false;
  let numbered = /^(big|small)?serial\d?$/.test(type);
  let generated = numbered;
  let isUnlike = false;
  while (!done(c) && operator(c) !== ',') {
    if (accept(c, 'not', 'null')) notNull = true;
    else if (accept(c, 'primary', 'key')) primaryKey = true;
    else if (accept(c, 'unique')) unique = true;
    else if (accept(c, 'default')) {
      hasDefault = word(c) !== 'null';
      isUnlike = /uuid|nextval|newid|random/.test(word(c));
    } else if (generatedWords.has(word(c)) || (word(c) === 'as' && operator(c, 1) === '(')) {
      generated = true;
      numbered ||= /identity|auto_?increment/.test(word(c));
      skipOne(c);
    } else skipOne(c);
  }
  return {
    name: nameOf(name, c.dialect),
    type,
    notNull: notNull || primaryKey,
    primaryKey,
    unique,
    generated,
    ...(numbered || isUnlike ? { numbered: true as const } : {}),
    hasDefault,
    ...spanFrom(c, start),
  };
}

const columnConstraints = new Set([
  'not',
  'null',
  'primary',
  'unique',
  'default',
  'references',
  'check',
  'generated',
  'constraint',
  'collate',
  'comment',
]);
const generatedWords = new Set(['generated', 'auto_increment', 'autoincrement', 'identity']);
