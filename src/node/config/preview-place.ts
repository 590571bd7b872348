import type { Config } from './config.ts';

/**
 * Name of the connection that a preview of a run goes to: the one that was asked for, else the one that the run's
 * connection names for it, else the run's own. `undefined`: the default one.
 */
export const previewPlace = (
  config: Config,
  runsOn: string | undefined,
  asked: string | undefined,
): string | undefined => asked ?? config.connections.get(runsOn ?? config.defaultConnection ?? '')?.preview ?? runsOn;
