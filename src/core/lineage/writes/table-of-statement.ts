import type { TableReference } from '../../sql/model/table-reference.ts';
import { formPatterns } from '../../template/bounds/format-time.ts';
import type { Hole } from '../../template/mask/masked-text.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { NamedPeriod, NamePart, TableNaming } from '../facts/table-naming.ts';
import { readingsOfText } from '../times/template-time.ts';
import { endOfUnit, unitLength } from '../times/time-readings.ts';
import type { TaskStatement } from './task-statements.ts';

/** A table by the name that stands for it everywhere: of tables that are named by the interval, for all of them. */
export interface NamedTable {
  /** `mart.orders`; `mart.orders_<yyyymmdd>` where each interval has a table of its own. */
  readonly name: string;
  /** Set where a run makes the name. */
  readonly naming: TableNaming | undefined;
}

/**
 * The name of a table with what the task's parameters put into it: `{{ params.schema }}.orders`. `undefined`: a part
 * of it is only known when the task runs, and a name is never made of the rest.
 */
export function namedTable(
  table: TableReference,
  { context, params }: Pick<TaskStatement, 'context' | 'params'>,
): NamedTable | undefined {
  if (isBranched(table, context)) return undefined;
  if (!table.templated) return { name: table.name, naming: undefined };
  if (table.name.includes('${')) return undefined;
  const values: { readonly source: string; readonly value: SymbolicValue }[] = [];
  let text = '';
  let at = table.start;
  for (const hole of context.holes) {
    if (hole.end <= table.start || hole.start >= table.end) continue;
    const constant = constantText(hole.value, params);
    if (constant === undefined && !isNaming(hole, params)) return undefined;
    text += context.text.slice(at, hole.start) + (constant ?? `${mark}${values.length}${mark}`);
    if (constant === undefined) values.push({ source: hole.source, value: hole.value });
    at = hole.end;
  }
  const parts: (string | NamePart)[] = [];
  for (const [index, part] of (text + context.text.slice(at, table.end)).split('.').entries()) {
    const own = unquoted(part);
    if (own === undefined || own.text === '') return undefined;
    if (index > 0) parts.push('.');
    for (const [position, piece] of own.text.split(mark).entries()) {
      const value = position % 2 === 1 ? values[Number(piece)] : undefined;
      if (value !== undefined) parts.push({ ...value, folds: own.folds });
      else if (piece !== '') parts.push(piece);
    }
  }
  const name = parts.map((part) => (typeof part === 'string' ? part : `<${labelOf(part)}>`)).join('');
  if (values.length === 0) return { name, naming: undefined };
  return { name, naming: { parts, period: namePeriod(values.map(({ value }) => value)) } };
}

/** `t_{% if … %}eu{% else %}us{% endif %}`: a tag decides a part of the name. */
function isBranched({ start, end }: TableReference, { text, shown }: TaskStatement['context']): boolean {
  const isTag = (at: number): boolean => text.startsWith('{%', at) && !shown.startsWith('{%', at);
  for (let at = text.indexOf('{%', start); at !== -1 && at < end; at = text.indexOf('{%', at + 2)) {
    if (isTag(at)) return true;
  }
  let after = end;
  while (isTag(after)) after = text.indexOf('%}', after) + 2 || text.length;
  if (after > end && nameCharacter.test(text[after] ?? '')) return true;
  const before = text.startsWith('%}', start - 2) ? text.lastIndexOf('{%', start) : -1;
  return before > 0 && isTag(before) && nameCharacter.test(text[before - 1] ?? '');
}

const nameCharacter = /[\w$."]/;

/** `ALTER TABLE mart.t_new RENAME TO t` makes `mart.t`: the reference and the table that it stands for. */
export function renamedTable(
  from: TableReference,
  to: TableReference,
  statement: Pick<TaskStatement, 'context' | 'params'>,
): { readonly written: string; readonly table: NamedTable | undefined } {
  const table = namedTable(to, statement);
  const schema = schemaLength(from.name);
  if (schema === 0 || schemaLength(to.name) > 0) return { written: to.name, table };
  const written = from.name.slice(0, schema) + to.name;
  const before = namedTable(from, statement);
  if (table === undefined || before === undefined) return { written, table: undefined };
  const name = before.name.slice(0, schemaLength(before.name)) + table.name;
  const prefix = schemaParts(before.naming?.parts ?? [before.name]);
  const parts = [...prefix, ...(table.naming?.parts ?? [table.name])];
  if (parts.every((part) => typeof part === 'string')) return { written, table: { name, naming: undefined } };
  return { written, table: { name, naming: { parts, period: (table.naming ?? before.naming)?.period } } };
}

/** Characters before the last part of a name, its dot included; those of template expressions are none of its own. */
const schemaLength = (name: string): number =>
  name.replace(/\{\{.*?\}\}|<.*?>/g, (hole) => '_'.repeat(hole.length)).lastIndexOf('.') + 1;

function schemaParts(parts: TableNaming['parts']): TableNaming['parts'] {
  const last = parts.findLastIndex((part) => typeof part === 'string' && part.includes('.'));
  const text = parts[last];
  return typeof text === 'string' ? [...parts.slice(0, last), text.slice(0, text.lastIndexOf('.') + 1)] : [];
}

/** The name of {@link namedTable} alone. */
export const tableName = (
  table: TableReference,
  statement: Pick<TaskStatement, 'context' | 'params'>,
): string | undefined => namedTable(table, statement)?.name;

/** Stands around the number of an expression; no name has it. */
const mark = '\uE000';

function constantText(value: SymbolicValue, params: TaskStatement['params']): string | undefined {
  const constant =
    value.kind === 'literal'
      ? value.value
      : value.kind === 'parameter' && value.source === 'params' && value.made !== true
        ? params[value.name]
        : undefined;
  return typeof constant === 'string' || typeof constant === 'number' ? String(constant) : undefined;
}

/** A time of the interval, a Variable that the run is given, or what is made of a parameter; what Python puts in is not known before. */
const isNaming = ({ value, origin }: Pick<Hole, 'value' | 'origin'>, params: TaskStatement['params']): boolean =>
  origin === 'template' &&
  (value.kind === 'time' ||
    (value.kind === 'parameter' &&
      (value.source === 'var' ||
        (value.source === 'params' && value.made === true && Object.hasOwn(params, value.name)))));

/** How a name shows what a run puts into it: `yyyymmdd`, `yyyy_mm`, `var.value.mart`. */
function labelOf({ source, value }: NamePart): string {
  if (value.kind !== 'time') return source;
  const { form } = value;
  if (form === 'datetime' || form === 'timestamp') return 'timestamp';
  if (form === 'epoch-seconds') return 'epoch';
  const pattern = typeof form === 'object' ? form.strftime : formPatterns[form];
  return pattern.replace(/%[-#]?(.)/g, (whole, letter: string) => fieldNames[letter] ?? whole).toLowerCase();
}

const fieldNames: Readonly<Record<string, string>> = {
  Y: 'yyyy',
  y: 'yy',
  m: 'mm',
  d: 'dd',
  H: 'hh',
  M: 'mi',
  S: 'ss',
  j: 'ddd',
  V: 'ww',
  G: 'yyyy',
  F: 'yyyy-mm-dd',
};

/** A part of a name as statements name it; `undefined` for what is no name, e.g. a tag between the parts. */
function unquoted(part: string): { readonly text: string; readonly folds: boolean } | undefined {
  const text = part.trim();
  const quoted = /^"([^"]+)"$|^`([^`]+)`$|^\[([^\]]+)\]$/.exec(text);
  if (quoted !== null) return { text: quoted[1] ?? quoted[2] ?? quoted[3] ?? '', folds: false };
  return /^[\w$\uE000-]+$/.test(text) ? { text: text.toLowerCase(), folds: true } : undefined;
}

/** What of time the values in a name stand for together: that of the finest one; `undefined` where none is a time. */
function namePeriod(values: readonly SymbolicValue[]): NamedPeriod | undefined {
  let finest: { readonly days: number; readonly period: NamedPeriod } | undefined;
  for (const value of values) {
    const readings = value.kind === 'time' ? readingsOfText(value) : undefined;
    const [reading] = readings?.readings ?? [];
    if (readings === undefined || reading === undefined) continue;
    // A name that is exact to the moment stands for that moment.
    const unit = readings.unit ?? 'second';
    const end = endOfUnit(readings, unit, [value.kind === 'time' ? (value.zone ?? 'UTC') : 'UTC']).readings[0];
    const { months, days, ms } = unitLength(unit);
    const length = months * 31 + days + ms / 86_400_000;
    if (finest !== undefined && finest.days <= length) continue;
    finest = { days: length, period: { lo: reading.time, hi: (end ?? reading).time } };
  }
  return finest?.period;
}
