import type { TableReference } from '../../model/table-reference.ts';
import { accept, acceptAny, acceptOperator, type Cursor, done, isName, token, word } from '../../parse/cursor.ts';
import { readTableName } from '../../parse/names.ts';
import type { Reading } from '../rows/reading.ts';

const objectWords = new Set(
  'table view materialized external temporary temp foreign dynamic index concurrently schema database sequence function procedure type trigger stage task stream role user warehouse pipe extension macro snapshot iceberg policy rule aggregate domain tables catalog'.split(
    ' ',
  ),
);

/** `DROP TABLE IF EXISTS a, b CASCADE`. */
export function readDrop(c: Cursor): Reading {
  c.index++;
  let temporary = false;
  // A name may be a word of these itself: `DROP TABLE stage`, `DROP TABLE stage.a`.
  while (isName(token(c, 1)) && !/^(?:cascade|restrict)$/.test(word(c, 1))) {
    const here = acceptAny(c, objectWords);
    if (here === undefined) break;
    temporary ||= here === 'temporary' || here === 'temp';
  }
  accept(c, 'if', 'exists');
  const targets = readNames(c);
  return { kind: 'drop', target: targets[0], targets, temporary };
}

/** `TRUNCATE TABLE a, ONLY b`. */
export function readTruncate(c: Cursor): Reading {
  c.index++;
  accept(c, 'table');
  accept(c, 'if', 'exists');
  const targets = readNames(c);
  return { kind: 'truncate', target: targets[0], targets };
}

/** MySQL: `RENAME TABLE a TO b, c TO d`; the second name is the first pair's. */
export function readRename(c: Cursor): Reading {
  c.index++;
  if (!accept(c, 'table') && !accept(c, 'tables')) return { kind: 'rename' };
  accept(c, 'if', 'exists');
  const targets: TableReference[] = [];
  let renamedTo: TableReference | undefined;
  do {
    const target = readTableName(c);
    if (target === undefined) break;
    targets.push(target);
    if (accept(c, 'to')) {
      const to = readTableName(c);
      renamedTo ??= to;
    }
  } while (acceptOperator(c, ','));
  return { kind: 'rename', target: targets[0], targets, renamedTo };
}

/** `REFRESH MATERIALIZED VIEW CONCURRENTLY v`, `REFRESH TABLE t`. */
export function readRefresh(c: Cursor): Reading {
  c.index++;
  while (word(c) === 'materialized' || word(c) === 'view' || word(c) === 'table' || word(c) === 'dynamic') c.index++;
  if (isName(token(c, 1))) accept(c, 'concurrently');
  return { kind: 'refresh', target: readTableName(c) };
}

function readNames(c: Cursor): readonly TableReference[] {
  const names: TableReference[] = [];
  while (!done(c)) {
    if (isName(token(c, 1))) accept(c, 'only');
    const name = readTableName(c);
    if (name === undefined) break;
    names.push(name);
    acceptOperator(c, '*');
    if (!acceptOperator(c, ',')) break;
  }
  return names;
}
