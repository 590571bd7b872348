import type { SourceSpan } from '../../../../text/span.ts';
import { iterate } from '../../../python/values/iterate.ts';
import { hostValue } from '../../../python/values/make-value.ts';
import { derivedText, plainText } from '../../../python/values/text-value.ts';
import type { Call, HostObject, Interpreter, TextValue, Value } from '../../../python/values/value.ts';
import { holeOf, joined, literalOf, nameOf, sqlOf } from '../text/sql-parts.ts';

/** An expression over the columns of a frame. */
export interface ColumnHost extends HostObject {
  readonly type: 'spark-column';
  /** In Spark's SQL, without its name. */
  readonly text: TextValue;
  /** The name that it has among the columns that come out. */
  readonly named: TextValue | undefined;
}

export const columnOf = (value: Value | undefined): ColumnHost | undefined =>
  value?.kind === 'host' && value.host.type === 'spark-column' ? (value.host as ColumnHost) : undefined;

/** Comparisons, which stand by themselves in what is put around them. */
const binds = /^[=<>]+$/;

const words: Readonly<Record<string, string>> = {
  '==': '=',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
  '&': 'AND',
  '|': 'OR',
  '+': '+',
  '-': '-',
  '*': '*',
  '/': '/',
  '%': '%',
};

export function column(text: TextValue, named?: TextValue): Value {
  const host: ColumnHost = {
    type: 'spark-column',
    isFree: true,
    text,
    named,
    binary(operator, left, right, _at, run, [leftAt, rightAt]) {
      const word = words[operator];
      if (word === undefined) return undefined;
      const sides = [operandOf(left, leftAt, run), ` ${word} `, operandOf(right, rightAt, run)];
      return column(binds.test(word) ? sqlOf(...sides) : sqlOf('(', ...sides, ')'));
    },
    unary: (operator) => (operator === '~' ? column(sqlOf('NOT (', text, ')')) : undefined),
    attribute: (name) => {
      const method = methods[name];
      return (
        method && hostValue({ type: 'spark-column-method', isFree: true, call: (call, run) => method(host, call, run) })
      );
    },
    item: (key, at, run) => column(sqlOf(text, '[', literalOf(key, at, run), ']')),
  };
  return hostValue(host);
}

/** A side of a comparison: a column, else a value. */
export function operandOf(value: Value, at: SourceSpan, run: Interpreter): TextValue {
  return columnOf(value)?.text ?? literalOf(value, at, run);
}

/** An argument that is the name of a column, or an expression. */
export function columnText(value: Value, at: SourceSpan, run: Interpreter): TextValue {
  const own = columnOf(value);
  if (own !== undefined) return own.text;
  const name = plainText(value);
  if (name === '*') return sqlOf({ text: '*', at });
  if (name !== undefined && value.kind === 'text') return columnName(value, at);
  return holeOf(value, at, run);
}

/** `ds`, `a.ds`: as it stands in the file where it is a name by itself. */
export function columnName(value: TextValue, at: SourceSpan): TextValue {
  const { text } = value.mapped;
  if (/^[A-Za-z_]\w*(?:\.(?:[A-Za-z_]\w*|\*))*$/.test(text)) return value;
  return sqlOf({ text: text.includes('`') ? text : nameOf(text), at });
}

/** Of a list of columns as one name, several, or a list. */
export function columnTexts(call: Call, run: Interpreter, from = 0): readonly TextValue[] {
  return call.positional.slice(from).flatMap((value, index) => {
    const at = call.positionalAt[from + index] ?? call.at;
    const items = value.kind === 'list' ? iterate(value) : undefined;
    if (items === undefined) return [itemText(value, at, run)];
    const found = items.values.map((item) => itemText(item, at, run));
    return items.open ? [...found, holeOf(value, at, run)] : found;
  });
}

/** A column as an item of a list of outputs. */
export function itemText(value: Value, at: SourceSpan, run: Interpreter): TextValue {
  const named = columnOf(value)?.named;
  const text = columnText(value, at, run);
  return named === undefined ? text : sqlOf(text, ' AS ', named);
}

type Method = (self: ColumnHost, call: Call, run: Interpreter) => Value;

const argumentText = (call: Call, index: number, run: Interpreter): TextValue => {
  const value = call.positional[index];
  return value === undefined ? derivedText('NULL') : operandOf(value, call.positionalAt[index] ?? call.at, run);
};

const infix =
  (operator: string): Method =>
  ({ text }, call, run) =>
    column(sqlOf(text, ` ${operator} `, argumentText(call, 0, run)));
const after =
  (words: string): Method =>
  ({ text }) =>
    column(sqlOf(text, ` ${words}`));
const called =
  (name: string): Method =>
  ({ text }, call, run) =>
    column(
      sqlOf(
        `${name}(`,
        joined([text, ...call.positional.map((_, index) => argumentText(call, index, run))], ', '),
        ')',
      ),
    );
const same: Method = ({ text, named }) => column(text, named);

function named({ text }: ColumnHost, call: Call): Value {
  const [name] = call.positional;
  return column(text, name?.kind === 'text' ? columnName(name, call.positionalAt[0] ?? call.at) : undefined);
}

function within({ text }: ColumnHost, call: Call, run: Interpreter): Value {
  const [first] = call.positional;
  const at = call.positionalAt[0] ?? call.at;
  const list = call.positional.length === 1 && first?.kind === 'list' ? first : undefined;
  if (list !== undefined && !list.open)
    return column(
      sqlOf(
        text,
        ' IN (',
        joined(
          list.items.map((item) => operandOf(item, at, run)),
          ', ',
        ),
        ')',
      ),
    );
  if (
    list !== undefined ||
    (call.positional.length === 1 && first !== undefined && first.kind !== 'text' && first.kind !== 'scalar')
  )
    return column(sqlOf(text, ' IN (', holeOf(first as Value, at, run), ')'));
  return column(
    sqlOf(
      text,
      ' IN (',
      joined(
        call.positional.map((_, index) => argumentText(call, index, run)),
        ', ',
      ),
      ')',
    ),
  );
}

function cast({ text, named: name }: ColumnHost, call: Call): Value {
  const [type] = call.positional;
  const word =
    plainText(type) ??
    (type?.kind === 'instance' ? typeNames[type.type.slice(type.type.lastIndexOf('.') + 1)] : undefined);
  return column(word === undefined ? sqlOf('cast_to(', text, ')') : sqlOf('CAST(', text, ` AS ${word})`), name);
}

const typeNames: Readonly<Record<string, string>> = {
  StringType: 'string',
  DateType: 'date',
  TimestampType: 'timestamp',
  IntegerType: 'int',
  LongType: 'bigint',
  DoubleType: 'double',
  FloatType: 'float',
  BooleanType: 'boolean',
};

function otherwise({ text, named: name }: ColumnHost, call: Call, run: Interpreter): Value {
  return column(sqlOf(withoutEnd(text), ' ELSE ', argumentText(call, 0, run), ' END'), name);
}

/** Of `CASE … END` what stands before the END. */
function withoutEnd(text: TextValue): TextValue {
  return { ...text, mapped: { text: text.mapped.text.replace(/ END$/, ''), pieces: text.mapped.pieces } };
}

const methods: Readonly<Record<string, Method>> = {
  alias: named,
  name: named,
  cast,
  astype: cast,
  between: ({ text }, call, run) =>
    column(sqlOf(text, ' BETWEEN ', argumentText(call, 0, run), ' AND ', argumentText(call, 1, run))),
  isin: within,
  isNull: after('IS NULL'),
  isNotNull: after('IS NOT NULL'),
  eqNullSafe: infix('<=>'),
  like: infix('LIKE'),
  rlike: infix('RLIKE'),
  ilike: infix('ILIKE'),
  startswith: called('startswith'),
  endswith: called('endswith'),
  contains: called('contains'),
  substr: called('substr'),
  getItem: ({ text }, call, run) => column(sqlOf(text, '[', argumentText(call, 0, run), ']')),
  getField: called('get_field'),
  asc: after('ASC'),
  desc: after('DESC'),
  asc_nulls_last: after('ASC NULLS LAST'),
  asc_nulls_first: after('ASC NULLS FIRST'),
  desc_nulls_last: after('DESC NULLS LAST'),
  desc_nulls_first: after('DESC NULLS FIRST'),
  when: ({ text }, call, run) =>
    column(sqlOf(withoutEnd(text), ' WHEN ', argumentText(call, 0, run), ' THEN ', argumentText(call, 1, run), ' END')),
  otherwise,
  over: ({ text, named: name }, call) => {
    const [window] = call.positional;
    const spec =
      window?.kind === 'host' && window.host.type === 'spark-window' ? (window.host as WindowHost).text : undefined;
    return column(sqlOf(text, ' OVER (', spec ?? '', ')'), name);
  },
  withField: same,
  dropFields: same,
};

/** `Window.partitionBy(…).orderBy(…)`. */
export interface WindowHost extends HostObject {
  readonly type: 'spark-window';
  readonly text: TextValue;
}

export function windowOf(text: TextValue): Value {
  const clause =
    (words: string) =>
    (call: Call, run: Interpreter): Value =>
      windowOf(sqlOf(text, ` ${words} `, joined(columnTexts(call, run), ', ')));
  const method = (call: (given: Call, run: Interpreter) => Value): Value =>
    hostValue({ type: 'spark-window-method', isFree: true, call });
  const host: WindowHost = {
    type: 'spark-window',
    isFree: true,
    text,
    attribute: (name) =>
      name === 'partitionBy'
        ? method(clause('PARTITION BY'))
        : name === 'orderBy'
          ? method(clause('ORDER BY'))
          : name === 'rowsBetween' || name === 'rangeBetween'
            ? method(() => windowOf(text))
            : undefined,
  };
  return hostValue(host);
}
