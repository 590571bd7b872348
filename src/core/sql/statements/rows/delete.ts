import type { FromItem } from '../../model/expression.ts';
import type { TableReference } from '../../model/table-reference.ts';
import {
  accept,
  acceptAny,
  acceptOperator,
  type Cursor,
  operator,
  spanFrom,
  startOffset,
  word,
} from '../../parse/cursor.ts';
import { readConjuncts } from '../../parse/expressions/conjuncts.ts';
import { isGrammar } from '../../parse/is-grammar.ts';
import { nameOf, readAlias, readTableName } from '../../parse/names.ts';
import { readFromList } from '../../parse/queries/read-from.ts';
import { afterTable, reservedOperands } from '../../parse/words.ts';
import type { Reading } from './reading.ts';
import { targetAmong, withoutRead } from './target-among.ts';

const modifiers = new Set(['low_priority', 'quick', 'ignore']);

/** DELETE in every order of target, FROM and USING. Its targets are no reads, also where they stand among the tables. */
export function readDelete(c: Cursor): Reading {
  c.index++;
  while (acceptAny(c, modifiers) !== undefined);
  if (c.dialect === 'mysql' && word(c) === 'history' && word(c, 1) === 'from') c.index++;
  const firstRead = c.reads.length;
  const behindFrom = accept(c, 'from');
  accept(c, 'only');
  const names = readNames(c, behindFrom);
  let target = names[0];
  let alias = names.length === 1 ? readAlias(c, afterTable) : undefined;
  let from: readonly FromItem[] = [];
  let targets: readonly TableReference[] = names;
  if (accept(c, 'using') || (!behindFrom && accept(c, 'from'))) {
    from = readFromList(c);
    // MySQL names the targets first and their tables behind FROM or USING.
    const listed = !behindFrom || c.dialect === 'mysql';
    const owners = listed ? names.map((name) => targetAmong(from, name.name)) : [];
    targets = names.map((name, index) => {
      const owner = owners[index];
      return owner?.kind === 'table' ? owner.table : name;
    });
    target = targets[0];
    for (const owner of owners) if (owner?.kind === 'table') withoutRead(c, firstRead, owner.table);
    if (listed && owners[0] !== undefined) {
      const owner = owners[0];
      from = from.filter((item) => !owners.includes(item));
      return { ...finish(c, target, targets, from), targetAlias: owner.alias, on: owner.on };
    }
  }
  alias ??= readAlias(c, afterTable);
  return {
    ...finish(c, target, targets, from),
    targetAlias: alias === undefined ? undefined : nameOf(alias, c.dialect),
  };
}

function finish(
  c: Cursor,
  target: TableReference | undefined,
  targets: readonly TableReference[],
  from: readonly FromItem[],
): Reading {
  const start = startOffset(c);
  const filtered = accept(c, 'where');
  const where = filtered ? readConjuncts(c) : [];
  return { kind: 'delete', target, targets, from, where, whereSpan: filtered ? spanFrom(c, start) : undefined };
}

/** Right behind FROM any word that is not reserved is a table: `DELETE FROM final WHERE …`. */
function readNames(c: Cursor, behindFrom: boolean): readonly TableReference[] {
  const names: TableReference[] = [];
  do {
    const ends = behindFrom && names.length === 0 ? reservedOperands : afterTable;
    if (isGrammar(c, ends)) break;
    const name = readTableName(c);
    if (name === undefined) break;
    names.push(name);
    if (operator(c) === '.' && operator(c, 1) === '*') c.index += 2;
    else acceptOperator(c, '*');
  } while (acceptOperator(c, ','));
  return names;
}
