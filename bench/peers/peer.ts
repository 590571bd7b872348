import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { SalesDatabase } from '../sales-database.ts';

/** What another program needs to backfill `customer_day` of the sales tables. */
export interface PeerSetting {
  /** Its project goes here. */
  readonly folder: string;
  readonly address: SalesDatabase['address'];
  readonly suffix: string;
  readonly firstDay: string;
  /** The day after the last one. */
  readonly to: string;
  readonly concurrency: number;
  /** Days that go together. */
  readonly batchDays: number;
}

/** Another program that fills the same table, in a project of its own. */
export interface Peer {
  readonly name: string;
  /** Where `scripts/setup-peers.sh` installs it. */
  readonly program: string;
  /** Writes the project. */
  prepare(setting: PeerSetting): void;
  /** Fills the table for the first time; not measured. */
  build(setting: PeerSetting): readonly string[];
  /** Fills the same days again. */
  again(setting: PeerSetting): readonly string[];
  /** The table that comes out. */
  table(setting: PeerSetting): string;
}

const root = process.cwd();

export const isInstalled = ({ program }: Peer): boolean => existsSync(join(root, program));

/** Runs the program in its project, without asking the world about newer releases. */
export function runPeer({ name, program }: Peer, { folder, address }: PeerSetting, args: readonly string[]): void {
  const done = spawnSync(join(root, program), args, {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: process.env.PATH,
      HOME: folder,
      DO_NOT_TRACK: '1',
      SQLMESH__DISABLE_ANONYMIZED_ANALYTICS: 'true',
      NO_COLOR: '1',
      BENCH_PASSWORD: address.password,
    },
  });
  if (done.status !== 0) {
    throw new Error(`${name} ended with ${done.status}: ${done.stdout.slice(-2000)}${done.stderr.slice(-2000)}`);
  }
}
