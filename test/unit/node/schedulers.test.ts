import { expect, test } from 'vitest';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { resolveEvents } from '../../../src/node/config/resolve-events.ts';
import { resolveScheduler } from '../../../src/node/config/resolve-scheduler.ts';

const read = (schedulers: string) => readConfig('backfill.yaml', `version: 1\nschedulers:\n${schedulers}`);
const problems = (schedulers: string) => read(schedulers).problems.map(({ message }) => message);
const found = (schedulers: string, env: Record<string, string> = {}, name?: string) => {
  const resolved = resolveScheduler(read(schedulers).config, name, env);
  if (resolved === undefined) return 'none';
  return 'problem' in resolved ? resolved.problem.message : resolved.scheduler;
};
const withPassword = `  prod: { url: "https://airflow.example/", user: anna, password: "\${env:SECRET}" }\n`;

test('a scheduler with a user or a token, secrets from the environment', () => {
  expect(found(withPassword, { SECRET: 'pst' })).toEqual({
    name: 'prod',
    url: 'https://airflow.example',
    login: { kind: 'password', user: 'anna', password: 'pst' },
  });
  expect(found(`  a: { url: "\${env:URL}", token: "\${env:T}" }\n`, { URL: 'http://x:8080', T: 't' })).toMatchObject({
    url: 'http://x:8080',
    login: { kind: 'token', token: 't' },
  });
  expect(found('  a: { url: "http://x" }\n')).toMatchObject({ login: { kind: 'none' } });
});

test('events are a path, or a collector whose token comes from the environment', () => {
  const events = (more: string, env: Record<string, string> = {}) =>
    resolveEvents(read(`  a: { url: "http://x", ${more} }\n`).config, undefined, env);
  expect(events('user: u')).toBeUndefined();
  expect(events('events: logs/openlineage.json')).toEqual({ kind: 'files', path: 'logs/openlineage.json' });
  const secured = `events: "https://marquez.example/", eventsToken: "\${env:T}"`;
  expect(events(secured, { T: 'pst' })).toEqual({
    kind: 'collector',
    collector: { url: 'https://marquez.example', token: 'pst' },
  });
  expect(events(secured)).toEqual({ problem: 'the events of a need the environment variable T, which is not set' });
  expect(problems('  a: { url: "http://x", events: "https://u:p@marquez.example" }\n')).toEqual([
    'scheduler a: its events are to be like https://marquez.example.org, without user and password; say eventsToken',
  ]);
  expect(problems(`  a: { url: "http://x", events: logs, eventsToken: "\${env:T}" }\n`)).toEqual([
    'scheduler a: eventsToken is for a collector: events has to be its address',
  ]);
  expect(problems('  a: { url: "http://x", events: "http://m", eventsToken: plain }\n')).toEqual([
    `a token must not stand in this file; write \${env:NAME} and set that variable`,
  ]);
});

test('what is missing or ambiguous is said by name, never by value', () => {
  expect(found(withPassword)).toBe('scheduler prod needs the environment variable SECRET, which is not set');
  expect(found(withPassword, {}, 'prdo')).toBe('there is no scheduler prdo; did you mean prod?');
  const two = '  a: { url: "http://x" }\n  b: { url: "http://y" }\n';
  expect(found(two)).toBe('backfill.yaml has several schedulers; name one of a, b');
  expect(found(two, {}, 'b')).toMatchObject({ name: 'b' });
  const leak = found(`  a: { url: "\${env:URL}" }\n`, { URL: 'https://anna:secret@x' });
  expect(leak).toMatch(/^scheduler a: its url is to be like/);
  expect(leak).not.toContain('secret');
  expect(resolveScheduler(readConfig('backfill.yaml', 'version: 1').config, undefined, {})).toBeUndefined();
});

test('secrets in the file, half a login and two of them are errors', () => {
  expect(problems('  a: { url: "http://x", user: u, password: plain }\n')).toEqual([
    `a password must not stand in this file; write \${env:NAME} and set that variable`,
  ]);
  expect(problems('  a: { url: "http://x", token: plain }\n')).toEqual([
    `a token must not stand in this file; write \${env:NAME} and set that variable`,
  ]);
  expect(problems('  a: { url: "http://u:p@x" }\n')).toEqual([
    'scheduler a: its url is to be like https://airflow.example.org, without user and password',
  ]);
  // An editor keeps the password of a user elsewhere.
  expect(problems('  a: { url: "http://x", user: u }\n')).toEqual([]);
  expect(problems(`  a: { url: "http://x", user: u, password: "\${env:P}", token: "\${env:T}" }\n`)).toEqual([
    'scheduler a: say token, or user and password, not both',
  ]);
  expect(problems('  a: { user: u }\n')).toEqual([
    'url is missing: An Airflow that carries out tasks which are not run from here',
  ]);
});
