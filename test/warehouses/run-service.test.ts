import { expect, test } from 'vitest';
import { encodeRunDocument } from '../../src/core/run/stored/run-document.ts';
import type { RunEvent } from '../../src/core/run/unit/run-event.ts';
import { defaultRunOptions } from '../../src/core/run/unit/run-options.ts';
import { createRunApi } from '../../src/vscode/host/run-service.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { planOf } from '../support/fake-run.ts';
import { freshDatabase, job, scalar, shopTables, sql } from '../support/warehouse-fixture.ts';

test('the editor’s preview writes nothing, its run writes once', async () => {
  const connection = await freshDatabase();
  const warehouse = await openWarehouse(connection);
  try {
    await sql(warehouse, ...shopTables, 'update orders set amount = amount + 1 where id = 10');
    const state = () => scalar(warehouse, "select string_agg(s::text, ';' order by id) from sales s");
    const plan = planOf([{ task: 'shop.sales', index: 0 }]);
    const unit = plan.units[0]?.id ?? '';
    const document = (run: string) =>
      encodeRunDocument({
        plan,
        jobs: new Map([[unit, job({ run, unit })]]),
        refused: new Map(),
        options: defaultRunOptions,
      });
    const start = (mode: 'run' | 'preview', run: string, api = createRunApi(() => {})) =>
      api.start({
        connection,
        mode,
        run,
        title: run,
        createdBy: `test ${run}`,
        document: document(run),
      });

    const before = await state();
    expect(await start('preview', 'p1')).toMatchObject({ kind: 'ended', result: { preview: true } });
    expect(await state()).toBe(before);

    // A cancel that comes while the database is still being opened.
    const thread = createRunApi(() => {});
    const early = start('run', 'r0', thread);
    await thread.cancel(null);
    expect(await early).toMatchObject({ result: { outcome: 'cancelled', units: [{ state: 'waiting' }] } });
    expect(await state()).toBe(before);

    expect(await start('run', 'r1')).toMatchObject({ kind: 'ended', result: { outcome: 'done' } });
    const after = await state();
    expect(after).not.toBe(before);
    expect(await start('run', 'r2')).toMatchObject({ result: { units: [{ state: 'unchanged' }] } });
    expect(await state()).toBe(after);
  } finally {
    await warehouse.close();
  }
});

test('the editor hears what the database has against a plan, and starts nothing where a snapshot is missing', async () => {
  const connection = await freshDatabase();
  const warehouse = await openWarehouse(connection);
  try {
    await sql(warehouse, ...shopTables, 'create table orders_1 as select * from orders');
    const plan = planOf([{ task: 'shop.sales', index: 0 }]);
    const unit = plan.units[0]?.id ?? '';
    const start = async (mode: 'run' | 'preview', run: string, table: string) => {
      const snapshot = { of: 'orders', column: undefined, date: undefined };
      const inputs = [{ table, column: undefined, from: undefined, to: undefined, snapshot }];
      const jobs = new Map([[unit, job({ run, unit, inputs })]]);
      const document = encodeRunDocument({ plan, jobs, refused: new Map(), options: defaultRunOptions });
      const events: RunEvent[] = [];
      const api = createRunApi((event) => events.push(event));
      const answer = await api.start({ connection, mode, run, title: run, createdBy: 'test', document });
      return { answer, findings: events.flatMap((event) => (event.kind === 'run-started' ? event.findings : [])) };
    };
    for (const mode of ['run', 'preview'] as const) {
      const { answer } = await start(mode, `missing ${mode}`, 'orders_2');
      expect(answer).toMatchObject({
        kind: 'ended',
        result: {
          outcome: 'refused',
          refusal: { code: 'plan-errors', message: expect.stringContaining('there is no table orders_2') },
        },
      });
    }
    // Of a job by hand nobody has read that a second run changes nothing.
    const codes = (await start('preview', 'p1', 'orders_1')).findings.map(({ code }) => code);
    expect(codes).toEqual(['tried-twice']);
    await sql(warehouse, 'alter table orders add column shop text');
    expect(await start('preview', 'p2', 'orders_1')).toMatchObject({
      answer: { kind: 'ended', result: { outcome: 'done' } },
      findings: expect.arrayContaining([
        expect.objectContaining({ code: 'schema-change', severity: 'warning', task: 'shop.sales' }),
      ]),
    });
  } finally {
    await warehouse.close();
  }
});
