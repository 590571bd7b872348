import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Peer, PeerSetting } from './peer.ts';
import { salesQuery } from './sales-query.ts';

const run = ({ concurrency, firstDay, to }: PeerSetting): readonly string[] => [
  '--no-send-anonymous-usage-stats',
  'run',
  '--profiles-dir',
  '.',
  '--threads',
  String(concurrency),
  '--event-time-start',
  firstDay,
  '--event-time-end',
  to,
];

/** A microbatch model of days; on PostgreSQL that is a MERGE by day and customer. */
export const dbt: Peer = {
  name: 'dbt microbatch',
  program: '.venv-dbt/bin/dbt',
  prepare: ({ folder, address, suffix, firstDay, concurrency }) => {
    mkdirSync(join(folder, 'models'), { recursive: true });
    writeFileSync(
      join(folder, 'dbt_project.yml'),
      "name: sales\nversion: '1.0'\nprofile: sales\nmodel-paths: [models]\nmodels:\n  sales:\n    +materialized: view\n",
    );
    writeFileSync(
      join(folder, 'profiles.yml'),
      `sales:
  target: dw
  outputs:
    dw:
      type: postgres
      host: ${address.host}
      port: ${address.port}
      user: ${address.user}
      password: "{{ env_var('BENCH_PASSWORD') }}"
      dbname: postgres
      schema: dbt
      threads: ${concurrency}
`,
    );
    writeFileSync(
      join(folder, 'models', 'sources.yml'),
      `sources:
  - name: raw
    schema: public
    tables:
      - name: events
        identifier: events_${suffix}
        config:
          event_time: at
`,
    );
    const config = `{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='day',
          begin='${firstDay}', batch_size='day', unique_key=['day', 'customer'], concurrent_batches=${concurrency > 1 ? 'true' : 'false'}) }}`;
    writeFileSync(
      join(folder, 'models', 'customer_day.sql'),
      `${config}\n${salesQuery("{{ source('raw', 'events') }}", '')}`,
    );
  },
  build: run,
  again: run,
  table: () => 'dbt.customer_day',
};
