import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, PeerSetting } from './peer.ts';
import { salesQuery } from './sales-query.ts';

const lastDay = ({ to }: PeerSetting): string => new Date(Date.parse(to) - 86_400_000).toISOString().slice(0, 10);
const plan = ['plan', '--auto-apply', '--no-prompts', '--skip-tests'];

/** An incremental model by time range whose days are restated a batch at a time. */
export const sqlmesh: Peer = {
  name: 'SQLMesh restatement',
  program: '.venv-sqlmesh/bin/sqlmesh',
  prepare: (setting) => {
    const { folder, address, suffix, firstDay, concurrency, batchDays } = setting;
    mkdirSync(join(folder, 'models'), { recursive: true });
    writeFileSync(
      join(folder, 'config.yaml'),
      `gateways:
  dw:
    connection:
      type: postgres
      host: ${address.host}
      port: ${address.port}
      user: ${address.user}
      password: "{{ env_var('BENCH_PASSWORD') }}"
      database: postgres
      concurrent_tasks: ${concurrency}
default_gateway: dw
disable_anonymized_analytics: true
model_defaults:
  dialect: postgres
  start: '${firstDay}'
`,
    );
    const where = '\nWHERE at BETWEEN @start_tstz AND @end_tstz';
    writeFileSync(
      join(folder, 'models', 'customer_day.sql'),
      `MODEL (
  name sales.customer_day,
  kind INCREMENTAL_BY_TIME_RANGE (time_column day, batch_size ${batchDays}, batch_concurrency ${concurrency}),
  cron '@daily',
  start '${firstDay}',
  end '${lastDay(setting)}',
  columns (day DATE, customer INT, orders BIGINT, quantity BIGINT, gross DECIMAL(14, 2), discount DECIMAL(14, 2),
           first_at TIMESTAMPTZ, last_at TIMESTAMPTZ, channel TEXT, note TEXT)
);
${salesQuery(`public.events_${suffix}`, where)}`,
    );
  },
  build: () => plan,
  again: (setting) => [
    ...plan,
    '--restate-model',
    'sales.customer_day',
    '--start',
    setting.firstDay,
    '--end',
    lastDay(setting),
  ],
  table: () => 'sales.customer_day',
};
