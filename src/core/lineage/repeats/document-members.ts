import type { SqlExpression } from '../../sql/model/expression.ts';
import type { RowScope } from './row-scope.ts';

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

/**
 * What `||` does to a value: of objects it sets members, once more the same ones; to a text, to an array and to a document that
 * is one it adds. `json`: a document of either sort.
 */
export type Joined = 'object' | 'grows' | 'json';

const growing =
  /^(?:jsonb?_agg|jsonb?_build_array|json_array(?:agg)?|array_\w+|string_agg|listagg|group_concat|concat(?:_ws)?|format|to_char|upper|lower|initcap|l?trim|rtrim|btrim|left|right|substr(?:ing)?|replace|md5|repeat|lpad|rpad|string_to_array|regexp_\w+)$/;
const objects = /object|hstore|row_to_json|^jsonb?_set|^jsonb_insert|^to_document$/;
const passing = /^(?:coalesce|ifnull|nvl|nullif|max|min|any_value|first_value|last_value)$/;
const documentName =
  /(^|_)(jsonb?|attr(ibute)?s|prop(ertie)?s|meta(data)?|payload|settings|config|params|extras?|options|labels|details|data|doc(ument)?|hstore)(_|$)/;

/** What `||` makes of an expression beside it, by its type, what it stands for, or as a last resort its name; `undefined`: not known. */
export function joinedAs(
  one: SqlExpression,
  scope: Pick<RowScope, 'own' | 'follow' | 'text'>,
  typeOf: (own: string) => string | undefined,
): Joined | undefined {
  const again = (next: SqlExpression): Joined | undefined => joinedAs(next, scope, typeOf);
  const first = (all: readonly SqlExpression[]): Joined | undefined =>
    all.map(again).find((known) => known !== undefined);
  switch (one.kind) {
    case 'column': {
      const own = scope.own(one);
      const byType = joinedByType(own === undefined ? undefined : typeOf(own));
      if (byType !== undefined && byType !== 'json') return byType;
      const followed = own === undefined ? scope.follow(one) : [];
      const stands = followed
        .map((next) => joinedAs(next.expression, next.scope, typeOf))
        .find((known) => known !== undefined);
      return stands ?? (documentName.test(one.name) ? 'object' : byType);
    }
    case 'cast':
      return one.operand.kind === 'literal' || joinedByType(one.type) === 'json'
        ? (again(one.operand) ?? joinedByType(one.type))
        : joinedByType(one.type);
    case 'literal':
      if (one.type !== 'string') return one.type === 'null' ? undefined : 'grows';
      if (/^\{.*:.*\}$/s.test(one.text.trim())) return 'object';
      // An empty object, or an empty array.
      return /^\{.*\}$/s.test(one.text.trim()) ? undefined : 'grows';
    case 'call': {
      const name = one.name.slice(one.name.lastIndexOf('.') + 1).toLowerCase();
      if (passing.test(name)) return first(one.arguments);
      if (growing.test(name)) return 'grows';
      return objects.test(name) ? 'object' : /json/.test(name) ? 'json' : undefined;
    }
    case 'case':
      return first(one.parts.filter((_, index) => one.roles[index] === 'then' || one.roles[index] === 'else'));
    case 'binary':
      if (one.operator === '||') return first([one.left, one.right]);
      return one.operator === '->' ? 'json' : one.operator === '->>' ? 'grows' : undefined;
    case 'opaque': {
      if (/^(?:array|\[)/i.test(scope.text.slice(one.start, one.start + 6))) return 'grows';
      return one.parts.length === 1 ? first(one.parts) : undefined;
    }
    default:
      return undefined;
  }
}

function joinedByType(type: string | undefined): Joined | undefined {
  if (type === undefined) return undefined;
  if (/\[\s*\d*\s*\]|\barray\b/i.test(type)) return 'grows';
  if (/^(?:\w+\.)?hstore\b/i.test(type)) return 'object';
  if (/^jsonb?\b/i.test(type)) return 'json';
  return /^(?:text|citext|(?:n?var)?char|character|bpchar|string|bytea|bit|name|clob)/i.test(type)
    ? 'grows'
    : undefined;
}
