import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import Ajv from 'ajv-draft-04';

/** The package is taken for the schema that it brings; its own matchers need a Jest. */
const schema = createRequire(import.meta.url).resolve('@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json');

/** Whether a value is a log of SARIF 2.1.0, by the schema of the standard; `errors` tells what is not. */
export const isSarif = new Ajv({ validateFormats: false, strict: false, unicodeRegExp: false }).compile(
  JSON.parse(readFileSync(schema, 'utf8')),
);
