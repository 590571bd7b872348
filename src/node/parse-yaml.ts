import { parse } from 'yaml';

/** Plain data of a YAML text as `yaml.safe_load` of Python reads it; throws for what is none. */
export const parseYaml = (text: string): unknown => parse(text, { version: '1.1', logLevel: 'silent' });
