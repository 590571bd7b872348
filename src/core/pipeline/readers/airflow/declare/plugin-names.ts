import type { Interpreter, Value } from '../../../python/values/value.ts';

/** Airflow's own modules of operators, sensors and hooks; any other is one that a plugin makes. */
const ownModule =
  /^airflow\.(?:operators|sensors|hooks|macros|executors)\.(?:bash|python|empty|dummy|email|branch|datetime|generic_transfer|latest_only|smooth|sql|subdag|trigger_dagrun|weekday|base|dbapi|filesystem|subprocess|external_task|date_time|time_delta|time_sensor|hdfs|http|s3|hive|mysql|postgres|sqlite|mssql|oracle|presto|slack|docker|jdbc|druid|pig|redshift|check|executor_loader|\w+_(?:operator|operators|sensor|hook|transfer|check|executor))$/;

const pluginFolder = /(?:^|\/)plugins\/(?:[^/]+\/)*[^/]+\.py$/;

/**
 * `from airflow.operators.house_plugin import LoadOperator`, `from airflow.operators import LoadOperator`: Airflow 1
 * makes a module of each plugin, with the classes that its `operators`, `hooks` or `sensors` list.
 */
export function pluginName(module: string, name: string, run: Interpreter): Value | undefined {
  const [, kind, plugin] = /^airflow\.(operators|sensors|hooks|macros)(?:\.(\w+))?$/.exec(module) ?? [];
  if (kind === undefined || ownModule.test(module)) return undefined;
  for (const path of run.files.paths()) {
    if (!pluginFolder.test(path) || run.files.read(path)?.includes('AirflowPlugin') !== true) continue;
    const names = run.module(path)?.names.values() ?? [];
    for (const owner of names) {
      if (owner.kind !== 'class' || !owner.bases.some(isPlugin)) continue;
      const given = owner.frame.names.get('name');
      const isNamed = plugin === undefined || (given?.kind === 'text' && given.mapped.text === plugin);
      // Sensors are listed among the operators too.
      const lists = isNamed ? [owner.frame.names.get(kind), owner.frame.names.get('operators')] : [];
      for (const list of lists)
        for (const item of list?.kind === 'list' ? list.items : [])
          if ((item.kind === 'class' || item.kind === 'function') && item.name === name) return item;
    }
  }
  return undefined;
}

const isPlugin = (base: Value): boolean => base.kind === 'external' && base.name.endsWith('AirflowPlugin');
