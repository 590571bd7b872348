import { FollowedFile } from '../../src/core/pipeline/python/interpreter.ts';
import { takeSyntaxTree } from '../../src/core/pipeline/python/syntax/syntax-tree.ts';
import { symbolOf } from '../../src/core/pipeline/python/values/make-value.ts';
import type { Host, Value } from '../../src/core/pipeline/python/values/value.ts';
import { loadPythonParser } from '../../src/node/python-parser.ts';
import { fileSetOf } from './folder-files.ts';

const parser = await loadPythonParser();

const noHost: Host = {
  callExternal: () => undefined,
  externalItem: () => undefined,
  callMethod: () => undefined,
  callUnknown: () => undefined,
  construct: () => undefined,
  shift: () => undefined,
  decorate: () => undefined,
};

/** Follows `main.py` beside other files; gives the names that it defines. */
export function followPython(main: string, others: Readonly<Record<string, string>> = {}): ReadonlyMap<string, Value> {
  const files = new Map(Object.entries({ ...others, 'main.py': main }));
  const parse = (_: string, text: string) => takeSyntaxTree(parser.parse(text));
  const run = new FollowedFile(fileSetOf(files), noHost, parse);
  return run.execute('main.py', main, parse('main.py', main)).names;
}

/** A value in words: constants as JSON, containers with brackets, everything else by kind and reason. */
export function valueInWords(value: Value | undefined): string {
  if (value === undefined) return 'undefined';
  switch (value.kind) {
    case 'scalar':
      return JSON.stringify(value.value);
    case 'text':
      return value.holes.length === 0
        ? JSON.stringify(value.mapped.text)
        : `${JSON.stringify(value.mapped.text)} with ${value.holes.map((hole) => `${hole.source}=${hole.value.kind}`).join(', ')}`;
    case 'list':
      return `${value.tuple ? '(' : '['}${[...value.items.map(valueInWords), ...(value.open ? ['…'] : [])].join(', ')}${value.tuple ? ')' : ']'}`;
    case 'dict':
      return `{${[...[...value.entries].map(([key, entry]) => `${key}: ${valueInWords(entry.value)}`), ...(value.open ? ['…'] : [])].join(', ')}}`;
    case 'datetime':
      return `${new Date(value.wall).toISOString().slice(0, value.dateOnly ? 10 : 19)}${value.zone === undefined ? '' : ` ${value.zone}`}`;
    case 'duration':
      return `${value.offset.months}mo ${value.offset.days}d ${value.offset.ms}ms`;
    case 'zone':
      return value.zone;
    case 'path':
      return `path ${value.path}`;
    case 'unknown':
      return `unknown: ${value.reason}${value.clocks.length > 0 ? ` [${value.clocks.map((clock) => clock.name).join(', ')}]` : ''}`;
    case 'symbol': {
      const symbol = symbolOf(value);
      return symbol.kind === 'parameter' ? `${symbol.source} ${symbol.name}` : symbol.kind;
    }
    default:
      return value.kind;
  }
}
