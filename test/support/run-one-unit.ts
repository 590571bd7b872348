// A process of its own that runs one unit and may kill itself at a statement. Bundled by the test that starts it.
import { relationalExecutor } from '../../src/core/run/relational/relational-executor.ts';
import type { UnitJob } from '../../src/core/run/unit-job.ts';
import { instant } from '../../src/core/time/instant.ts';
import type { ConnectionConfig } from '../../src/core/warehouse/connection-config.ts';
import { openWarehouse } from '../../src/warehouses/open.ts';
import { type Moment, withFault } from './fault-injection.ts';

export interface OneUnit {
  readonly connection: ConnectionConfig;
  readonly job: UnitJob;
  readonly owner: string;
  /** The statement at which to die; -1 for never. */
  readonly killAt: number;
  readonly moment: Moment;
}

const request = JSON.parse(process.argv[2] ?? '{}') as OneUnit;
const clock = {
  now: () => instant(Date.now()),
  sleep: (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms)),
};
try {
  const warehouse = await openWarehouse(request.connection);
  const faulty = withFault(warehouse, request.killAt, request.moment, async () => {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => undefined);
  });
  const executor = relationalExecutor(faulty.warehouse, { clock, owner: request.owner });
  const outcome = await executor.execute(request.job, new AbortController().signal);
  await warehouse.close();
  process.stdout.write(JSON.stringify({ outcome, statements: faulty.count() }));
} catch (error) {
  process.stdout.write(JSON.stringify({ refused: (error as Error).message }));
}
