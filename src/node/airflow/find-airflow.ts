import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/**
 * Virtual environments with an Airflow in or right below a folder, and the active one. Found by their files; nothing
 * is run.
 */
export function findAirflow(root: string, env: NodeJS.ProcessEnv): readonly string[] {
  const children = foldersOf(root);
  const grandchildren = children.filter((folder) => !folder.endsWith('node_modules')).flatMap(foldersOf);
  const active = env.VIRTUAL_ENV?.split(delimiter)[0];
  const found = [...children, ...grandchildren, ...(active === undefined ? [] : [active])].filter(hasAirflow);
  return [...new Set(found)];
}

function hasAirflow(folder: string): boolean {
  if (!existsSync(join(folder, 'pyvenv.cfg'))) return false;
  const libraries = [
    join(folder, 'Lib', 'site-packages'),
    ...foldersOf(join(folder, 'lib')).map((python) => join(python, 'site-packages')),
  ];
  return libraries.some((library) => existsSync(join(library, 'airflow', '__init__.py')));
}

function foldersOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
