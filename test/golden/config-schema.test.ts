import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { configShape } from '../../src/node/config/config-shape.ts';

const file = new URL('../../media/backfill.schema.json', import.meta.url);

test('the JSON schema that editors complete backfill.yaml with is what the reader accepts', () => {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'backfill.yaml',
    ...configShape.schema,
  };
  if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, `${JSON.stringify(schema, null, 2)}\n`);
  // The formatter lays the file out; what it says must be the same.
  expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(schema);
});
