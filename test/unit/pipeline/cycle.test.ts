import fc from 'fast-check';
import { expect, test } from 'vitest';
import { findCycle } from '../../../src/core/pipeline/readers/airflow/program/find-cycle.ts';
import { readPipelines } from '../../support/read-tasks.ts';

const edge = (from: number, to: number) => ({ from, to });

test('names the nodes along the cycle', () => {
  expect(findCycle([edge(0, 1), edge(1, 2), edge(2, 3), edge(3, 1)])).toEqual([1, 2, 3, 1]);
  expect(findCycle([edge(1, 1)])).toEqual([1, 1]);
  expect(findCycle([edge(0, 1), edge(0, 2), edge(1, 2)])).toBeUndefined();
});

test('finds one exactly when some node reaches itself', () => {
  const graphs = fc.array(fc.tuple(fc.nat(6), fc.nat(6)), { maxLength: 14 });
  fc.assert(
    fc.property(graphs, (pairs) => {
      const reach = Array.from(
        { length: 7 },
        (_, from) => new Set(pairs.filter(([a]) => a === from).map(([, b]) => b)),
      );
      for (let k = 0; k < 7; k++)
        for (const targets of reach) if (targets.has(k)) for (const next of reach[k] ?? []) targets.add(next);
      const cyclic = reach.some((targets, node) => targets.has(node));
      const edges = pairs.map(([from, to]) => edge(from, to));
      const cycle = findCycle(edges);
      expect(cycle !== undefined).toBe(cyclic);
      if (cycle === undefined) return;
      expect(cycle[0]).toBe(cycle.at(-1));
      for (const [index, from] of cycle.slice(0, -1).entries())
        expect(edges).toContainEqual({ from, to: cycle[index + 1] });
    }),
  );
});

test('a DAG that starts itself starts its next run, and waits for nothing', () => {
  const main = (starts: string): string =>
    `from airflow import DAG\nfrom airflow.operators.empty import EmptyOperator\nfrom airflow.operators.trigger_dagrun import TriggerDagRunOperator\nwith DAG("d"):\n    EmptyOperator(task_id="a") >> TriggerDagRunOperator(task_id="t", trigger_dag_id="${starts}")\nwith DAG("e"):\n    EmptyOperator(task_id="b")\n`;
  const edges = (starts: string) => readPipelines(main(starts)).flatMap((one) => one.edges.map(({ kind }) => kind));
  expect(edges('d')).toEqual(['order']);
  expect(edges('e')).toEqual(['order', 'trigger']);
});
