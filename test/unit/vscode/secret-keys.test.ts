import { expect, test } from 'vitest';
import { loginKey, passwordKey } from '../../../src/vscode/clients/secret-keys.ts';

const server = { name: 'office', user: 'ann', host: 'db.example', port: 5432, service: undefined };
const airflow = { name: 'prod', url: 'https://airflow.example', login: { kind: 'none' } } as const;

test('what was typed for one server or user is not found for another one of the same name', () => {
  const others = [
    { ...server, host: 'evil.example' },
    { ...server, host: undefined },
    { ...server, port: 5433 },
    { ...server, user: 'bob' },
    { ...server, service: 'db.example' },
    { ...server, name: 'home' },
  ];
  const keys = [server, ...others].map((one) => passwordKey('file:///w', one));
  expect(new Set(keys).size).toBe(keys.length);
  expect(passwordKey('file:///w', { ...server })).toBe(keys[0]);
  expect(passwordKey('file:///other', server)).not.toBe(keys[0]);
});

test('nor is the login of one Airflow for another address or user', () => {
  const login = { kind: 'password', user: 'ann', password: undefined } as const;
  const all = [airflow, { ...airflow, url: 'https://evil.example' }, { ...airflow, login }];
  const keys = [...all, { ...airflow, login: { ...login, user: 'bob' } }].map((one) => loginKey('file:///w', one));
  expect(new Set(keys).size).toBe(keys.length);
});
