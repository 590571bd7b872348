import type { Config } from '../../../node/config/config.ts';
import { ledgerConnections } from '../../../node/config/ledger-connections.ts';
import type { ConnectionsAnswer, RunDefaults } from '../workspace-api.ts';

export const connectionsIn = (config: Config): ConnectionsAnswer => ({
  names: [...config.connections.keys()],
  default: config.defaultConnection,
  ledgers: ledgerConnections(config),
  hasEmbedded: [...config.connections.values()].some(({ engine }) => engine === 'pglite'),
  schedulers: [...config.schedulers.keys()],
});

export function runDefaultsIn({ run }: Config): RunDefaults {
  const { concurrency, compare, holdShrinkPercent, earlyCutoff, keepBeforeDays } = run;
  return { concurrency, compare, shrinkPercent: holdShrinkPercent, earlyCutoff, keepBeforeDays };
}
