import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type MeasuredProcess, measuredCommand } from './measured-process.ts';
import { firstDay, type SalesDatabase, salesDag } from './sales-database.ts';

/** A folder with the pipeline of the sales tables, run by the built program as a user would run it. */
export interface SalesWorkspace {
  /** Runs `sales.aggregate` from the first day until `to`, not included; in each `round` one row in a hundred changes. */
  rerun(asked: {
    readonly to: string;
    readonly concurrency: number;
    readonly round: number;
    /** Days that go together; otherwise each is a unit of its own. */
    readonly batchDays: number;
  }): Promise<MeasuredProcess>;
}

export function salesWorkspace(folder: string, { address }: SalesDatabase, suffix: string): SalesWorkspace {
  mkdirSync(join(folder, 'dags'), { recursive: true });
  writeFileSync(
    join(folder, 'backfill.yaml'),
    `version: 1
airflow: { version: 2 }
run: { lockTable: false }
connections:
  dw:
    engine: postgres
    host: ${address.host}
    port: ${address.port}
    user: ${address.user}
    password: "\${env:BENCH_PASSWORD}"
    database: postgres
    sslmode: disable
    airflowIds: [dw]
`,
  );
  return {
    rerun: async ({ to, concurrency, round, batchDays }) => {
      writeFileSync(join(folder, 'dags', 'sales.py'), salesDag(suffix, round));
      const batch = batchDays > 1 ? ['--batch', `${batchDays} days`] : [];
      const range = ['--from', firstDay, '--to', to, ...batch];
      const how = ['--concurrency', String(concurrency), '--yes', '--format', 'json', '--workspace', folder];
      const done = await measuredCommand(['run', 'sales.aggregate', ...range, ...how], {
        BENCH_PASSWORD: address.password,
      });
      if (done.code !== 0) throw new Error(`the run ended with ${done.code}: ${done.output.slice(0, 2000)}`);
      return done;
    },
  };
}
