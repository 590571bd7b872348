/** The most things of which none has to wait for another one; `isBefore` has to hold over however many steps. */
export function sideBySide<T>(things: readonly T[], isBefore: (one: T, other: T) => boolean): number {
  // As many as chains that hold them all (Dilworth): all things less the most pairs of which each is in one chain once.
  const follower = new Map<T, T>();
  const findFollower = (one: T, seen: Set<T>): boolean => {
    for (const other of things) {
      if (seen.has(other) || other === one || !isBefore(one, other)) continue;
      seen.add(other);
      const taken = follower.get(other);
      if (taken !== undefined && !findFollower(taken, seen)) continue;
      follower.set(other, one);
      return true;
    }
    return false;
  };
  return things.length - things.filter((one) => findFollower(one, new Set())).length;
}
