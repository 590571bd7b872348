/** A binary heap: the least element first. */
export interface MinHeap<T> {
  push(item: T): void;
  pop(): T | undefined;
}

export function minHeap<T>(compare: (a: T, b: T) => number): MinHeap<T> {
  const items: T[] = [];
  const at = (index: number): T => items[index] as T;
  return {
    push(item) {
      let index = items.length;
      items.push(item);
      while (index > 0) {
        const above = (index - 1) >> 1;
        if (compare(at(above), item) <= 0) break;
        items[index] = at(above);
        index = above;
      }
      items[index] = item;
    },
    pop() {
      const top = items[0];
      const last = items.pop();
      if (last === undefined || items.length === 0) return top;
      let index = 0;
      for (;;) {
        let below = 2 * index + 1;
        if (below >= items.length) break;
        if (below + 1 < items.length && compare(at(below + 1), at(below)) < 0) below++;
        if (compare(last, at(below)) <= 0) break;
        items[index] = at(below);
        index = below;
      }
      items[index] = last;
      return top;
    },
  };
}
