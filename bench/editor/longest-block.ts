import type { Profiler } from 'node:inspector';

/** The longest time for which a thread was kept by code whose files have this in their path, and its deepest function there. */
export function longestBlock(
  { nodes, samples = [], timeDeltas = [] }: Profiler.Profile,
  path: string,
): { readonly ms: number; readonly what: string } {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const memo = new Map<number, string | undefined>();
  const functionOf = (id: number): string | undefined => {
    if (memo.has(id)) return memo.get(id);
    const frame = byId.get(id)?.callFrame;
    const parent = parents.get(id);
    const found =
      frame?.url.includes(path) === true
        ? `${frame.functionName || '(anonymous)'} ${frame.lineNumber + 1}:${frame.columnNumber + 1}`
        : parent === undefined
          ? undefined
          : functionOf(parent);
    memo.set(id, found);
    return found;
  };
  let longest = { ms: 0, what: '' };
  let ms = 0;
  const counts = new Map<string, number>();
  for (const [index, id] of samples.entries()) {
    const what = functionOf(id);
    const deltaMs = (timeDeltas[index + 1] ?? 0) / 1000;
    const isCollecting = byId.get(id)?.callFrame.functionName === '(garbage collector)';
    if (what === undefined && !(isCollecting && ms > 0)) {
      ms = 0;
      counts.clear();
      continue;
    }
    ms += deltaMs;
    if (what !== undefined) counts.set(what, (counts.get(what) ?? 0) + deltaMs);
    if (ms > longest.ms) {
      const [most] = [...counts].sort(([, a], [, b]) => b - a);
      longest = { ms, what: most?.[0] ?? '' };
    }
  }
  return longest;
}
