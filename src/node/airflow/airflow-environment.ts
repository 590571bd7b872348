import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { moduleRoots } from '../../core/pipeline/python/library/module-path.ts';

/** What Airflow is told so that it only loads files: no examples, an empty database and logs in a temporary folder. */
export function airflowEnvironment(
  own: NodeJS.ProcessEnv,
  folder: string,
  root: string,
  {
    variables,
    deployed = {},
    environment = {},
  }: {
    readonly variables: Readonly<Record<string, unknown>>;
    readonly deployed?: Readonly<Record<string, string>>;
    readonly environment?: Readonly<Record<string, string>>;
  },
): NodeJS.ProcessEnv {
  const database = `sqlite:///${join(folder, 'airflow.db').replaceAll('\\', '/')}`;
  const plugins = ['plugins', 'airflow/plugins'].map((path) => join(root, path)).find((path) => existsSync(path));
  const dags = ['dags', 'airflow/dags'].map((path) => join(root, path)).find((path) => existsSync(path)) ?? root;
  const configuration = join(root, 'airflow.cfg');
  const told = own.AIRFLOW_HOME !== undefined || own.AIRFLOW_CONFIG !== undefined;
  return {
    ...Object.fromEntries(
      Object.entries(variables).map(([name, value]) => [
        `AIRFLOW_VAR_${name.toUpperCase()}`,
        typeof value === 'string' ? value : JSON.stringify(value),
      ]),
    ),
    ...deployed,
    ...own,
    ...(own.AIRFLOW_HOME === undefined && { AIRFLOW_HOME: folder }),
    ...(!told && existsSync(configuration) && { AIRFLOW_CONFIG: configuration }),
    AIRFLOW__CORE__DAGS_FOLDER: dags,
    ...(plugins !== undefined && { AIRFLOW__CORE__PLUGINS_FOLDER: plugins }),
    AIRFLOW__CORE__LOAD_EXAMPLES: 'False',
    AIRFLOW__DATABASE__SQL_ALCHEMY_CONN: database,
    AIRFLOW__CORE__SQL_ALCHEMY_CONN: database,
    AIRFLOW__LOGGING__BASE_LOG_FOLDER: join(folder, 'logs'),
    AIRFLOW__LOGGING__DAG_PROCESSOR_MANAGER_LOG_LOCATION: join(folder, 'logs', 'dag_processor_manager.log'),
    // Folders of the workspace stay as they are.
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUTF8: '1',
    ...environment,
  };
}

/** Where DAG files import from, besides what the user's `PYTHONPATH` says: as the static reading looks. */
export function pythonFolders(root: string, files: readonly string[]): readonly string[] {
  const parents = new Set<string>();
  for (const file of files)
    for (let slash = file.lastIndexOf('/'); slash > 0; slash = file.lastIndexOf('/', slash - 1)) {
      const folder = file.slice(0, slash);
      // A folder inside a package is reached through the package.
      if (!existsSync(join(root, folder, '__init__.py'))) parents.add(folder);
    }
  const usual = moduleRoots.filter((path) => existsSync(join(root, path)));
  return [...new Set([...usual, '', ...parents])].map((path) => join(root, path));
}
