import type { SqlExpression } from '../../sql/model/expression.ts';

/** A member of a document and what it is set to: of `jsonb_set(doc, '{n}', …)`, `jsonb_build_object('n', …)`. */
export interface MemberSet {
  readonly path: string;
  readonly value: SqlExpression;
}

const setting = new Set(['jsonb_set', 'json_set', 'json_replace', 'jsonb_set_lax', 'json_modify']);
const building = new Set(['jsonb_build_object', 'json_build_object', 'json_object', 'object_construct']);
const reading = new Set(['json_extract', 'json_value', 'json_extract_scalar', 'json_unquote', 'json_query']);
const readingParts = new Set(['jsonb_extract_path', 'jsonb_extract_path_text', 'json_extract_path_text']);

/** The members that a call sets; none where a path is no constant. */
export function membersSet(value: SqlExpression & { kind: 'call' }): readonly MemberSet[] {
  const { name, arguments: given } = value;
  const pairs = setting.has(name) ? given.slice(1) : building.has(name) ? given : [];
  const found: MemberSet[] = [];
  for (let at = 0; at + 1 < pairs.length; at += 2) {
    const path = pathOf(pairs[at]);
    const set = pairs[at + 1];
    if (path !== undefined && set !== undefined) found.push({ path, value: set });
  }
  return found;
}

export const setsMembers = ({ name }: { readonly name: string }): boolean => setting.has(name);

/** The path that an expression reads of a document: `doc->'a'->>'b'`, `doc#>>'{a,b}'`, `json_extract(doc, '$.a.b')`. */
export function memberRead(
  one: SqlExpression,
): { readonly document: SqlExpression; readonly path: string } | undefined {
  if (one.kind === 'opaque' && one.parts.length === 1 && one.parts[0] !== undefined) return memberRead(one.parts[0]);
  if (one.kind === 'binary' && /^(->|->>|#>|#>>)$/.test(one.operator)) return joined(one.left, pathOf(one.right));
  if (one.kind !== 'call') return undefined;
  const [document, ...rest] = one.arguments;
  if (document === undefined) return undefined;
  if (one.name === 'json_unquote') return memberRead(document);
  if (reading.has(one.name)) return joined(document, pathOf(rest[0]));
  if (!readingParts.has(one.name)) return undefined;
  const parts = rest.map(pathOf);
  return parts.includes(undefined) ? undefined : joined(document, parts.join('.'));
}

function joined(document: SqlExpression, path: string | undefined): ReturnType<typeof memberRead> {
  if (path === undefined) return undefined;
  const outer = memberRead(document);
  return outer === undefined ? { document, path } : { document: outer.document, path: `${outer.path}.${path}` };
}

/** `{a,b}`, `$.a.b` and `a` in one spelling. */
function pathOf(one: SqlExpression | undefined): string | undefined {
  if (one?.kind === 'cast') return pathOf(one.operand);
  // The arrows bind to the right: `doc->'a'->>'b'`.
  if (one?.kind === 'binary' && /^->>?$/.test(one.operator)) {
    const parts = [pathOf(one.left), pathOf(one.right)];
    return parts.includes(undefined) ? undefined : parts.join('.');
  }
  if (one?.kind !== 'literal' || one.type === 'null') return undefined;
  const text = one.text.trim();
  const list = /^\{(.*)\}$/s.exec(text)?.[1];
  return (list?.split(',').join('.') ?? text.replace(/^\$\.?/, '')).replace(/["\s]/g, '');
}
