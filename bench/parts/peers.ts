import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from '../figure.ts';
import { dbt } from '../peers/dbt.ts';
import { isInstalled, type PeerSetting, runPeer } from '../peers/peer.ts';
import { sqlmesh } from '../peers/sqlmesh.ts';
import { quotient, ratio, rounds, type Timed } from '../rounds.ts';
import { createSalesTables, dayAfter, firstDay, openSalesDatabase, type SalesDatabase } from '../sales-database.ts';
import { salesWorkspace } from '../sales-workspace.ts';

const days = Number(process.env.BENCH_PEER_DAYS ?? 365);
const rowsPerDay = 10_000;
const suffix = 'peer';
const levels = (process.env.BENCH_PEER_LEVELS ?? '1,2,4').split(',').map(Number);
/** Days of ours that go together. */
const together = 30;

/**
 * Whole programs, with checksums and row differences on our side only, against the other one day by day: unit by unit, and
 * days together. Against its own days together there is no target: it does no more than delete and insert them.
 */
const targets: Readonly<Record<string, { readonly one: number; readonly together?: number }>> = {
  [sqlmesh.name]: { one: 0.8, together: 0.5 },
  [dbt.name]: { one: 0.25 },
};

/** A year of days again by the built program, with its ledger and row differences, against other programs that do it. */
export async function peers(): Promise<readonly Figure[]> {
  const found = [sqlmesh, dbt].filter((peer) => {
    if (isInstalled(peer)) return true;
    console.error(`SKIPPED: ${peer.name} is not installed; scripts/setup-peers.sh installs it from a package index`);
    return false;
  });
  if (found.length === 0) return [];
  const parent = mkdtempSync(join(tmpdir(), 'backfill-peers-'));
  const database = await openSalesDatabase();
  try {
    await createSalesTables(database.client, { suffix, days, rowsPerDay });
    const figures: Figure[] = [];
    for (const concurrency of levels) {
      const setting = { address: database.address, suffix, firstDay, to: dayAfter(days), concurrency };
      figures.push(...(await measure(database, parent, { ...setting, batchDays: 1 }, found)));
      // dbt knows microbatches of one day only.
      const batching = found.filter((peer) => peer === sqlmesh);
      if (batching.length > 0)
        figures.push(...(await measure(database, parent, { ...setting, batchDays: together }, batching)));
    }
    return figures;
  } finally {
    await database.close();
    rmSync(parent, { recursive: true, force: true });
  }
}

async function measure(
  database: SalesDatabase,
  parent: string,
  setting: Omit<PeerSetting, 'folder'>,
  peersFound: readonly (typeof sqlmesh)[],
): Promise<readonly Figure[]> {
  const { client } = database;
  const { concurrency, batchDays, to } = setting;
  const ours = salesWorkspace(join(parent, 'ours'), database, suffix);
  let round = concurrency * 1000 + batchDays;
  await ours.rerun({ to, concurrency, round, batchDays });
  const cpu: Record<string, number> = {};
  const served = (
    name: string,
    { before, run }: { readonly before: () => unknown; readonly run: () => unknown },
  ): Timed => ({
    before,
    run: async () => {
      const from = database.serverCpuMs();
      await run();
      const to = database.serverCpuMs();
      if (from !== undefined && to !== undefined) cpu[name] = to - from;
    },
  });
  const works = peersFound.map((peer) => {
    const own = { ...setting, folder: join(parent, `${peer.program.split('/')[0]}-${batchDays}`) };
    peer.prepare(own);
    runPeer(peer, own, peer.build(own));
    const before = () => client.query(`vacuum analyze ${peer.table(own)}`);
    return [peer.name, served(peer.name, { before, run: () => runPeer(peer, own, peer.again(own)) })] as const;
  });
  await sameRows(
    client,
    peersFound.map((peer) => peer.table({ ...setting, folder: parent })),
  );
  const own = (name: string, days: number): Timed =>
    served(name, {
      before: () => client.query(`vacuum analyze customer_day_${suffix}`),
      run: () => ours.rerun({ to, concurrency, round: ++round, batchDays: days }),
    });
  const samples = await rounds<string>(1, {
    ...(batchDays === 1 ? { one: own('one', 1) } : {}),
    together: own('together', together),
    ...Object.fromEntries(works),
  });
  const how = { one: '', together: `, ${together} days together` };
  const theirs = batchDays === 1 ? '' : `, ${batchDays} days together`;
  const figure = (kind: 'one' | 'together', name: string): Figure => ({
    part: 'peers',
    what: `${days} days of ${rowsPerDay} rows, ${concurrency} at a time${how[kind]}, ÷ ${name}${theirs}`,
    value: ratio(samples[kind] ?? [], samples[name] ?? []),
    unit: '×',
    atMost: batchDays === 1 ? targets[name]?.[kind] : undefined,
    detail:
      quotient(samples[kind] ?? [], samples[name] ?? []) +
      (cpu[kind] === undefined || cpu[name] === undefined
        ? ''
        : `; processor time of PostgreSQL ${cpu[kind]} ms ÷ ${cpu[name]} ms`),
  });
  return peersFound.flatMap(({ name }) =>
    batchDays === 1 ? [figure('one', name), figure('together', name)] : [figure('together', name)],
  );
}

/** A comparison of programs that do not do the same work would say nothing. */
async function sameRows(client: SalesDatabase['client'], tables: readonly string[]): Promise<void> {
  for (const table of [`customer_day_${suffix}`, ...tables]) {
    const { rows } = await client.query(`select count(*) as rows, count(distinct day) as days from ${table}`);
    if (Number(rows[0]?.rows) !== days * rowsPerDay || Number(rows[0]?.days) !== days) {
      throw new Error(
        `${table} holds ${rows[0]?.rows} rows of ${rows[0]?.days} days, not ${days * rowsPerDay} of ${days}`,
      );
    }
  }
}
