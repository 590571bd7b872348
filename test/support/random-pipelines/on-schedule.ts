import type { Session, Warehouse } from '../../../src/core/warehouse/port/ports.ts';
import { everything, type Lines } from './changed-case.ts';
import { createTables, putRaw, tableLines } from './database.ts';
import type { Row, WorkspaceModel } from './model.ts';
import { jobsOf, openRunner, planOf } from './pipeline-run.ts';

/**
 * The tables that a scheduler makes of the same workspace in a schema of its own, each interval in turn after those that
 * it reads: the statements as they are and nothing of ours around them.
 */
export async function ranOnSchedule(
  stage: { readonly warehouse: Warehouse; readonly session: Session; readonly root: string },
  changed: WorkspaceModel,
  raw: readonly Row[],
): Promise<Lines> {
  const model = { ...changed, schema: `${changed.schema}_scheduled` };
  await createTables(stage.session, model);
  await putRaw(stage.session, model, raw);
  const runner = await openRunner(stage.root, model, stage.warehouse);
  const plan = planOf(runner, everything(runner));
  const { jobs } = jobsOf(runner, plan, { run: 'never' });
  const session = await stage.warehouse.connect('unit');
  try {
    await session.query(`set timezone = '${model.sessionZone}'`);
    for (const unit of plan.units) {
      await session.query('begin');
      for (const { text } of jobs.get(unit.id)?.statements ?? []) await session.query(text);
      await session.query('commit');
    }
    return await tableLines(stage.session, model);
  } finally {
    await session.close();
    await stage.session.query(`drop schema ${model.schema} cascade`);
  }
}
