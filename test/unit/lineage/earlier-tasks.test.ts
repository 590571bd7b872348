import fc from 'fast-check';
import { expect, test } from 'vitest';
import { earlierTasks } from '../../../src/core/lineage/workspace/order-edges.ts';
import { lawRuns } from '../../support/laws.ts';
import { workspace } from './workspace.ts';

const size = 7;
const names = Array.from({ length: size }, (_, n) => `t${n}`);

/** Every pair that a path of edges joins, found by taking the edges again and again. */
function pairs(edges: readonly (readonly [number, number])[]): ReadonlySet<string> {
  const found = new Set(edges.map(([from, to]) => `${from} ${to}`));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const one of [...found]) {
      const [from, middle] = one.split(' ');
      for (const [start, to] of edges) if (String(start) === middle) found.add(`${from} ${to}`);
    }
  }
  return found;
}

test('a task is earlier than another one where a path leads from it, circles included', () => {
  const edge = fc.tuple(fc.nat(size - 1), fc.nat(size - 1));
  fc.assert(
    fc.property(fc.array(edge, { maxLength: 12 }), (edges) => {
      const { pipelines } = workspace({
        d: {
          tasks: Object.fromEntries(names.map((name) => [name, 'SELECT 1'])),
          edges: edges.map(([from, to]) => `t${from} >> t${to}`),
        },
      });
      const isEarlier = pipelines[0] === undefined ? () => false : earlierTasks(pipelines[0]);
      const joined = pairs(edges);
      for (let from = 0; from < size; from++)
        for (let to = 0; to < size; to++)
          expect(isEarlier(`d.t${from}`, `d.t${to}`), `${from} before ${to}`).toBe(joined.has(`${from} ${to}`));
    }),
    { numRuns: lawRuns(60) },
  );
});
