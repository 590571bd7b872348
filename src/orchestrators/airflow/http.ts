import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import { SchedulerError } from '../../core/scheduler/port/scheduler-error.ts';

/** One request to the API of an Airflow; `body` is sent as JSON. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** Below the API's root, parts already encoded. */
  readonly path: string;
  readonly body?: unknown;
  /** Where the answer is a text. */
  readonly accept?: 'text/plain';
}

export interface ApiAnswer {
  readonly status: number;
  /** Parsed where it is JSON, else the text. */
  readonly body: unknown;
  /** The server's clock, where it says it. */
  readonly date: number | undefined;
}

/** Sends requests below `root`, with the login of the configuration; a token that ran out is got anew once. */
export interface AirflowHttp {
  /** Gives every answer below 500 but those that say who may not; throws {@link SchedulerError} for all else. */
  send(request: ApiRequest): Promise<ApiAnswer>;
  /** As `send`, for an answer that has to be a success. */
  ask(request: ApiRequest): Promise<unknown>;
}

const timeoutMs = 30_000;

export function airflowHttp(config: SchedulerConfig, root: string, majorVersion: 2 | 3): AirflowHttp {
  let token: string | undefined;
  const authorization = async (anew: boolean): Promise<string | undefined> => {
    const { login } = config;
    if (login.kind === 'none') return undefined;
    if (login.kind === 'token') return `Bearer ${login.token}`;
    const { user, password } = login;
    if (password === undefined) throw withoutPassword(config, user);
    if (majorVersion === 2) return `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`;
    if (token === undefined || anew) token = await newToken(config, { user, password });
    return `Bearer ${token}`;
  };
  const send = async (request: ApiRequest): Promise<ApiAnswer> => {
    for (let again = false; ; again = true) {
      const login = await authorization(again);
      const answer = await exchange(config, `${root}${request.path}`, request, login);
      const { status } = answer;
      if (status === 401 && !again && config.login.kind === 'password' && majorVersion === 3) continue;
      if (status === 401 || status === 403) throw mayNot(config, request, answer);
      if (status >= 500 || status === 429) throw failed(config, request, answer, true);
      return answer;
    }
  };
  return {
    send,
    ask: async (request) => {
      const answer = await send(request);
      if (answer.status >= 400) throw failed(config, request, answer, false);
      return answer.body;
    },
  };
}

/** One exchange, whatever its status. Throws where nobody answers. */
export async function exchange(
  config: SchedulerConfig,
  url: string,
  { method, body, accept = undefined }: Omit<ApiRequest, 'path'>,
  authorization: string | undefined,
): Promise<ApiAnswer> {
  const headers: Record<string, string> = { accept: accept ?? 'application/json' };
  if (authorization !== undefined) headers.authorization = authorization;
  if (body !== undefined) headers['content-type'] = 'application/json';
  try {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    // A redirect would carry the login to wherever it leads.
    const init = { method, headers, redirect: 'manual', signal: AbortSignal.timeout(timeoutMs), ...sent } as const;
    const response = await fetch(url, init);
    const text = await response.text();
    const said = Date.parse(response.headers.get('date') ?? '');
    return { status: response.status, body: parsed(text), date: Number.isNaN(said) ? undefined : said };
  } catch (error) {
    throw unreachable(config, error);
  }
}

async function newToken(
  config: SchedulerConfig,
  login: { readonly user: string; readonly password: string },
): Promise<string> {
  const body = { username: login.user, password: login.password };
  const answer = await exchange(config, `${config.url}/auth/token`, { method: 'POST', body }, undefined);
  const token = (answer.body as { access_token?: unknown } | undefined)?.access_token;
  if (answer.status < 300 && typeof token === 'string') return token;
  const hint = 'Look at user and password. Where the service gives tokens in its own way, set token instead.';
  if (answer.status >= 500) throw failed(config, { method: 'POST', path: '/auth/token' }, answer, true);
  throw new SchedulerError('login', `${config.name} gives no token to ${login.user} (${answer.status}).`, false, hint);
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
};

const named = ({ name, url }: SchedulerConfig): string => `the Airflow ${name} (${url})`;

function unreachable(config: SchedulerConfig, error: unknown): SchedulerError {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = (cause as { code?: unknown } | undefined)?.code;
  const words = typeof code === 'string' ? code : cause instanceof Error ? cause.message : String(cause);
  return new SchedulerError(
    'connection',
    `${capital(named(config))} cannot be reached: ${words}.`,
    true,
    'Look at its url in backfill.yaml, and whether its API server runs.',
  );
}

const withoutPassword = (config: SchedulerConfig, user: string): SchedulerError =>
  new SchedulerError(
    'login',
    `${capital(named(config))} wants the password of ${user}.`,
    false,
    `Write password: \${env:AIRFLOW_PASSWORD} beside its user in backfill.yaml, and set that variable.`,
  );

function mayNot(config: SchedulerConfig, { method, path }: ApiRequest, { status }: ApiAnswer): SchedulerError {
  const who = config.login.kind === 'none' ? 'nobody is logged in' : 'the login is refused, or may not do this';
  return new SchedulerError(
    status === 401 || config.login.kind === 'none' ? 'login' : 'permission',
    `${capital(named(config))} refuses ${method} ${path} (${status}): ${who}.`,
    false,
    config.login.kind === 'none'
      ? 'Set user and password, or token, under schedulers in backfill.yaml.'
      : 'Its user needs the right to read, create and edit DAG runs and task instances, and, in Airflow 2, an API with a login (auth_backends).',
  );
}

function failed(
  config: SchedulerConfig,
  { method, path }: ApiRequest,
  { status, body }: ApiAnswer,
  retryable: boolean,
): SchedulerError {
  const kind = status === 404 ? 'missing' : status === 409 ? 'conflict' : status < 500 ? 'refused' : 'other';
  const said = detailOf(body);
  const words = `${capital(named(config))} answers ${method} ${path} with ${status}${said === '' ? '' : `: ${said}`}`;
  return new SchedulerError(kind, words, retryable);
}

/** What an answer says of itself, in at most a few hundred characters. */
function detailOf(body: unknown): string {
  const detail = typeof body === 'object' && body !== null ? (body as { detail?: unknown }).detail : undefined;
  const said =
    typeof detail === 'string' ? detail : detail === undefined || detail === null ? '' : JSON.stringify(detail);
  return said.slice(0, 300);
}

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
