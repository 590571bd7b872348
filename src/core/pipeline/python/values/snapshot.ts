import { listOf } from './make-value.ts';
import type { DictEntry, Value } from './value.ts';

const depthLimit = 8;

/** A value as it is now, which later changes do not reach; `undefined` for objects, which have an identity. */
export function snapshot(value: Value, depth = 0): Value | undefined {
  switch (value.kind) {
    case 'object':
    case 'instance':
    case 'super':
      return undefined;
    case 'bound-method':
      return snapshot(value.self, depth + 1) === undefined ? undefined : value;
    case 'list': {
      const items = depth > depthLimit ? [undefined] : value.items.map((item) => snapshot(item, depth + 1));
      return items.every((item) => item !== undefined) ? listOf(items, value.tuple, value.open) : undefined;
    }
    case 'dict': {
      if (depth > depthLimit) return undefined;
      const entries = new Map<string, DictEntry>();
      for (const [key, entry] of value.entries) {
        const kept = snapshot(entry.value, depth + 1);
        if (kept === undefined) return undefined;
        entries.set(key, { ...entry, value: kept });
      }
      return { ...value, entries };
    }
    default:
      return value;
  }
}
