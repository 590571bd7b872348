const dayMs = 86_400_000;

/** Above this many days a slice is locked as a whole target. */
export const maxCells = 64;

/** Advisory locks of one slice, as 64-bit keys. Every unit shares the target's key unless it takes all of it. */
export interface LockKeys {
  readonly shared: readonly string[];
  readonly exclusive: readonly string[];
}

/**
 * One key per UTC day that the slice touches; a slice without both bounds, or of more than {@link maxCells} days, takes
 * the target's key alone. Sorted, so that two units never wait for each other in a ring.
 */
export function lockKeys(
  slices: readonly { readonly target: string; readonly from: number | undefined; readonly to: number | undefined }[],
): LockKeys {
  const whole = new Set<string>();
  const shared = new Set<string>();
  const cells = new Set<string>();
  for (const { target, from, to } of slices) {
    const first = from === undefined ? undefined : Math.floor(from / dayMs);
    const last = to === undefined ? undefined : Math.ceil(to / dayMs) - 1;
    if (first === undefined || last === undefined || last - first >= maxCells) whole.add(advisoryKey(target));
    else {
      shared.add(advisoryKey(target));
      for (let day = first; day <= Math.max(first, last); day++) cells.add(advisoryKey(`${target} ${day}`));
    }
  }
  const sorted = (keys: Iterable<string>) => [...keys].sort((a, b) => (BigInt(a) < BigInt(b) ? -1 : 1));
  return {
    shared: sorted([...shared].filter((key) => !whole.has(key))),
    // Targets before cells: whoever waits for a whole target holds no cell of it.
    exclusive: [...sorted(whole), ...sorted(cells)],
  };
}

/** FNV-1a, 64 bits, as a signed number: the same in every process and release. */
function advisoryKey(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const character of text) {
    hash ^= BigInt(character.codePointAt(0) ?? 0);
    hash = BigInt.asUintN(64, hash * 0x100000001b3n);
  }
  return BigInt.asIntN(64, hash).toString();
}
