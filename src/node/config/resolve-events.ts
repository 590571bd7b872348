import type { LineageCollector } from '../../core/scheduler/port/scheduler-config.ts';
import type { Config } from './config.ts';
import { resolveEnvText } from './env-text.ts';
import type { Environment } from './resolve-connection.ts';

/** Where OpenLineage events of a scheduler are. */
export type EventsPlace =
  | { readonly kind: 'files'; readonly path: string }
  | { readonly kind: 'collector'; readonly collector: LineageCollector };

/** Whether what stands for events is the address of a collector, and no path. */
export const isAddress = (events: string): boolean => /^[a-z][a-z0-9+.-]*:\/\//i.test(events);

/** The events of a scheduler, by its name or the only one; `undefined`: `backfill.yaml` names none. */
export function resolveEvents(
  { schedulers }: Config,
  name: string | undefined,
  env: Environment,
): EventsPlace | { readonly problem: string } | undefined {
  const [only] = schedulers.size === 1 ? schedulers.keys() : [];
  const spec = schedulers.get(name ?? only ?? '');
  if (spec?.events === undefined) return undefined;
  if (!isAddress(spec.events)) return { kind: 'files', path: spec.events };
  const found = spec.eventsToken && resolveEnvText(spec.eventsToken, env);
  if (found !== undefined && 'missing' in found)
    return {
      problem: `the events of ${spec.name} need the environment variable ${found.missing.join(', ')}, which is not set`,
    };
  return { kind: 'collector', collector: { url: spec.events.replace(/\/+$/, ''), token: found?.value } };
}
