import { freeName, writeConnection } from '../../../node/config/edit/write-connection.ts';
import { previewPlace } from '../../../node/config/preview-place.ts';
import { resolveConnection } from '../../../node/config/resolve-connection.ts';
import { resolveScheduler } from '../../../node/config/resolve-scheduler.ts';
import { unitOptions } from '../../../node/run-setup.ts';
import type { WorkspaceApi } from '../workspace-api.ts';
import { connectionsIn, runDefaultsIn } from './config-answers.ts';
import type { LiveWorkspace } from './live-workspace.ts';

/** What `backfill.yaml` says of runs, connections and schedulers, and what is added to it. */
export function configService(
  live: () => LiveWorkspace,
): Pick<
  WorkspaceApi,
  | 'runDefaults'
  | 'unitOptions'
  | 'connections'
  | 'connection'
  | 'previewPlace'
  | 'addEmbedded'
  | 'addPostgres'
  | 'scheduler'
  | 'addScheduler'
> {
  const state = () => live().state();
  const written = (): void => live().changed([state().config.file]);
  return {
    runDefaults: async () => runDefaultsIn(state().config),
    async unitOptions({ connection, options }) {
      const byFile = unitOptions(state().config, {}, connection);
      const { samples = byFile.samples, floatTolerance = byFile.floatTolerance } = options;
      return { ...byFile, ...options, samples, floatTolerance, lockTable: false };
    },
    connections: async () => connectionsIn(state().config),
    async connection({ name }) {
      const { config, root } = state();
      const found = resolveConnection(config, name, root, process.env);
      return 'problem' in found ? { problem: found.problem.message } : found.connection;
    },
    previewPlace: async ({ name }) => previewPlace(state().config, name, undefined) ?? name,
    async addEmbedded() {
      const { config, root } = state();
      const name = freeName('sandbox', config.connections.keys());
      const value = { engine: 'pglite', directory: `.backfill/${name}` } as const;
      writeConnection(root, { section: 'connections', name, value });
      written();
      return name;
    },
    async addPostgres({ name, ...connection }) {
      writeConnection(state().root, { section: 'connections', name, value: { engine: 'postgres', ...connection } });
      written();
    },
    async scheduler({ name }) {
      const { config } = state();
      const found = resolveScheduler(config, name, process.env);
      if (found === undefined) return { problem: `${config.file} has no scheduler ${name}` };
      return 'problem' in found ? { problem: found.problem.message } : found.scheduler;
    },
    async addScheduler({ name, ...value }) {
      writeConnection(state().root, { section: 'schedulers', name, value });
      written();
    },
  };
}
