import { clockNames } from '../../../../template/names/time-names.ts';
import type { SourceSpan } from '../../../../text/span.ts';
import { hostValue, unknown } from '../../../python/values/make-value.ts';
import { asRendered, plainText } from '../../../python/values/text-value.ts';
import { contextTime } from '../../../python/values/time-symbol.ts';
import type { Interpreter, Value } from '../../../python/values/value.ts';

/** What Airflow hands to a Python task under a name: `ds`, `data_interval_start`, `params`, `dag_run` … */
export function contextParameter(name: string): Value | undefined {
  const time = contextTime(name);
  if (time !== undefined) return { kind: 'symbol', symbol: time };
  if (name === 'params') return namespace('params');
  if (name === 'dag_run') return dagRun;
  if (name === 'task') return operatorItself;
  if (name === 'ti' || name === 'task_instance') return taskInstance;
  if (/^prev_/.test(name) || name === 'run_id') return { kind: 'symbol', symbol: { kind: 'state', name } };
  if (name === 'var') return hostValue({ type: 'var', attribute: () => namespace('var') });
  return undefined;
}

/**
 * The context as a dict: `kwargs['ds']`, `context["logical_date"]`, `get_current_context()`. `own` are the arguments
 * that the task gives beside it.
 */
export function contextObject(own?: ReadonlyMap<string, Value>): Value {
  const item = (key: Value): Value => {
    const name = plainText(key);
    const known = name === undefined ? undefined : (own?.get(name) ?? contextParameter(name));
    return known ?? unknown(`${name ?? 'an entry'} of the context`);
  };
  return hostValue({
    type: 'context',
    item,
    attribute: (name) => (name === 'get' || name === 'pop' ? getter(item) : undefined),
  });
}

const getter = (item: (key: Value) => Value): Value =>
  hostValue({ type: 'getter', call: ({ positional: [key] }) => (key === undefined ? unknown('no key') : item(key)) });

function namespace(source: 'params' | 'var' | 'conf'): Value {
  const named = (name: string): Value => ({ kind: 'symbol', symbol: { kind: 'parameter', source, name } });
  const item = (key: Value): Value => named(plainText(key) ?? 'a parameter');
  return hostValue({
    type: source,
    item,
    attribute: (name) => (name === 'get' ? getter(item) : named(name)),
  });
}

/** When the run, or its try, began: another moment when it is cleared. */
const startOfRun = (name: string, at: SourceSpan, run: Interpreter): Value =>
  unknown(`${name} is when the run began`, [run.clockSite(at, name)]);

const dagRun: Value = hostValue({
  type: 'dag_run',
  attribute(name, at, run) {
    if (name === 'conf') return namespace('conf');
    if (clockNames.has(`dag_run.${name}`)) return startOfRun(`dag_run.${name}`, at, run);
    const time = contextTime(`dag_run.${name}`);
    return { kind: 'symbol', symbol: time ?? { kind: 'state', name: `dag_run.${name}` } };
  },
});

/** `context["task"].render_template(…)`: what it gives is the template, which is read as one. */
const operatorItself: Value = hostValue({
  type: 'operator',
  attribute: (name) =>
    name === 'render_template'
      ? hostValue({
          type: 'render_template',
          // Airflow 1 has the name of the attribute first.
          call: ({ positional: [first, second] }) => {
            const template = second?.kind === 'text' ? second : first;
            return template === undefined ? unknown('no template is given') : asRendered(template);
          },
        })
      : undefined,
});

const taskInstance: Value = hostValue({
  type: 'task_instance',
  attribute: (name, at, run) =>
    clockNames.has(`ti.${name}`)
      ? startOfRun(`ti.${name}`, at, run)
      : name === 'xcom_pull'
        ? hostValue({
            type: 'xcom_pull',
            call: () => ({ kind: 'symbol', symbol: { kind: 'state', name: 'xcom_pull' } }),
          })
        : undefined,
});
