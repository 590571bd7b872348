// A process of its own that runs one unit and may kill itself at a statement. Bundled by the test that starts it.
import { previewRun } from '../../src/core/run/relational/preview/preview.ts';
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit/unit-job.ts';
import type { ConnectionConfig } from '../../src/core/warehouse/port/connection-config.ts';
import { systemClock } from '../../src/node/system-clock.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type Moment, withFault } from './fault-injection.ts';

export interface OneUnit {
  readonly connection: ConnectionConfig;
  readonly job: UnitJob;
  readonly owner: string;
  /** Previewed instead of run. */
  readonly preview?: boolean;
  /** The statement at which to die; -1 for never. */
  readonly killAt: number;
  readonly moment: Moment;
}

const request = JSON.parse(process.argv[2] ?? '{}') as OneUnit;
try {
  const warehouse = await openWarehouse(request.connection);
  const faulty = withFault(warehouse, request.killAt, request.moment, async () => {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  });
  const env = { clock: systemClock, owner: request.owner };
  const signal = new AbortController().signal;
  const outcome = request.preview
    ? (await previewRun(faulty.warehouse, env, [request.job], { signal, timeBoxMs: 600_000 }))[0]
    : await relationalExecutor(faulty.warehouse, env).execute(request.job, signal);
  await warehouse.close();
  process.stdout.write(JSON.stringify({ outcome, statements: faulty.count() }));
} catch (error) {
  process.stdout.write(JSON.stringify({ refused: (error as Error).message }));
}
