import { describe, expect, it, test } from 'vitest';
import { makePlan } from '../../../src/core/plan/make-plan.ts';
import { plannableTasks } from '../../../src/core/plan/tasks/plannable-tasks.ts';
import { type PipelineText, workspace } from '../lineage/workspace.ts';
import { at, range, request } from './planning.ts';

const tasksOf = (texts: Readonly<Record<string, PipelineText>>) => plannableTasks(workspace(texts), (text) => text);

const loads = (table: string): string =>
  `delete from ${table} where day = '{{ ds }}'; insert into ${table} select * from raw.x where day = '{{ ds }}'`;

describe('a task that the file puts behind another one waits for it in its own run', () => {
  const moments = { kind: 'cron', expression: '0 0 * * *', zone: 'UTC', intervals: 'zero-width' } as const;
  const waits = (tasks: Readonly<Record<string, string>>, edges: readonly string[]): readonly string[] => {
    const plan = makePlan(tasksOf({ d: { schedule: moments, tasks, edges } }), {
      ...request(
        Object.keys(tasks).map((name) => `d.${name}`),
        range('2024-05-07', '2024-05-09'),
      ),
      allowAppend: true,
      downstream: false,
    });
    return plan.units
      .filter(({ task }) => task === 'd.second')
      .map(({ id, waitsFor }) => {
        const own = waitsFor.flatMap(({ task, first, last }) =>
          plan.units.filter((unit) => unit.task === task).slice(first, last + 1),
        );
        return own.some((unit) => unit.task === 'd.first' && id.endsWith(unit.id.slice('d.first'.length)))
          ? 'its own'
          : 'none of its own';
      });
  };

  it.each<[string, Record<string, string>]>([
    [
      'where both read what the other one writes, without a bound',
      {
        first: 'delete from tree where not exists (select 1 from feed where feed.id = tree.id)',
        second: 'insert into tree select * from feed where not exists (select 1 from tree where tree.id = feed.id)',
      },
    ],
    [
      'where it reads what the other one wrote the day before, and both write one table',
      {
        first: `${loads('levels')}; delete from seen where day = '{{ ds }}'`,
        second: "insert into seen select '{{ ds }}', n from levels where day = '{{ macros.ds_add(ds, -1) }}'",
      },
    ],
  ])('%s', (_, tasks) => {
    expect(waits(tasks, ['first >> second'])).toEqual(['its own', 'its own']);
  });
});

test("pipelines that share a stage and fill each other's dimensions take turns, and none waits for a run behind its own turn", () => {
  const tasks = (fill: string): Record<string, string> => ({
    fill: `truncate stage.log; insert into stage.log select * from ${fill} where day = '{{ ds }}'`,
    dim: 'insert into dim select distinct city from stage.log where city not in (select city from dim)',
    facts: `delete from ${fill}_facts where day = '{{ ds }}';
      insert into ${fill}_facts select '{{ ds }}', city from stage.log join dim using (city)`,
  });
  const edges = ['fill >> dim', 'dim >> facts'];
  const planned = tasksOf({ a: { tasks: tasks('raw.a'), edges }, b: { tasks: tasks('raw.b'), edges } });
  const plan = makePlan(planned, {
    ...request(
      ['a', 'b'].flatMap((dag) => ['fill', 'dim', 'facts'].map((name) => `${dag}.${name}`)),
      range('2024-05-07', '2024-05-09'),
    ),
    allowAppend: true,
  });
  expect(plan.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  const turns = plan.units.map(({ id }) => id.replace(/\.\w+@/, '@'));
  expect(turns).toEqual(turns.toSorted((a, b) => turns.indexOf(a) - turns.indexOf(b)));
  expect(new Set(turns).size).toBe(4);
});

describe('tasks of one run that write rows of one table in turn', () => {
  const src = "src where src.day = '{{ ds }}'";
  const orderOf = (tasks: Readonly<Record<string, string>>, schedule = '0 5 * * *'): readonly string[] => {
    const names = Object.keys(tasks);
    const edges = names.slice(1).map((name, index) => `${names[index]} >> ${name}`);
    const plan = makePlan(tasksOf({ d: { schedule, tasks, edges } }), {
      ...request(
        names.map((name) => `d.${name}`),
        { kind: 'logical-dates', first: at('2024-05-07T05:00:00Z'), last: at('2024-05-08T05:00:00Z') },
      ),
      allowAppend: true,
      downstream: false,
    });
    expect(plan.findings.filter(({ severity }) => severity === 'error')).toEqual([]);
    // What has to wait, not what happens to come in this order.
    return plan.units.slice(1).flatMap(({ task, waitsFor }, index) => {
      const before = plan.units[index];
      const isTold = waitsFor.some((range) =>
        plan.units
          .filter((unit) => unit.task === range.task)
          .slice(range.first, range.last + 1)
          .includes(before as never),
      );
      return isTold ? [`${before?.task.slice(2)} ${task.slice(2)}`] : [];
    });
  };

  it.each<[string, Record<string, string>]>([
    [
      'versions that one closes and the next one opens',
      {
        close: `update dim set valid_to = '{{ ds }}' from ${src} and dim.id = src.id and dim.valid_to is null`,
        open: `insert into dim (id, name) select id, name from ${src} and not exists
          (select 1 from dim where dim.id = src.id and dim.valid_to is null)`,
      },
    ],
    [
      'rows that one takes away by their key',
      { close: `delete from cur where id in (select id from ${src})`, open: `insert into cur select id from ${src}` },
    ],
    [
      'a mark on the latest rows',
      { close: 'update cur set is_last = false where is_last', open: `insert into cur select id, true from ${src}` },
    ],
    [
      'days that runs share',
      {
        close: "delete from roll where day >= '{{ macros.ds_add(ds, -2) }}' and day <= '{{ ds }}'",
        open: `insert into roll select day from raw where day >= '{{ macros.ds_add(ds, -2) }}' and day <= '{{ ds }}'`,
      },
    ],
  ])('go on from what the run before left: %s', (_, tasks) => {
    expect(orderOf(tasks)).toEqual(['close open', 'open close', 'close open']);
  });

  it.each<[string, Record<string, string>]>([
    [
      'where each run has days of its own',
      { a: "delete from f where day = '{{ ds }}'", b: `insert into f select day from ${src}` },
    ],
    [
      'where all of them only add',
      { a: `insert into log select 1 from ${src}`, b: `insert into log select 2 from ${src}` },
    ],
  ])('wait for no other run %s', (_, tasks) => {
    expect(orderOf(tasks)).toEqual(['a b', 'a b']);
  });
});
