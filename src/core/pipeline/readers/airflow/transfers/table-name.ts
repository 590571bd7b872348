import { maskTemplate } from '../../../../template/mask/mask.ts';
import { type SymbolicValue, unknownValue } from '../../../../template/names/symbolic-value.ts';
import type { Span } from '../../../../text/span.ts';
import { symbolOf } from '../../../python/values/make-value.ts';
import { sliceText } from '../../../python/values/text-value.ts';
import type { DictValue, TextValue, Value } from '../../../python/values/value.ts';

/** A table as an argument names it: its name, and the partition that is written with it. */
export interface NamedTable {
  readonly table: SymbolicValue;
  readonly partition: SymbolicValue | undefined;
}

/**
 * Reads `shop.orders`, `project:shop.orders$20261128` (BigQuery) and `shop.orders/ds=2026-11-28` (Hive). A name with a
 * part that only the run knows is unknown, unless that part is only the project in front of a schema and a table: two
 * projects are two surroundings of one pipeline, and names are told apart by their ends anyway. `isQuoted`: whoever gets
 * the name puts capitals between quotes, so that they stay.
 */
export function namedTable(value: Value, isQuoted = false): NamedTable {
  if (value.kind === 'dict') return tableReference(value);
  if (value.kind !== 'text') return { table: unknownName(symbolOf(value), isQuoted), partition: undefined };
  const open = openSpans(value);
  const cut = indexOutside(value.mapped.text, /[$/]/g, open);
  const name = cut < 0 ? value : sliceText(value, 0, cut);
  return {
    table: nameOf(name, openSpans(name), isQuoted),
    partition: cut < 0 ? undefined : partitionOf(sliceText(value, cut + 1, value.mapped.text.length)),
  };
}

/** BigQuery's `{"projectId": …, "datasetId": …, "tableId": …}`; the project may be left out or not be known. */
function tableReference(reference: DictValue): NamedTable {
  const [project, dataset, table] = ['projectId', 'datasetId', 'tableId'].map(
    (key) => reference.entries.get(key)?.value,
  );
  const named = table === undefined ? undefined : namedTable(table);
  if (named === undefined || dataset === undefined)
    return { table: unknownValue('a table whose dataset or name is not given'), partition: named?.partition };
  if (named.table.kind !== 'literal') return named;
  const schema = namedTable(dataset).table;
  if (schema.kind !== 'literal') return { ...named, table: schema };
  const outer = project === undefined ? undefined : namedTable(project).table;
  const parts = [...(outer?.kind === 'literal' ? [outer.value] : []), schema.value, named.table.value];
  return { ...named, table: { kind: 'literal', value: parts.join('.') } };
}

/**
 * The value that a partition is named by: of `20261128`, `ds='2026-11-28'`, `ds=2026-11-28` and `{"ds": …}` with one
 * column. Several columns say no single value.
 */
export function partitionOf(value: Value): SymbolicValue {
  if (value.kind === 'dict') {
    const [only, ...others] = [...value.entries.values()];
    return only === undefined || others.length > 0 || value.open
      ? unknownValue('a partition of several columns')
      : partitionOf(only.value);
  }
  if (value.kind !== 'text') return symbolOf(value);
  const open = openSpans(value);
  const { text } = value.mapped;
  const equals = indexOutside(text, /=/g, open);
  if (equals >= 0) {
    const rest = sliceText(value, equals + 1, text.length);
    if (indexOutside(rest.mapped.text, /=/g, openSpans(rest)) >= 0)
      return unknownValue('a partition of several columns');
    const [, before = '', quote = ''] = /^(\s*)(['"]?)/.exec(rest.mapped.text) ?? [];
    const inner = rest.mapped.text.trimEnd();
    const end = quote !== '' && inner.endsWith(quote) ? inner.length - 1 : inner.length;
    return wholeValue(sliceText(rest, before.length + quote.length, end));
  }
  return wholeValue(value);
}

/** A text that is one expression has its value, one without any is itself. */
function wholeValue(value: TextValue): SymbolicValue {
  const { text } = value.mapped;
  const { holes } = maskTemplate(text, value.holes);
  const [only] = holes;
  if (only === undefined) return { kind: 'literal', value: text };
  return holes.length === 1 && only.start === 0 && only.end === text.length
    ? only.value
    : unknownValue(`put together from ${holes.map(({ source }) => source).join(' and ')}`);
}

function nameOf(value: TextValue, open: readonly Span[], isQuoted: boolean): SymbolicValue {
  const { text } = value.mapped;
  const parts: Span[] = [];
  let start = 0;
  for (const match of text.matchAll(/[.:]/g)) {
    if (isInside(match.index, open)) continue;
    parts.push({ start, end: match.index });
    start = match.index + 1;
  }
  parts.push({ start, end: text.length });
  const isKnown = (part: Span): boolean => !open.some((hole) => hole.start < part.end && hole.end > part.start);
  const [first] = parts;
  const known = first !== undefined && !isKnown(first) && parts.length === 3 ? parts.slice(1) : parts;
  if (known.every(isKnown)) {
    const name = known.map((part) =>
      text
        .slice(part.start, part.end)
        .replaceAll(/["`[\]]/g, '')
        .trim(),
    );
    return name.every((part) => part !== '')
      ? { kind: 'literal', value: cased(name.join('.'), isQuoted) }
      : unknownValue('an empty name');
  }
  const { holes } = maskTemplate(text, value.holes);
  const [only] = holes;
  if (only !== undefined && holes.length === 1 && only.start === 0 && only.end === text.length)
    return unknownName(only.value, isQuoted);
  return unknownValue(`its name is put together from ${holes.map(({ source }) => source).join(' and ')}`);
}

const cased = (name: string, isQuoted: boolean): string => (isQuoted ? name : name.toLowerCase());

/** Why a name that is no constant text is not known. */
function unknownName(symbol: SymbolicValue, isQuoted: boolean): SymbolicValue {
  switch (symbol.kind) {
    case 'literal':
      return typeof symbol.value === 'string'
        ? { kind: 'literal', value: cased(symbol.value, isQuoted) }
        : unknownValue(`${String(symbol.value)} is no name`);
    case 'parameter':
      return unknownValue(`its name comes from ${symbol.source} ${symbol.name}`);
    case 'state':
      return unknownValue(`its name comes from ${symbol.name}`);
    case 'clock':
      return unknownValue(`its name comes from the clock (${symbol.name})`);
    case 'time':
      return unknownValue('its name is a time of the run');
    case 'unknown':
      return symbol;
  }
}

const openSpans = (value: TextValue): readonly Span[] => maskTemplate(value.mapped.text, value.holes).holes;

const isInside = (index: number, spans: readonly Span[]): boolean =>
  spans.some(({ start, end }) => start <= index && index < end);

function indexOutside(text: string, pattern: RegExp, spans: readonly Span[]): number {
  for (const { index } of text.matchAll(pattern)) if (!isInside(index, spans)) return index;
  return -1;
}
