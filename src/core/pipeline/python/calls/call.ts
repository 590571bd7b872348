import type { SourceSpan } from '../../../text/span.ts';
import type { Call, Keyword, Value } from '../values/value.ts';

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
