import { shift } from '../../time/zones/shift.ts';
import { formatTime } from '../bounds/format-time.ts';
import { previousTickNames, stateNames, timeNames } from '../names/time-names.ts';
import { bind, integerArgument, textArgument } from '../python/python-arguments.ts';
import { atInstant } from '../python/python-datetime.ts';
import { dictOf, fromJson, orElse, type PythonArguments, type PythonValue, printed } from '../python/python-value.ts';
import { refuse } from '../python/refusal.ts';
import { macros } from './macros.ts';
import type { AssumedVariable, TemplateContext } from './template-context.ts';

/**
 * The value of a name that Airflow puts into the template context, or a refusal that says why there is none. `assume` is told of
 * each Variable whose default is taken.
 */
export function contextName(
  name: string,
  context: TemplateContext,
  assume: (variable: AssumedVariable) => void,
): PythonValue {
  const time = timeValue(name, context);
  if (time !== undefined) return time;
  switch (name) {
    case 'params':
      return fromJson(context.params);
    case 'var':
      return members('var', { value: variables('value', context, assume), json: variables('json', context, assume) });
    case 'macros':
      return macros;
    case 'dag':
      return members('dag', { dag_id: context.dagId });
    case 'task':
      return members('task', { task_id: context.taskId });
    case 'ti':
    case 'task_instance':
      return members(name, { dag_id: context.dagId, task_id: context.taskId });
    case 'task_instance_key_str':
      return `${context.dagId}__${context.taskId}__${formatTime(context.interval.start, 'basic-date')}`;
    case 'dag_run':
      return {
        kind: 'module',
        name,
        member: (member) =>
          timeValue(`dag_run.${member}`, context) ??
          (member === 'conf' && context.conf !== 'unknown' ? dictOf([]) : undefined) ??
          (member === 'dag_id' ? context.dagId : refuse(unavailable(`dag_run.${member}`))),
      };
    case 'range':
      return { kind: 'function', name, call: range };
    case 'dict':
      return {
        kind: 'function',
        name,
        call: ({ positional, keyword }) =>
          positional.length === 0 ? dictOf([...keyword]) : refuse('dict() of a value'),
      };
    case 'namespace':
      return {
        kind: 'function',
        name,
        call: ({ positional, keyword }) =>
          positional.length === 0 ? { kind: 'namespace', members: new Map(keyword) } : refuse('namespace() of a value'),
      };
    default:
      return refuse(unavailable(name));
  }
}

function unavailable(name: string): string {
  if (stateNames.has(name) || name === 'dag_run.conf')
    return `"${name}" depends on other runs, or on this run in Airflow`;
  if (name === 'conn') return 'connections are never put into a text';
  return `"${name}" is not a name that is known here`;
}

function timeValue(name: string, context: TemplateContext): PythonValue | undefined {
  const { interval, airflowVersion } = context;
  const isPrevious = Object.hasOwn(previousTickNames, name);
  const known = isPrevious ? previousTickNames[name] : Object.hasOwn(timeNames, name) ? timeNames[name] : undefined;
  if (known === undefined) return undefined;
  if (known.removedInAirflow3 && airflowVersion === 3) return refuse(`"${name}" was removed in Airflow 3`);
  if (known.needsNextTick && interval.start === interval.end)
    return refuse(`"${name}" is the next tick, which an empty interval does not tell`);
  const bound = isPrevious
    ? (context.previousTick?.() ?? refuse(`"${name}" is the tick before, and the schedule has none`))
    : known.anchor === 'start'
      ? interval.start
      : interval.end;
  const at = shift(bound, { months: 0, days: known.days, ms: 0 }, 'UTC');
  if (known.type !== 'text') return atInstant(at, 'UTC', known.type === 'object');
  return formatTime(at, known.form) ?? refuse('a year that has not four digits');
}

const members = (name: string, known: Readonly<Record<string, PythonValue>>): PythonValue => ({
  kind: 'module',
  name,
  member: (member) =>
    Object.hasOwn(known, member) ? (known[member] ?? null) : refuse(unavailable(`${name}.${member}`)),
});

/** Airflow's Variables: `var.value.x` is the text as stored, `var.json.x` the JSON in it. */
function variables(
  form: 'value' | 'json',
  context: TemplateContext,
  assume: (variable: AssumedVariable) => void,
): PythonValue {
  const read = (name: string): PythonValue | undefined => {
    if (!Object.hasOwn(context.variables, name)) return undefined;
    const stored = context.variables[name];
    if (form === 'value') {
      if (typeof stored === 'string') return stored;
      return typeof stored === 'number' ? String(stored) : refuse(`the Variable "${name}" is not a text`);
    }
    if (typeof stored !== 'string') return fromJson(stored);
    try {
      return fromJson(JSON.parse(stored));
    } catch {
      return refuse(`the Variable "${name}" is not JSON`);
    }
  };
  const missing = (name: string): never =>
    refuse(
      `the Variable "${name}" has no value here; give it one in backfill.yaml: variables: { ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: VALUE }`,
    );
  const get = (values: PythonArguments): PythonValue => {
    const bound = bind('get', values, ['key', 'default']);
    const key = textArgument('get', bound.get('key'));
    return orElse(read(key), () => {
      const value = orElse(bound.get('default'), () => missing(key));
      assume({ name: key, value: printed(value) });
      return value;
    });
  };
  return {
    kind: 'module',
    name: `var.${form}`,
    member: (name) =>
      name === 'get'
        ? { kind: 'function', name: `var.${form}.get`, call: get }
        : orElse(read(name), () => missing(name)),
  };
}

/** As many items as Jinja2's sandbox allows. */
const longestRange = 100_000;

function range(values: PythonArguments): PythonValue {
  const [first, second, third] = values.positional.map((value) => integerArgument('range', value));
  if (first === undefined || values.keyword.size > 0 || values.positional.length > 3)
    return refuse('range() needs one to three whole numbers');
  const [start, end, step] = second === undefined ? [0, first, 1] : [first, second, third ?? 1];
  if (step === 0) return refuse('range() in steps of zero');
  const count = Math.max(0, Math.ceil((end - start) / step));
  if (count > longestRange) return refuse(`range() of more than ${longestRange} items`);
  return { kind: 'view', items: Array.from({ length: count }, (_, index) => BigInt(start + index * step)) };
}
