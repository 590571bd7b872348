import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import { quoteIdentifier, quoteLiteral } from '../../../warehouse/dialects/spark/quote.ts';
import type { FileTable } from '../../../warehouse/port/file-table.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { OwnPartitions } from './overwrite.ts';
import { isUnitStart, nextUnit, timeUnitOf } from './time-unit.ts';

const dayMs = 86_400_000;

/** Days or hours that are named one by one, where texts or numbers tell them. */
const mostNamed = 750;

/** What of a slice its condition is made of. */
export interface ConditionOf extends Pick<OwnPartitions, 'fixed'> {
  readonly slice: Pick<OwnPartitions['slice'], 'column' | 'cut' | 'from' | 'to'>;
}

/**
 * The rows of a slice as a condition over the columns of its table, in a format that replaces rows by one. Throws {@link WarehouseError}
 * where the bounds cannot be said in the type of the column.
 */
export function sliceCondition({ table }: FileTable, { slice, fixed }: ConditionOf): string {
  const { qualified, columns } = table;
  const typeOf = (asked: string) => {
    const found = columns.find(({ name }) => name.toLowerCase() === asked.toLowerCase());
    if (found === undefined)
      throw cannot(
        `${qualified} has no column ${asked}.`,
        'Mend the column under its writes in backfill.yaml, or the task.',
      );
    return found;
  };
  const [from, to] = [slice.from, slice.to].map((iso) => (iso === undefined ? undefined : epochMs(iso)));
  if (from === undefined || to === undefined)
    throw cannot(`The slice of ${qualified} has no bounds.`, 'Declare its slice under its writes in backfill.yaml.');
  const own = columnsOfCut(slice).map(typeOf);
  const [first] = own;
  if (first === undefined)
    throw cannot(`Which rows of ${qualified} are the slice is not known.`, 'Declare its column.');
  const within = own.length > 1 ? partsWithin(own) : columnWithin(first);
  const term = within?.(from, to);
  if (term === undefined)
    throw cannot(
      `The slice of ${qualified} from ${slice.from} to ${slice.to} cannot be told by ${own.map(({ name, type }) => `${name} (${type})`).join(', ')}.`,
      'Cut it by a date, a timestamp, or a text or number of whole UTC days; or let its scheduler run the task.',
    );
  const others = Object.entries(fixed).map(([name, value]) => isFixed(typeOf(name), value));
  return [term, ...others].join(' and ');
}

interface Column {
  readonly name: string;
  readonly type: string;
}

type Within = (from: number, to: number) => string | undefined;

const iso = (ms: number): string => new Date(ms).toISOString();
const isDay = (ms: number): boolean => ms % dayMs === 0;

function columnWithin(column: Column): Within | undefined {
  const { type } = column;
  const name = quoteIdentifier(column.name);
  if (type === 'date')
    return (from, to) =>
      isDay(from) && isDay(to)
        ? `${name} >= date'${iso(from).slice(0, 10)}' and ${name} < date'${iso(to).slice(0, 10)}'`
        : undefined;
  // Our own sessions are in UTC, where both types of timestamps read alike.
  if (/^timestamp/.test(type))
    return (from, to) => {
      const word = type === 'timestamp_ntz' ? 'timestamp_ntz' : 'timestamp';
      const [lower, upper] = [from, to].map((ms) => `${word}'${iso(ms).slice(0, -1).replace('T', ' ')}'`);
      return `${name} >= ${lower} and ${name} < ${upper}`;
    };
  const isOfText = isText(type);
  if (!isOfText && !/^(?:int|bigint)$/.test(type)) return undefined;
  return (from, to) => {
    if (!isDay(from) || !isDay(to) || (to - from) / dayMs > mostNamed) return undefined;
    const days = Array.from({ length: (to - from) / dayMs }, (_, index) => iso(from + index * dayMs).slice(0, 10));
    const plain = days.map((day) => day.replaceAll('-', ''));
    return `${name} in (${isOfText ? [...days, ...plain].map((day) => quoteLiteral(day)).join(', ') : plain.join(', ')})`;
  };
}

/** Year, month, day and hour as numbers or texts of them, each time named: a format need not know what is made of several columns. */
const partsWithin =
  (columns: readonly Column[]): Within =>
  (from, to) => {
    const unit = timeUnitOf(columns.length);
    if (!isUnitStart(unit, from) || !isUnitStart(unit, to)) return undefined;
    const terms: string[] = [];
    for (let at = from; at < to; at = nextUnit(unit, at)) {
      if (terms.length === mostNamed) return undefined;
      const parts = iso(at).split(/[-T:]/);
      terms.push(`(${columns.map((column, index) => isPart(column, parts[index] ?? '')).join(' and ')})`);
    }
    return terms.length === 1 ? terms[0] : `(${terms.join(' or ')})`;
  };

/** One of the parts of a time, which texts write with a zero in front or without. */
function isPart({ name: plain, type }: Column, value: string): string {
  const name = quoteIdentifier(plain);
  if (!isText(type)) return `${name} = ${Number(value)}`;
  return `${name} in (${[...new Set([value, String(Number(value))])].map(quoteLiteral).join(', ')})`;
}

const isFixed = ({ name, type }: Column, value: string): string =>
  `${quoteIdentifier(name)} = ${isText(type) || !/^-?\d+$/.test(value) ? quoteLiteral(value) : value}`;

const isText = (type: string): boolean => /^(?:string|varchar|char)/.test(type);

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
