/** The first cycle among edges, as the nodes along it with the first one again at the end; `undefined` when there is none. */
export function findCycle<T>(edges: readonly { readonly from: T; readonly to: T }[]): readonly T[] | undefined {
  const next = new Map<T, T[]>();
  for (const { from, to } of edges) {
    const known = next.get(from);
    if (known === undefined) next.set(from, [to]);
    else known.push(to);
  }
  const done = new Set<T>();
  for (const start of next.keys()) {
    // Iterative depth-first search: `path` holds the nodes that are open, `places` how far each one is.
    const path: T[] = [];
    const places: number[] = [];
    const open = new Set<T>();
    const enter = (node: T): void => {
      path.push(node);
      places.push(0);
      open.add(node);
    };
    if (!done.has(start)) enter(start);
    while (path.length > 0) {
      const node = path.at(-1) as T;
      const place = places.at(-1) ?? 0;
      const child = next.get(node)?.[place];
      if (child === undefined) {
        done.add(node);
        open.delete(node);
        path.pop();
        places.pop();
        continue;
      }
      places[places.length - 1] = place + 1;
      if (open.has(child)) return [...path.slice(path.indexOf(child)), child];
      if (!done.has(child)) enter(child);
    }
  }
  return undefined;
}
