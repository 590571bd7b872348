import { columnsOfCut } from '../../../lineage/facts/slice-cut.ts';
import { epochMs } from '../../../warehouse/dialects/postgres/slice-predicate.ts';
import { quoteIdentifier, quoteLiteral } from '../../../warehouse/dialects/spark/quote.ts';
import type { FileTable } from '../../../warehouse/port/file-table.ts';
import { WarehouseError } from '../../../warehouse/port/warehouse-error.ts';
import type { OwnPartitions } from './overwrite.ts';

const dayMs = 86_400_000;

/** Days that are named one by one, where a column tells them as texts or numbers. */
const mostDays = 750;

/**
 * The rows of a slice as a condition over the columns of its table, in a format that replaces rows by one. Throws {@link WarehouseError}
 * where the bounds cannot be said in the type of the column.
 */
export function sliceCondition({ table }: FileTable, { slice, fixed }: Pick<OwnPartitions, 'slice' | 'fixed'>): string {
  const { qualified, columns } = table;
  const typeOf = (asked: string) => {
    const found = columns.find(({ name }) => name.toLowerCase() === asked.toLowerCase());
    if (found === undefined)
      throw cannot(
        `${qualified} has no column ${asked}.`,
        'Mend the column under its writes in backfill.yaml, or the task.',
      );
    return { name: quoteIdentifier(found.name), type: found.type };
  };
  const [from, to] = [slice.from, slice.to].map((iso) => (iso === undefined ? undefined : epochMs(iso)));
  if (from === undefined || to === undefined)
    throw cannot(`The slice of ${qualified} has no bounds.`, 'Declare its slice under its writes in backfill.yaml.');
  const own = columnsOfCut(slice).map(typeOf);
  const [first] = own;
  if (first === undefined)
    throw cannot(`Which rows of ${qualified} are the slice is not known.`, 'Declare its column.');
  const within = own.length > 1 ? partsWithin(own.map(({ name }) => name)) : columnWithin(first);
  const term = within?.(from, to);
  if (term === undefined)
    throw cannot(
      `The slice of ${qualified} from ${slice.from} to ${slice.to} cannot be told by ${own.map(({ name, type }) => `${name} (${type})`).join(', ')}.`,
      'Cut it by a date, a timestamp, or a text or number of whole UTC days; or let its scheduler run the task.',
    );
  const others = Object.entries(fixed).map(([name, value]) => `${typeOf(name).name} = ${quoteLiteral(value)}`);
  return [term, ...others].join(' and ');
}

type Within = (from: number, to: number) => string | undefined;

const iso = (ms: number): string => new Date(ms).toISOString();
const isDay = (ms: number): boolean => ms % dayMs === 0;

function columnWithin({ name, type }: { readonly name: string; readonly type: string }): Within | undefined {
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
  const isText = /^(?:string|varchar|char)/.test(type);
  if (!isText && !/^(?:int|bigint)$/.test(type)) return undefined;
  return (from, to) => {
    if (!isDay(from) || !isDay(to) || (to - from) / dayMs > mostDays) return undefined;
    const days = Array.from({ length: (to - from) / dayMs }, (_, index) => iso(from + index * dayMs).slice(0, 10));
    const plain = days.map((day) => day.replaceAll('-', ''));
    return `${name} in (${isText ? [...days, ...plain].map((day) => quoteLiteral(day)).join(', ') : plain.join(', ')})`;
  };
}

/** Year, month and day, as numbers or texts of them. */
const partsWithin =
  (names: readonly string[]): Within =>
  (from, to) => {
    if (names.length !== 3 || !isDay(from) || !isDay(to)) return undefined;
    const day = `make_date(${names.map((name) => `cast(${name} as int)`).join(', ')})`;
    return `${day} >= date'${iso(from).slice(0, 10)}' and ${day} < date'${iso(to).slice(0, 10)}'`;
  };

const cannot = (message: string, hint: string): WarehouseError => new WarehouseError('other', message, false, { hint });
