import type { SliceVersionRecord } from './stale-slices.ts';

type Drawn = Pick<SliceVersionRecord, 'id' | 'run' | 'unit' | 'target' | 'slice' | 'lower' | 'upper'>;

/**
 * Without versions of slices that a later run of the same unit has drawn otherwise: with the type of a column known, or no
 * longer, the same rows are an interval's by other bounds, and nothing would ever be recorded for the old ones again.
 */
export function withoutRedrawn<T extends Drawn>(versions: readonly T[]): readonly T[] {
  const byUnit = new Map<string, T[]>();
  for (const version of versions) {
    const key = JSON.stringify([version.target, version.unit]);
    const known = byUnit.get(key);
    if (known === undefined) byUnit.set(key, [version]);
    else known.push(version);
  }
  const isRedrawn = (version: T): boolean =>
    (byUnit.get(JSON.stringify([version.target, version.unit])) ?? []).some(
      (other) =>
        other.id > version.id &&
        other.run !== version.run &&
        other.slice !== version.slice &&
        other.lower < version.upper &&
        version.lower < other.upper,
    );
  return versions.filter((version) => !isRedrawn(version));
}
