/** Finds the table that a name means: `orders`, `shop.orders` and `db.shop.orders` are one where only one can be meant. */
export type TableNames = (name: string) => string;

/**
 * Joins names of a workspace. A name with fewer parts means the longer one that ends with it, if there is exactly one
 * such table; two schemas with an `orders` each stay apart, and a bare `orders` beside them stays alone. `meant`: what
 * a name is known to stand for. Of `names` capitals are kept, and any name in those very letters means that one.
 */
export function tableNames(names: Iterable<string>, meant: (name: string) => string = (name) => name): TableNames {
  const all = new Set(names);
  const bySuffix = new Map<string, string[]>();
  for (const name of all) {
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      const suffix = name.slice(dot + 1);
      const longer = bySuffix.get(suffix);
      if (longer === undefined) bySuffix.set(suffix, [name]);
      else longer.push(name);
    }
  }
  const resolve = (name: string): string => {
    const own = all.has(name) || bySuffix.has(name) ? name : name.toLowerCase();
    const longer = bySuffix.get(own) ?? [];
    const longest = longer.reduce((long, other) => (other.length > long.length ? other : long), '');
    // `orders` < `shop.orders` < `db.shop.orders`: each the end of the next, so all are one.
    const isOne = longer.every((other) => other === longest || longest.endsWith(`.${other}`));
    return longest !== '' && isOne ? longest : own;
  };
  const known = new Map<string, string>();
  return (name) => {
    const found = known.get(name) ?? resolve(meant(name));
    known.set(name, found);
    return found;
  };
}
