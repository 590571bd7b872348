import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { holeOf, joined, literalOf, sqlOf } from '../text/sql-parts.ts';
import { column, columnText, operandOf, windowOf } from './column.ts';

/** Places of arguments that are words of their own and no names of columns, by the function. */
const words: Readonly<Record<string, readonly number[]>> = {
  date_format: [1],
  to_date: [1],
  to_timestamp: [1],
  date_trunc: [0],
  trunc: [1],
  unix_timestamp: [1],
  from_unixtime: [1],
  regexp_replace: [1, 2],
  regexp_extract: [1, 2],
  split: [1],
  concat_ws: [0],
  lpad: [1, 2],
  rpad: [1, 2],
  format_string: [0],
  get_json_object: [1],
  from_json: [1],
  translate: [1, 2],
  instr: [1],
  from_utc_timestamp: [1],
  to_utc_timestamp: [1],
  window: [1, 2, 3],
  next_day: [1],
  sha2: [1],
};

/** Names of Python that SQL has otherwise. */
const sqlNames: Readonly<Record<string, string>> = {
  dayofmonth: 'day',
};

/** Functions of `pyspark.sql.functions` that a star import brings along, as far as they decide which rows. */
export const functionNames: readonly string[] = (
  'col column lit expr when current_date current_timestamp now to_date to_timestamp date_format date_add date_sub ' +
  'add_months date_trunc trunc year month dayofmonth hour minute lpad concat concat_ws coalesce cast count countDistinct ' +
  'sum avg min max first last row_number rank dense_rank lag lead desc asc broadcast monotonically_increasing_id uuid rand ' +
  'unix_timestamp from_unixtime datediff last_day next_day upper lower trim regexp_replace regexp_extract split explode ' +
  'struct array from_json get_json_object sha2 md5 hash xxhash64 round greatest least collect_list collect_set isnull'
).split(' ');

/** A call of `pyspark.sql.functions`; `undefined` for what makes no expression (`udf`). */
export function functionCall(name: string, call: Call, run: Interpreter): Value | undefined {
  const [first] = call.positional;
  const at = call.positionalAt[0] ?? call.at;
  switch (name) {
    case 'col':
    case 'column':
      return first === undefined ? undefined : column(columnText(first, at, run));
    case 'lit':
      return first === undefined ? undefined : column(operandOf(first, at, run));
    case 'expr':
      return first?.kind === 'text' ? column(first) : first && column(holeOf(first, at, run));
    case 'when': {
      const then = call.positional[1];
      if (first === undefined || then === undefined) return undefined;
      const value = operandOf(then, call.positionalAt[1] ?? call.at, run);
      return column(sqlOf('CASE WHEN ', operandOf(first, at, run), ' THEN ', value, ' END'));
    }
    case 'desc':
    case 'asc':
      return first && column(sqlOf(columnText(first, at, run), name === 'desc' ? ' DESC' : ' ASC'));
    case 'countDistinct':
    case 'count_distinct':
      return column(sqlOf({ text: 'count(DISTINCT ', at: call.at }, joined(argumentsOf(name, call, run), ', '), ')'));
    case 'broadcast':
      return first;
    case 'udf':
    case 'pandas_udf':
      return undefined;
    default:
      return column(
        sqlOf({ text: `${sqlNames[name] ?? name}(`, at: call.at }, joined(argumentsOf(name, call, run), ', '), ')'),
      );
  }
}

function argumentsOf(name: string, call: Call, run: Interpreter): readonly TextValue[] {
  const own = words[name] ?? [];
  return call.positional.flatMap((value, index) => {
    const at = call.positionalAt[index] ?? call.at;
    if (own.includes(index)) return [operandOf(value, at, run)];
    if (value.kind === 'list' && !value.open) return value.items.map((item) => columnText(item, at, run));
    if (plainText(value) !== undefined) return [columnText(value, at, run)];
    return [value.kind === 'scalar' ? literalOf(value, at, run) : operandOf(value, at, run)];
  });
}

/** `Window.partitionBy(…)` and its kin. */
export function windowCall(name: string, call: Call, run: Interpreter): Value | undefined {
  const start = windowOf(derivedText(''));
  if (start.kind !== 'host') return undefined;
  const method = start.host.attribute?.(name, call.at, run);
  return method?.kind === 'host' ? method.host.call?.(call, run) : undefined;
}
