import { previousTickNames, stateNames, timeNames } from './time-names.ts';

const others: ReadonlySet<string> = new Set([
  ...['params', 'var', 'conn', 'macros', 'dag', 'task', 'ti', 'task_instance', 'task_instance_key_str', 'dag_run'],
  ...['conf', 'test_mode', 'inlets', 'outlets', 'expanded_ti_count', 'map_index_template', 'templates_dict'],
]);

/** Whether some Airflow puts a name into the template context, where it beats what a DAG calls so. */
export const isContextName = (name: string): boolean =>
  others.has(name) || Object.hasOwn(timeNames, name) || stateNames.has(name) || previousTickNames.has(name);
