import type { SchedulerConfig, SchedulerLogin } from '../../core/scheduler/port/scheduler-config.ts';
import type { Problem } from '../../core/text/span.ts';
import { didYouMean } from '../nearest-names.ts';
import type { Config, SchedulerSpec } from './config.ts';
import { type EnvText, resolveEnvText } from './env-text.ts';
import type { Environment } from './resolve-connection.ts';

/**
 * A scheduler ready to be opened: by name, or the only one. Environment references are looked up here; what is missing is
 * said by name, values are never shown. `undefined`: none is named and `backfill.yaml` has none.
 */
export function resolveScheduler(
  { schedulers, slip, file }: Config,
  name: string | undefined,
  env: Environment,
): { readonly scheduler: SchedulerConfig } | { readonly problem: Problem } | undefined {
  if (name === undefined && schedulers.size === 0) return undefined;
  if (slip !== undefined) {
    const message = `no scheduler is worked with while ${file} has an error (${slip.message}); mend it first`;
    return { problem: { ...slip, message } };
  }
  const problem = (message: string, at: Problem['at']) => ({ problem: { message, at, severity: 'error' } as const });
  const [only] = schedulers.size === 1 ? schedulers.keys() : [];
  const wanted = name ?? only;
  if (wanted === undefined)
    return problem(`${file} has several schedulers; name one of ${[...schedulers.keys()].join(', ')}`, undefined);
  const spec = schedulers.get(wanted);
  if (spec === undefined) {
    const known = schedulers.size === 0 ? `; ${file} has none` : didYouMean(wanted, schedulers.keys());
    return problem(`there is no scheduler ${wanted}${known}`, undefined);
  }
  const missing: string[] = [];
  const look = (text: EnvText | undefined): string | undefined => {
    if (text === undefined) return undefined;
    const found = resolveEnvText(text, env);
    if ('value' in found) return found.value;
    missing.push(...found.missing);
    return undefined;
  };
  const url = look(spec.url);
  const login = loginOf(spec, look);
  if (missing.length > 0) {
    const names = [...new Set(missing)].join(', ');
    return problem(`scheduler ${wanted} needs the environment variable ${names}, which is not set`, spec.at);
  }
  if (url === undefined || !isPlainUrl(url))
    return problem(
      `scheduler ${wanted}: its url is to be like https://airflow.example.org, without user and password`,
      spec.at,
    );
  return { scheduler: { name: wanted, url: url.replace(/\/+$/, ''), login } };
}

/** Without a user or a password, which would be shown wherever the scheduler is named. */
export const isPlainUrl = (url: string): boolean => /^https?:\/\/[^/@?#\s]+(?:\/[^@?#\s]*)?$/.test(url);

function loginOf(
  { user, password, token }: SchedulerSpec,
  look: (text: EnvText | undefined) => string | undefined,
): SchedulerLogin {
  if (token !== undefined) return { kind: 'token', token: look(token) ?? '' };
  if (user === undefined) return { kind: 'none' };
  return { kind: 'password', user: look(user) ?? '', password: look(password) };
}
