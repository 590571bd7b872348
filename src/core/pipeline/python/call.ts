import type { SourceSpan } from '../../text/span.ts';
import type { HostObject, Value } from './value.ts';

/** A keyword argument, or an entry of a dict that was spread with `**`. */
export interface Keyword {
  readonly name: string;
  readonly value: Value;
  /** The whole `name=value` or `"name": value`. */
  readonly at: SourceSpan;
  readonly valueAt: SourceSpan;
}

/** The arguments of one call, evaluated. */
export interface Call {
  /** The whole call. */
  readonly at: SourceSpan;
  /** The callee as written. */
  readonly callee: string;
  readonly positional: readonly Value[];
  readonly positionalAt: readonly SourceSpan[];
  readonly keywords: ReadonlyMap<string, Keyword>;
  /** Spread of a value that is not known: there may be more arguments. */
  readonly open: boolean;
  /** An object that was spread with `**` and knows its items by name. */
  readonly spread?: HostObject | undefined;
}

/** An argument by name, or by position when it was given so. */
export function argument(call: Call, name: string, position?: number): Keyword | undefined {
  const keyword = call.keywords.get(name);
  if (keyword !== undefined || position === undefined) return keyword;
  const value = call.positional[position];
  const at = call.positionalAt[position];
  return value === undefined || at === undefined ? undefined : { name, value, at, valueAt: at };
}

export const emptyCall = (at: SourceSpan, callee: string, positional: readonly Value[] = []): Call => ({
  at,
  callee,
  positional,
  positionalAt: positional.map(() => at),
  keywords: new Map(),
  open: false,
});
