import { clockCalls, randomCalls } from '../names/time-names.ts';
import { formatted } from '../python/datetime-methods.ts';
import { bind, integerArgument, textArgument } from '../python/python-arguments.ts';
import { addedToDate, dateOf, midnight, replacedReading } from '../python/python-datetime.ts';
import { type PythonArguments, type PythonValue, str, truthy } from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';
import { strptime } from '../python/strptime.ts';
import { jsonText } from '../python/to-json.ts';

const callable = (name: string, call: (values: PythonArguments) => PythonValue): PythonValue => ({
  kind: 'function',
  name,
  call,
});

/** A module of `macros` that has these members only; clock and random calls are refused as what they are. */
function module(
  name: string,
  members: Readonly<Record<string, PythonValue>>,
  call?: (values: PythonArguments) => PythonValue,
): PythonValue {
  const member = (wanted: string): PythonValue => {
    const found = Object.hasOwn(members, wanted) ? members[wanted] : undefined;
    if (found !== undefined) return found;
    const dotted = `${name}.${wanted}`;
    if (clockCalls.has(dotted)) return refuse(`${dotted}() reads the clock: a rerun would give another result`);
    if (randomCalls.has(dotted)) return refuse(`${dotted}() is random: a rerun would give another result`);
    return refuse(`"${dotted}" is not supported`);
  };
  return call === undefined ? { kind: 'module', name, member } : { kind: 'module', name, member, call };
}

function dsAdd(values: PythonArguments): PythonValue {
  const bound = bind('ds_add', values, ['ds', 'days']);
  const ds = bound.get('ds') ?? refuse('ds_add() without a date');
  const days = bound.get('days') ?? refuse('ds_add() without a number of days');
  if (!truthy(days)) return str(ds);
  const parsed = strptime(str(ds), '%Y-%m-%d');
  return formatted(midnight(addedToDate(dateOf(parsed), 0, integerArgument('ds_add', days))), '%Y-%m-%d');
}

function dsFormat(values: PythonArguments): PythonValue {
  const bound = bind('ds_format', values, ['ds', 'input_format', 'output_format']);
  const ds = bound.get('ds') ?? refuse('ds_format() without a date');
  const parsed = strptime(str(ds), textArgument('ds_format', bound.get('input_format')));
  return formatted(parsed.reading, textArgument('ds_format', bound.get('output_format')));
}

const microsecondsOf = {
  days: 86_400_000_000n,
  seconds: 1_000_000n,
  microseconds: 1n,
  milliseconds: 1000n,
  minutes: 60_000_000n,
  hours: 3_600_000_000n,
  weeks: 604_800_000_000n,
} as const;

function timedelta(values: PythonArguments): PythonValue {
  let microseconds = 0n;
  for (const [unit, amount] of bind('timedelta', values, Object.keys(microsecondsOf)))
    microseconds += microsecondsOf[unit as keyof typeof microsecondsOf] * BigInt(integerArgument('timedelta', amount));
  return { kind: 'timedelta', microseconds };
}

const relativeUnits = ['years', 'months', 'weeks', 'days', 'hours', 'minutes', 'seconds'] as const;
const absoluteUnits = ['year', 'month', 'day', 'hour', 'minute', 'second', 'microsecond'] as const;

function relativedelta(values: PythonArguments): PythonValue {
  if (values.positional.length > 0) return refuse('relativedelta() of two dates');
  const bound = bind('relativedelta', values, [...relativeUnits, ...absoluteUnits]);
  const amount = (unit: (typeof relativeUnits)[number]): number =>
    bound.has(unit) ? integerArgument('relativedelta', bound.get(unit)) : 0;
  const fields = new Map(
    absoluteUnits
      .filter((unit) => bound.has(unit))
      .map((unit) => [unit as string, integerArgument('relativedelta', bound.get(unit))]),
  );
  return {
    kind: 'relativedelta',
    months: amount('years') * 12 + amount('months'),
    days: amount('weeks') * 7 + amount('days'),
    ms: amount('hours') * 3_600_000 + amount('minutes') * 60_000 + amount('seconds') * 1000,
    fields,
  };
}

function newDatetime(values: PythonArguments): PythonValue {
  const bound = bind('datetime', values, absoluteUnits);
  const fields = new Map([...bound].map(([unit, value]) => [unit, integerArgument('datetime', value)]));
  if (!fields.has('year') || !fields.has('month') || !fields.has('day'))
    return refuse('datetime() without year, month and day');
  return {
    kind: 'datetime',
    reading: { ...replacedReading({ wallMs: 0, microseconds: 0, offsetMs: undefined }, fields), offsetMs: undefined },
    zone: undefined,
    pendulum: false,
  };
}

function fromIsoformat(values: PythonArguments): PythonValue {
  const text = textArgument('fromisoformat', bind('fromisoformat', values, ['date_string']).get('date_string'));
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return strptime(text, '%Y-%m-%d');
  if (/^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}$/.test(text))
    return strptime(text.replace(' ', 'T'), '%Y-%m-%dT%H:%M:%S');
  const [, naive] = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})\+00:00$/.exec(text) ?? [];
  if (naive === undefined) return refuse(`fromisoformat("${text}")`);
  const parsed = strptime(naive, '%Y-%m-%dT%H:%M:%S');
  return { ...parsed, reading: { ...parsed.reading, offsetMs: 0 }, zone: 'UTC' };
}

const parsedDatetime = callable('macros.datetime.strptime', (values) => {
  const bound = bind('strptime', values, ['date_string', 'format']);
  return strptime(textArgument('strptime', bound.get('date_string')), textArgument('strptime', bound.get('format')));
});

/** Airflow's `macros`, as far as a rerun gives the same result. */
export const macros: PythonValue = module('macros', {
  ds_add: callable('macros.ds_add', dsAdd),
  ds_format: callable('macros.ds_format', dsFormat),
  timedelta: callable('macros.timedelta', timedelta),
  datetime: module(
    'macros.datetime',
    { strptime: parsedDatetime, fromisoformat: callable('macros.datetime.fromisoformat', fromIsoformat) },
    newDatetime,
  ),
  dateutil: module('macros.dateutil', {
    relativedelta: module('macros.dateutil.relativedelta', {
      relativedelta: callable('macros.dateutil.relativedelta.relativedelta', relativedelta),
    }),
  }),
  json: module('macros.json', {
    dumps: callable('macros.json.dumps', (values) =>
      jsonText(bind('dumps', values, ['obj']).get('obj') ?? refuse('dumps() of nothing'), false),
    ),
  }),
  time: module('macros.time', {}),
  uuid: module('macros.uuid', {}),
});
