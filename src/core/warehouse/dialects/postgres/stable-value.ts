import { quoteIdentifier } from './quote.ts';

/** A type as the catalog describes it; see `describeTypesSql`. */
export interface TypeRow {
  readonly oid: string;
  readonly name: string;
  readonly short: string;
  /** pg_type.typtype: b(ase), c(omposite), d(omain), e(num), r(ange), m(ultirange), p(seudo). */
  readonly kind: string;
  readonly base: string;
  readonly element: string;
  readonly array: boolean;
  readonly sendable: boolean;
  readonly builtIn: boolean;
  readonly fields: readonly { readonly name: string; readonly typeOid: string }[] | null;
}

export interface StableValue {
  /** SQL over the value; `%` stands for it. Several for a composite, one a field, after a flag that tells NULL. */
  readonly expressions: readonly string[];
  readonly textual: boolean;
}

/** Deeper nesting than this is compared as text; no real table has it. */
const maxDepth = 8;

/**
 * How to read a value so that its binary form is a function of the value alone. `record_send` writes type oids, which
 * differ between databases for types of the user's own, so these are read as built-in types: enums as text, domains as
 * their base type, composites field by field. What has no binary form is read as text under pinned settings.
 */
export function stableValue(typeOid: string, types: ReadonlyMap<string, TypeRow>, at = '%', depth = 0): StableValue {
  const asText: StableValue = { expressions: [`(${at})::pg_catalog.text`], textual: true };
  const type = types.get(typeOid);
  if (type === undefined || depth > maxDepth) return asText;
  if (type.kind === 'e') return { expressions: [`(${at})::pg_catalog.text`], textual: false };
  if (type.kind === 'd') {
    const base = types.get(type.base);
    if (base === undefined) return asText;
    return stableValue(base.oid, types, `(${at})::${base.name}`, depth + 1);
  }
  if (type.kind === 'c') {
    const fields = (type.fields ?? []).map((field) =>
      stableValue(field.typeOid, types, `(${at}).${quoteIdentifier(field.name)}`, depth + 1),
    );
    return {
      expressions: [`pg_catalog.num_nulls(${at})`, ...fields.flatMap((field) => field.expressions)],
      textual: fields.some((field) => field.textual),
    };
  }
  if (type.array) return stableArray(type, types, at) ?? asText;
  if (!type.sendable || ((type.kind === 'r' || type.kind === 'm') && !type.builtIn)) return asText;
  return { expressions: [at], textual: false };
}

function stableArray(type: TypeRow, types: ReadonlyMap<string, TypeRow>, at: string): StableValue | undefined {
  let element = types.get(type.element);
  for (let depth = 0; element?.kind === 'd' && depth < maxDepth; depth++) element = types.get(element.base);
  if (element === undefined) return undefined;
  if (element.kind === 'e') return { expressions: [`(${at})::pg_catalog.text[]`], textual: false };
  if (!element.sendable || element.array || element.kind === 'c' || !element.builtIn) return undefined;
  const cast = element.oid === type.element ? at : `(${at})::${element.name}[]`;
  return { expressions: [cast], textual: false };
}
