/** Finds the table that a name means: `orders`, `shop.orders` and `db.shop.orders` are one where only one can be meant. */
export type TableNames = (name: string) => string;

/**
 * Joins names of a workspace. A name with fewer parts means the longer one that ends with it, if there is exactly one
 * such table; two schemas with an `orders` each stay apart, and a bare `orders` beside them stays alone.
 */
export function tableNames(names: Iterable<string>): TableNames {
  const all = new Set<string>();
  for (const name of names) all.add(name.toLowerCase());
  const bySuffix = new Map<string, Set<string>>();
  for (const name of all) {
    const parts = name.split('.');
    for (let from = 1; from < parts.length; from++) {
      const suffix = parts.slice(from).join('.');
      const longer = bySuffix.get(suffix) ?? new Set();
      longer.add(name);
      bySuffix.set(suffix, longer);
    }
  }
  const resolve = (name: string): string => {
    const lower = name.toLowerCase();
    const longer = [...(bySuffix.get(lower) ?? [])];
    // `orders` < `shop.orders` < `db.shop.orders`: each the end of the next, so all are one.
    const longest = longer.sort((a, b) => b.length - a.length)[0];
    if (longest === undefined || longer.some((other) => other !== longest && !longest.endsWith(`.${other}`))) {
      return lower;
    }
    return longest;
  };
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? resolve(name);
    known.set(name, found);
    return found;
  };
}
