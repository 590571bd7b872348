import { plural } from '../../../../text/plural.ts';
import type { FileSet } from '../../../model/model.ts';
import type { Unread } from '../../../model/table-access.ts';
import { folderOf } from '../../../python/library/module-path.ts';
import { plainText } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { foldersWithTemplate } from './template-file.ts';

/** What is said of a template file that is in none of the folders in which Airflow looks, and where the workspace has it. */
export function missingTemplate(
  path: string,
  searchPath: Value | undefined,
  { files, file }: { readonly files: FileSet; readonly file: string },
): { readonly unread: Pick<Unread, 'reason' | 'searchPath'>; readonly problem?: string } {
  const given = searchPath?.kind === 'list' ? searchPath.items : searchPath === undefined ? [] : [searchPath];
  const folders = given.flatMap((folder) => plainText(folder) ?? []);
  const having = foldersWithTemplate(files, path);
  const [only] = having;
  const absolute = folders.find((folder) => folder.startsWith('/'));
  if (having.length === 1 && only !== undefined) {
    const looked = [folderOf(file) || '.', ...folders].join(', ');
    const reason = `the file ${path} is not where Airflow looks for it (${looked}), but in ${only === '.' ? 'the folder of the workspace' : only}: where the scheduler finds it there, say template_searchpath of its DAG under dags in backfill.yaml`;
    const problem = `The file ${path} was not found beside the DAG file or along template_searchpath; the workspace has it in ${only}. Add that folder to template_searchpath, in the file or under dags in backfill.yaml.`;
    return { unread: { reason, searchPath: [...folders, only] }, problem };
  }
  const several =
    having.length > 1
      ? `; the workspace has ${plural(having.length, 'file')} of that path, in ${having.join(', ')}`
      : '';
  // What the scheduler's machine has, or a task before writes there, is no fault of the workspace.
  if (absolute !== undefined)
    return {
      unread: {
        reason: `the file ${path} is looked for in ${absolute}, which the workspace does not have: a task may write it there, or its folder is to be added to template_searchpath${several}`,
      },
    };
  return {
    unread: {
      reason: `the file ${path} is not ${several === '' ? 'in the workspace' : `where Airflow looks for it${several}`}`,
    },
    problem: `The file ${path} was not found beside the DAG file or along template_searchpath. Add its folder to template_searchpath, or correct the path.`,
  };
}
