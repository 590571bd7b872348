import type { DriverArguments } from '../../pipeline/model/driver-parameters.ts';
import { hashKey, type PythonValue } from '../../template/python/python-value.ts';
import { Refusal } from '../../template/python/refusal.ts';
import { driverLiteral } from './driver-literal.ts';

export type Bound =
  | { readonly ok: true; readonly text: string }
  /** In words; `at`: where in the text. */
  | { readonly ok: false; readonly reason: string; readonly at: number };

/**
 * Puts values into a statement as psycopg2 does: by its text alone, comments and strings included, `%(name)s` or `%s`,
 * `%%` for a percent sign. What the driver refuses is refused in the same places.
 */
export function bindParameters(sql: string, given: DriverArguments): Bound {
  let result = '';
  let from = 0;
  let used = 0;
  let kind: 'named' | 'positional' | undefined;
  const stop = (reason: string, at: number): Bound => ({ ok: false, reason, at });
  for (let at = sql.indexOf('%'); at >= 0; at = sql.indexOf('%', from)) {
    result += sql.slice(from, at);
    if (sql[at + 1] === '%') {
      result += '%';
      from = at + 2;
      continue;
    }
    const name = /^\(([^)%]*)\)/.exec(sql.slice(at + 1));
    if (sql[at + 1] === '(' && name === null) return stop('%( has no ) behind it', at);
    const now = name === null ? 'positional' : 'named';
    const end = at + 1 + (name?.[0].length ?? 0);
    if (sql[end] !== 's') {
      const written = sql.slice(at, end + 1);
      return stop(
        `the driver takes ${written} for a placeholder, and knows %s and %(name)s only; write %% for a percent sign`,
        at,
      );
    }
    if (kind !== undefined && kind !== now) return stop('%s and %(name)s cannot be mixed', at);
    kind = now;
    const value = name === null ? positional(given, used++) : named(given, name[1] ?? '');
    if (value === undefined) {
      const what = name === null ? `%s number ${used}` : `%(${name[1]})s`;
      return stop(`parameters has no value for ${what}`, at);
    }
    try {
      result += driverLiteral(value);
    } catch (error) {
      if (error instanceof Refusal) return stop(error.message, at);
      throw error;
    }
    from = end + 1;
  }
  if (kind === 'positional' && given.kind !== 'dict' && used < given.items.length)
    return stop(`parameters has ${given.items.length} values, and the SQL takes ${used}`, 0);
  return { ok: true, text: result + sql.slice(from) };
}

const positional = (given: DriverArguments, index: number): PythonValue | undefined =>
  given.kind === 'dict' ? undefined : given.items[index];

const named = (given: DriverArguments, name: string): PythonValue | undefined =>
  given.kind === 'dict' ? given.entries.get(hashKey(name))?.[1] : undefined;
