import { expect, test } from 'vitest';
import { passwordIn } from '../../../src/warehouses/postgres/password-file.ts';

const server = { host: 'db', port: 5432, database: 'mart', user: 'etl' };

test.each([
  ['db:5432:mart:etl:secret', 'secret'],
  ['# db:5432:mart:etl:no\n*:*:*:*:any', 'any'],
  ['db:5432:mart:else:no\r\ndb:*:mart:etl:yes\r\n', 'yes'],
  ['db:5432:mart:etl:a\\:b\\\\c', 'a:b\\c'],
  ['db:5432:mart:etl:a:b', 'a:b'],
  ['db:5433:mart:etl:no', undefined],
  ['db:5432:mart:etl', undefined],
  ['', undefined],
])('%j gives %s', (text, password) => {
  expect(passwordIn(text, server)).toBe(password);
});

test('a socket directory is the machine itself', () => {
  expect(passwordIn('localhost:5432:mart:etl:secret', { ...server, host: '/var/run/postgresql' })).toBe('secret');
});
