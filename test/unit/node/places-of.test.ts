import { expect, test } from 'vitest';
import { readConfig } from '../../../src/node/config/read-config.ts';
import { resolveConnection } from '../../../src/node/config/resolve-connection.ts';
import { placesOf } from '../../../src/node/run-setup.ts';

const yaml = `version: 1
connections:
  dw: { engine: postgres, host: db, airflowIds: [dw], concurrency: 3 }
  lake:
    engine: spark
    url: \${env:LAKE_URL}
    ledger: dw
    airflowIds: [spark]
    settings: { spark.sql.session.timeZone: Europe/Berlin }
  other: { engine: spark, url: "sc://other:15002", airflowIds: [other] }
defaultConnection: dw
`;
const { config } = readConfig('backfill.yaml', yaml);

const asked = (connection: string | undefined, speaksSpark = true) => ({
  connection,
  database: undefined,
  speaksSpark,
});

test('tasks of a lake are run on it in a run on the database that has its ledger, as its sessions are set', () => {
  const placeOf = placesOf(config, 'dw', {});
  expect(placeOf(asked('spark'))).toEqual({
    place: { kind: 'lake', connection: 'lake' },
    options: { settings: { 'spark.sql.session.timeZone': 'Europe/Berlin' }, connectionConcurrency: undefined },
  });
  expect(placeOf(asked('dw', false))).toEqual({ place: { kind: 'database' } });
  expect(placeOf(asked(undefined, false))).toEqual({ place: { kind: 'database' } });
  expect(placeOf(asked('other'))).toMatchObject({
    code: 'other-connection',
    remedy: expect.stringContaining('write ledger: dw under other in backfill.yaml'),
  });
});

test('and those of the database in a run on the lake', () => {
  expect(placesOf(config, 'lake', {})(asked('dw', false))).toEqual({
    place: { kind: 'database' },
    options: { settings: {}, connectionConcurrency: 3 },
  });
});

test('Spark SQL that names no connection is the only lake’s, and of several nobody’s', () => {
  expect(placesOf(config, 'dw', {})(asked(undefined))).toMatchObject({ place: { kind: 'lake', connection: 'lake' } });
  expect(placesOf(config, 'dw', {})(asked('spark_sql_default'))).toMatchObject({ place: { connection: 'lake' } });
  expect(placesOf(config, 'dw', {})(asked('elsewhere'))).toMatchObject({
    message: expect.stringContaining('its connection elsewhere is not among the airflowIds of lake'),
  });
  const two = readConfig(
    'backfill.yaml',
    // Two names of one lake; two lakes have a ledger each.
    yaml
      .replace(/url: \$.*/, 'url: sc://other:15002')
      .replace('airflowIds: [other]', 'airflowIds: [other], ledger: dw'),
  ).config;
  expect(placesOf(two, 'dw', {})(asked(undefined))).toMatchObject({
    code: 'other-connection',
    message: expect.stringContaining('is not among the airflowIds of lake, other'),
  });
});

test('a lake that lacks its address does not keep the database from being opened', () => {
  expect(resolveConnection(config, 'dw', '/w', {})).toMatchObject({
    connection: { engine: 'postgres', lakes: [{ name: 'lake', missing: ['LAKE_URL'] }] },
  });
  expect(resolveConnection(config, 'lake', '/w', {})).toMatchObject({
    problem: { message: expect.stringContaining('LAKE_URL') },
  });
  expect(resolveConnection(config, 'lake', '/w', { LAKE_URL: 'sc://l:1' })).toMatchObject({
    connection: { engine: 'spark', url: 'sc://l:1', ledger: { name: 'dw', lakes: [{ url: 'sc://l:1' }] } },
  });
});
