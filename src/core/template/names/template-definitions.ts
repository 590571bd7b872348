import type { Span } from '../../text/span.ts';
import type { JinjaExpression } from '../language/expression.ts';
import { capturedName, parseTemplate, type TemplateNode } from '../language/parse-template.ts';
import type { TemplateSegment } from '../language/scan-template.ts';
import type { TemplateBlock } from '../language/template-blocks.ts';
import { Refusal } from '../python/refusal.ts';
import { expandNames } from './expand-names.ts';
import { emptyEnvironment, isFunction, type TemplateEnvironment, type TemplateName } from './template-environment.ts';

/** What the names of a template stand for at one place of it. */
export interface Definitions {
  /** What is known, the names of the DAG included; those of an imported module as `module.name`. */
  readonly names: ReadonlyMap<string, TemplateName>;
  /** Names that the template sets in a way that is not followed. */
  readonly uncertain: ReadonlySet<string>;
}

interface Definition extends Span {
  readonly names: ReadonlyMap<string, TemplateName>;
}

/** Modules that import one another this deep are not followed. */
const deepestImports = 8;

/**
 * The names known at an offset, for offsets that never go back. Followed are `set`, macros that are one expression with
 * constant text around it, and imports of such, each where it stands on its own and its name is given only once.
 */
export function definitionsOf(
  text: string,
  segments: readonly TemplateSegment[],
  blocks: readonly TemplateBlock[],
  environment: TemplateEnvironment,
): (offset: number) => Definitions {
  const names = new Map(environment.names);
  if (!segments.some(({ kind }) => kind === 'tag')) return () => ({ names, uncertain: new Set() });
  const found = topLevel(segments, blocks).flatMap(({ index, end }) => {
    const [first, last] = [segments[index], segments[end]];
    return first === undefined || last === undefined ? [] : [definition(text, first.start, last.end, environment)];
  });
  const followed = new Set(found.flatMap((entry) => [...entry.names.keys()].map(rootOf)));
  const times = new Map<string, number>();
  for (const name of assignedNames(text, segments, blocks)) times.set(name, (times.get(name) ?? 0) + 1);
  const uncertain = new Set([...times.keys()].filter((name) => times.get(name) !== 1 || !followed.has(name)));
  let next = 0;
  return (offset) => {
    // Before it is set, a name is what the context has.
    for (let entry = found[next]; entry !== undefined && entry.end <= offset; entry = found[++next])
      for (const [name, value] of entry.names)
        if (!uncertain.has(rootOf(name))) names.set(name, closed(value, names, environment));
    return { names, uncertain };
  };
}

const rootOf = (name: string): string => name.split('.')[0] ?? name;

function closed(value: TemplateName, names: ReadonlyMap<string, TemplateName>, environment: TemplateEnvironment) {
  if (!isFunction(value)) return expandNames(value, { names, filters: environment.filters });
  const outer = new Map([...names].filter(([name]) => !value.parameters.some((parameter) => parameter.name === name)));
  return { ...value, body: expandNames(value.body, { names: outer, filters: environment.filters }) };
}

/** For each segment, in how many of the blocks it is, their closing tags included. */
function depths(count: number, blocks: readonly TemplateBlock[]): readonly number[] {
  const changes = new Array<number>(count + 1).fill(0);
  for (const { opening, closing } of blocks) {
    changes[opening.index + 1] = (changes[opening.index + 1] ?? 0) + 1;
    changes[closing.index + 1] = (changes[closing.index + 1] ?? 0) - 1;
  }
  let depth = 0;
  return changes.map((change) => {
    depth += change;
    return depth;
  });
}

/** Tags that define something outside of any block, each with the segment that it ends with. */
function topLevel(segments: readonly TemplateSegment[], blocks: readonly TemplateBlock[]) {
  const inside = depths(segments.length, blocks);
  const opened = new Map(blocks.map((block) => [block.opening.index, block]));
  return segments.flatMap((segment, index) => {
    if (segment.kind !== 'tag' || inside[index] !== 0) return [];
    const block = opened.get(index);
    if (block === undefined) return [{ index, end: index }];
    return block.keyword === 'macro' || block.keyword === 'set' ? [{ index, end: block.closing.index }] : [];
  });
}

function definition(text: string, start: number, end: number, environment: TemplateEnvironment): Definition {
  const nodes = parsed(text.slice(start, end));
  return { start, end, names: new Map(nodes.flatMap((node) => namesOf(node, environment, 0))) };
}

function parsed(text: string): readonly TemplateNode[] {
  try {
    return parseTemplate(text);
  } catch (error) {
    if (error instanceof Refusal) return [];
    throw error;
  }
}

function namesOf(
  node: TemplateNode,
  environment: TemplateEnvironment,
  depth: number,
): readonly (readonly [string, TemplateName])[] {
  switch (node.kind) {
    case 'set': {
      const [name = ''] = node.target.names;
      return node.target.unpacks || node.target.attribute !== undefined ? [] : [[name, node.value]];
    }
    case 'capture': {
      const plain = node.filtered.kind === 'name' && node.filtered.name === capturedName;
      const text = plain ? textOf(node.body) : undefined;
      return node.name === undefined || text === undefined ? [] : [[node.name, text]];
    }
    case 'macro': {
      const body = textOf(node.body);
      return body === undefined ? [] : [[node.name, { parameters: node.parameters, body }]];
    }
    case 'import': {
      const exported = moduleNames(node.path, environment, depth);
      if (typeof node.names === 'string') {
        const prefix = node.names;
        return [...exported].map(([name, value]) => [`${prefix}.${name}`, value]);
      }
      return node.names.flatMap(({ name, as }) => {
        const value = exported.get(name);
        return value === undefined ? [] : [[as, value] as const];
      });
    }
    default:
      return [];
  }
}

function moduleNames(path: string, environment: TemplateEnvironment, depth: number): Map<string, TemplateName> {
  const text = environment.modules.get(path);
  const names = new Map<string, TemplateName>();
  if (text === undefined || depth > deepestImports) return names;
  for (const node of parsed(text))
    for (const [name, value] of namesOf(node, environment, depth + 1)) {
      // Given twice, it depends on where it is asked for.
      if (names.has(name)) return new Map();
      names.set(name, closed(value, names, emptyEnvironment));
    }
  return names;
}

/** Text and expressions side by side as one expression; `undefined` where a tag stands among them. */
function textOf(nodes: readonly TemplateNode[]): JinjaExpression | undefined {
  const at = { start: 0, end: 0 };
  const parts: JinjaExpression[] = [];
  for (const node of nodes) {
    if (node.kind === 'text') {
      if (node.text !== '') parts.push({ kind: 'literal', type: 'string', value: node.text, ...at });
    } else if (node.kind === 'output') parts.push(node.value);
    else return undefined;
  }
  const [only] = parts;
  if (only === undefined) return { kind: 'literal', type: 'string', value: '', ...at };
  if (parts.length > 1) return { kind: 'concat', parts, ...at };
  const none = { positional: [], keyword: [] };
  return { kind: 'filter', operand: only, name: 'string', arguments: none, ...at };
}

const identifiers = (list: string): readonly string[] => list.match(/[\p{L}_][\p{L}\p{N}_]*/gu) ?? [];

/** Every name that a tag outside of macros gives a value to, as often as it does. */
function assignedNames(
  text: string,
  segments: readonly TemplateSegment[],
  blocks: readonly TemplateBlock[],
): readonly string[] {
  const macros = depths(
    segments.length,
    blocks.filter(({ keyword }) => keyword === 'macro'),
  );
  return segments.flatMap((segment, index) => {
    if (segment.kind !== 'tag' || macros[index] !== 0) return [];
    const [, keyword = '', rest = ''] =
      /^\s*(\w+)\s*([\s\S]*)$/.exec(text.slice(segment.inner.start, segment.inner.end)) ?? [];
    switch (keyword) {
      case 'set':
        return identifiers(rest.split(/[=|]/)[0] ?? '').slice(0, rest.split('=')[0]?.includes('.') ? 1 : undefined);
      case 'for':
        return identifiers(rest.split(/\bin\b/)[0] ?? '');
      case 'with':
        return [...rest.matchAll(/([\p{L}_]\w*)\s*=(?!=)/gu)].map(([, name = '']) => name);
      case 'macro':
        return identifiers(rest).slice(0, 1);
      case 'import':
        return identifiers(rest.slice(rest.lastIndexOf(' as ') + 4)).slice(0, 1);
      case 'from':
        return rest
          .slice(rest.lastIndexOf(' import ') + 8)
          .split(',')
          .map((item) => identifiers(item.replace(/\bwith(?:out)?\s+context\b/, '')).at(-1) ?? '');
      default:
        return [];
    }
  });
}
