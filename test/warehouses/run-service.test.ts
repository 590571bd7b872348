import { expect, test } from 'vitest';
import { encodeRunDocument } from '../../src/core/run/run-document.ts';
import { defaultRunOptions } from '../../src/core/run/run-options.ts';
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
    const start = (mode: 'run' | 'preview', run: string) =>
      createRunApi(() => {}).start({
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

    expect(await start('run', 'r1')).toMatchObject({ kind: 'ended', result: { outcome: 'done' } });
    const after = await state();
    expect(after).not.toBe(before);
    expect(await start('run', 'r2')).toMatchObject({ result: { units: [{ state: 'unchanged' }] } });
    expect(await state()).toBe(after);
  } finally {
    await warehouse.close();
  }
});
