import type { MaskedText } from '../../template/mask/masked-text.ts';
import type { Span } from '../../text/span.ts';
import { lex } from '../lex/lexer.ts';
import type { Token } from '../lex/token.ts';

/** What a statement does to the schemas in which PostgreSQL looks for names without one. */
export type PathChange =
  | { readonly kind: 'set'; readonly schemas: readonly string[]; readonly local: boolean }
  /** Back to what the session began with. */
  | { readonly kind: 'reset' }
  /** To something that the text does not say. */
  | { readonly kind: 'unknown' };

const mayChange = /\bsearch_path\b|\bset\s+(?:(?:session|local)\s+)?schema\b|\breset\s+all\b|\bdiscard\s+all\b/i;

/** How a statement of PostgreSQL changes the search path of its session; `undefined`: not at all. */
export function pathChange(text: MaskedText, span: Span = { start: 0, end: text.text.length }): PathChange | undefined {
  const own = text.text.slice(span.start, span.end);
  if (!mayChange.test(own)) return undefined;
  const holes = text.holes
    .filter((hole) => hole.start >= span.start && hole.end <= span.end)
    .map((hole) => ({ ...hole, start: hole.start - span.start, end: hole.end - span.start }));
  const { tokens } = lex({ text: own, holes, tags: [], problem: undefined }, 'postgres');
  const code = tokens.filter(({ kind }) => kind !== 'terminator');
  const words = code.map(({ kind, text: word }) => (kind === 'word' ? word : ''));
  if (words[0] === 'reset' || words[0] === 'discard')
    return words[1] === 'all' || words[1] === 'search_path' ? { kind: 'reset' } : undefined;
  if (words[0] !== 'set') return configured(code);
  const scope = words[1] === 'session' || words[1] === 'local' ? 1 : 0;
  const local = words[1] === 'local';
  const name = words[1 + scope];
  if (name === 'schema') return listed(code.slice(2 + scope), local);
  return name === 'search_path' ? listed(code.slice(3 + scope), local) : undefined;
}

function listed(values: readonly Token[], local: boolean): PathChange {
  const [only] = values;
  if (values.length === 1 && only?.kind === 'word' && only.text === 'default') return { kind: 'reset' };
  const schemas: string[] = [];
  for (const [index, { kind, text }] of values.entries()) {
    if (index % 2 === 1) {
      if (text !== ',') return { kind: 'unknown' };
    } else if (kind === 'word' || kind === 'quoted' || kind === 'string') schemas.push(text);
    else return { kind: 'unknown' };
  }
  return schemas.length === 0 ? { kind: 'unknown' } : { kind: 'set', schemas, local };
}

/** `select set_config('search_path', 'mart', false)`. */
function configured(code: readonly Token[]): PathChange | undefined {
  const at = code.findIndex(
    ({ kind, text }, index) => kind === 'word' && text === 'set_config' && code[index + 1]?.text === '(',
  );
  const [name, , value, , local] = code.slice(at + 2);
  if (at < 0 || (name?.kind === 'string' && name.text.toLowerCase() !== 'search_path')) return undefined;
  if (name?.kind !== 'string' || value?.kind !== 'string' || code[at + 5]?.text !== ',') return { kind: 'unknown' };
  return { kind: 'set', schemas: schemasOf(value.text), local: local?.text === 'true' };
}

/** The schemas of a search path as a setting holds it: `"$user", mart`. */
export const schemasOf = (path: string): readonly string[] =>
  [...path.matchAll(/"((?:[^"]|"")*)"|([^\s,"]+)/g)].map(([, quoted, plain]) =>
    quoted === undefined ? (plain ?? '').toLowerCase() : quoted.replaceAll('""', '"'),
  );

/** A search path as a setting holds it. */
export const pathText = (schemas: readonly string[]): string =>
  schemas.map((schema) => `"${schema.replaceAll('"', '""')}"`).join(', ');
