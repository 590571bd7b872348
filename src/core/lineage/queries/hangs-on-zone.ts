import type { SqlExpression } from '../../sql/model/expression.ts';
import { readSql } from '../../sql/read-sql.ts';
import { plainText } from '../../template/mask/plain-text.ts';
import { type ColumnType, columnType } from '../columns/column-type.ts';

/**
 * Whether the zone of the session decides what an expression over the columns of a row gives: a moment is told by its day or its
 * hour there, or a wall time is taken for a moment there. `open`: it does, where texts that are read as moments say their offset.
 */
export function hangsOnZone(sql: string, typeOf: (column: string) => ColumnType): 'yes' | 'open' | 'no' {
  const expression = readSql(plainText(`select (${sql}\n)`), 'postgres').statements[0]?.query?.select[0]?.expression;
  if (expression === undefined) return 'no';
  const found = { yes: false, open: false };
  const time = timeOf(expression, typeOf, found);
  return found.yes || time === 'lifted' ? 'yes' : found.open ? 'open' : 'no';
}

/**
 * `moment`: the same in all zones; `told`: one of a text, which may say its offset; `wall`: a date or wall time; `lifted`: a moment that
 * the zone of the session made of a wall time, which it is again once it is cast back.
 */
type Time = 'moment' | 'told' | 'wall' | 'lifted' | undefined;

interface Found {
  yes: boolean;
  open: boolean;
}

function timeOf(expression: SqlExpression, typeOf: (column: string) => ColumnType, found: Found): Time {
  const inside = (one: SqlExpression | undefined): Time => one && timeOf(one, typeOf, found);
  const first = (some: readonly SqlExpression[]): Time => some.map(inside).find((time) => time !== undefined);
  switch (expression.kind) {
    case 'column': {
      const type = typeOf(expression.name);
      return type === undefined ? undefined : type === 'timestamptz' ? 'moment' : 'wall';
    }
    case 'cast': {
      const time = inside(expression.operand);
      const type = columnType(expression.type);
      if (type !== 'timestamptz') return laidOut(time, found, type);
      return time === undefined ? 'told' : time === 'wall' ? 'lifted' : time;
    }
    case 'at-time-zone': {
      const time = inside(expression.operand);
      if (time === 'lifted') found.yes = true;
      return time === 'wall' ? 'moment' : 'wall';
    }
    case 'call': {
      const name = expression.name.replace(/^pg_catalog\./, '');
      const [head, next] = expression.arguments;
      if (name === 'date_trunc') {
        const time = inside(next);
        if (expression.arguments.length > 2) return time;
        if (time === 'moment' || time === 'told') laidOut(time, found, undefined);
        return time === 'wall' ? 'lifted' : time;
      }
      if (name === 'extract' || name === 'date_part') {
        const field = head?.kind === 'literal' ? head.text : head?.kind === 'column' ? head.name : '';
        if (field !== 'epoch') for (const one of expression.arguments.slice(1)) laidOut(inside(one), found, undefined);
        return undefined;
      }
      if (name === 'to_timestamp') return expression.arguments.length > 1 ? 'lifted' : 'moment';
      if (name === 'to_char') return laidOut(inside(head), found, undefined);
      if (name === 'date') return laidOut(inside(head), found, 'date');
      if (name === 'timezone') return inside(next) === 'wall' ? 'moment' : 'wall';
      const time = first(expression.arguments);
      return /^(?:coalesce|greatest|least|nullif)$/.test(name) ? time : undefined;
    }
    case 'binary': {
      const [left, right] = [inside(expression.left), inside(expression.right)];
      return left ?? right;
    }
    case 'case':
    case 'opaque':
      return first(expression.parts);
    default:
      return undefined;
  }
}

/** What a time is once it is told by day and hour, or as a text. */
function laidOut(time: Time, found: Found, type: ColumnType): Time {
  if (time === 'moment') found.yes = true;
  if (time === 'told') found.open = true;
  return type === undefined ? undefined : 'wall';
}
