import { type Document, isAlias, isMap, isScalar, isSeq, type Node, type Scalar } from 'yaml';
import type { Problem, SourceSpan } from '../../core/text/span.ts';
import { didYouMean } from '../nearest-names.ts';

export type JsonSchema = { readonly [key: string]: unknown };

/** A part of a YAML file, described once: how it is read with exact places, and its JSON schema for completion. */
export interface Shape<T> {
  readonly schema: JsonSchema;
  /** `undefined` when the value is not as described; a problem has then been said. */
  read(node: Node, context: ReadContext): T | undefined;
}

export interface ReadContext {
  readonly document: Document;
  readonly file: string;
  readonly problems: Problem[];
}

export function spanOf(node: Node | null | undefined, { file }: ReadContext): SourceSpan {
  const [start, end] = node?.range ?? [0, 0];
  return { file, start, end };
}

export function say(context: ReadContext, node: Node | null | undefined, message: string): undefined {
  context.problems.push({ message, at: spanOf(node, context), severity: 'error' });
  return undefined;
}

const resolved = (node: Node, { document }: ReadContext): Node | undefined =>
  isAlias(node) ? node.resolve(document) : node;

function scalarOf(node: Node, context: ReadContext): Scalar | undefined {
  const target = resolved(node, context);
  return isScalar(target) ? target : undefined;
}

/** A text; numbers and booleans count as they are written, so that `port: 5432` and `timezone: UTC` both do. */
export const text = (description: string): Shape<string> => ({
  schema: { type: ['string', 'number', 'boolean'], description },
  read(node, context) {
    const scalar = scalarOf(node, context);
    if (scalar === undefined || scalar.value === null) return say(context, node, `expected a text: ${description}`);
    return typeof scalar.value === 'string' ? scalar.value : (scalar.source ?? String(scalar.value));
  },
});

/** A text with a form of its own; `parse` gives the value or, as `{ wrong }`, what is wrong with it. */
export const written = <T>(
  description: string,
  schema: JsonSchema,
  parse: (source: string) => { readonly value: T } | { readonly wrong: string },
): Shape<T> => ({
  schema: { ...schema, description },
  read(node, context) {
    const source = text(description).read(node, context);
    if (source === undefined) return undefined;
    const parsed = parse(source);
    return 'wrong' in parsed ? say(context, node, parsed.wrong) : parsed.value;
  },
});

export const whole = (description: string, least: number, most: number): Shape<number> => ({
  schema: { type: 'integer', minimum: least, maximum: most, description },
  read(node, context) {
    const value = scalarOf(node, context)?.value;
    return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most
      ? value
      : say(context, node, `expected a whole number from ${least} to ${most}: ${description}`);
  },
});

export const numeric = (description: string, least: number, most: number): Shape<number> => ({
  schema: { type: 'number', minimum: least, maximum: most, description },
  read(node, context) {
    const value = scalarOf(node, context)?.value;
    return typeof value === 'number' && value >= least && value <= most
      ? value
      : say(context, node, `expected a number from ${least} to ${most}: ${description}`);
  },
});

export const flag = (description: string): Shape<boolean> => ({
  schema: { type: 'boolean', description },
  read(node, context) {
    const value = scalarOf(node, context)?.value;
    return typeof value === 'boolean' ? value : say(context, node, `expected true or false: ${description}`);
  },
});

export const choice = <const T extends string | number>(description: string, ...values: readonly T[]): Shape<T> => ({
  schema: { enum: values, description },
  read(node, context) {
    const value = scalarOf(node, context)?.value;
    const found = values.find((allowed) => allowed === value);
    if (found !== undefined) return found;
    const hint = typeof value === 'string' ? didYouMean(value, values.map(String)) : '';
    return say(context, node, `expected one of ${values.join(', ')}${hint || `: ${description}`}`);
  },
});

/** Any YAML value, as data. */
export const anything = (description: string): Shape<unknown> => ({
  schema: { description },
  read(node, context) {
    try {
      return node.toJS(context.document, { maxAliasCount: 100 });
    } catch (error) {
      return say(context, node, error instanceof Error ? error.message : String(error));
    }
  },
});

export const listOf = <T>(description: string, item: Shape<T>): Shape<readonly T[]> => ({
  schema: { type: 'array', items: item.schema, description },
  read(node, context) {
    const target = resolved(node, context);
    if (!isSeq(target)) return say(context, node, `expected a list: ${description}`);
    return target.items.flatMap((child) => {
      const value = item.read(child as Node, context);
      return value === undefined ? [] : [value];
    });
  },
});

/** Entries under names that the user chooses. */
export const mapOf = <T>(description: string, item: Shape<T>): Shape<ReadonlyMap<string, T>> => ({
  schema: { type: 'object', additionalProperties: item.schema, description },
  read(node, context) {
    const result = new Map<string, T>();
    for (const { name, value } of membersOf(node, context, description)) {
      const read = value === undefined ? say(context, node, `${name} has no value`) : item.read(value, context);
      if (read !== undefined) result.set(name, read);
    }
    return result;
  },
});

type Members<T> = { readonly [K in keyof T]-?: Shape<NonNullable<T[K]>> };

/** An object with known members; every other name is a problem with the nearest known one. */
export function object<T extends object>(
  description: string,
  members: Members<T>,
  required: readonly (keyof T & string)[] = [],
): Shape<Partial<T>> {
  const names = Object.keys(members) as (keyof T & string)[];
  const schema = {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(names.map((name) => [name, members[name].schema])),
    ...(required.length > 0 ? { required } : {}),
    description,
  };
  return {
    schema,
    read(node, context) {
      const before = context.problems.length;
      const result: Partial<T> = {};
      const seen = new Set<string>();
      for (const { name, key, value } of membersOf(node, context, description)) {
        const known = names.find((candidate) => candidate === name);
        if (known === undefined)
          say(context, key, `unknown key ${name}${didYouMean(name, names) || `; known are ${names.join(', ')}`}`);
        else {
          seen.add(name);
          const shape = members[known];
          // A section whose lines are all commented out is an empty section.
          if (value === undefined && shape.schema.type === 'object') continue;
          const read = value === undefined ? say(context, key, `${name} has no value`) : shape.read(value, context);
          if (read !== undefined) result[known] = read;
        }
      }
      const missing = required.filter((name) => !seen.has(name));
      if (missing.length > 0 && context.problems.length === before)
        say(context, node, `${missing.join(' and ')} is missing${onlyValues(missing, members) || `: ${description}`}`);
      return result;
    },
  };
}

/** What to write where members can have one value only; '' where one of them can have several. */
function onlyValues(missing: readonly string[], members: Readonly<Record<string, Shape<unknown>>>): string {
  const lines = missing.map((name) => {
    const [value, ...others] = (members[name]?.schema.enum ?? []) as readonly unknown[];
    return value === undefined || others.length > 0 ? undefined : `${name}: ${String(value)}`;
  });
  return lines.includes(undefined) ? '' : `; write ${lines.join(' and ')}`;
}

interface Member {
  readonly name: string;
  readonly key: Node;
  readonly value: Node | undefined;
}

function membersOf(node: Node, context: ReadContext, description: string): readonly Member[] {
  const target = resolved(node, context);
  if (!isMap(target)) {
    say(context, node, `expected names and values: ${description}`);
    return [];
  }
  return target.items.flatMap(({ key, value }) => {
    const keyNode = key as Node;
    const name = isScalar(keyNode) ? String(keyNode.value) : '';
    if (name === '<<') {
      say(context, keyNode, '<< merges nothing here; write the entries out, or let *name stand for a whole value');
      return [];
    }
    const child = value as Node | null;
    const empty = child === null || (isScalar(child) && child.value === null && child.source === '');
    return [{ name, key: keyNode, value: empty ? undefined : child }];
  });
}
