import { readdirSync, readFileSync } from 'node:fs';
import { folderFiles } from '../../support/folder-files.ts';

/** A workspace of the project's own, and the files of it that are worth damaging. */
export interface CorpusWorkspace {
  readonly name: string;
  readonly files: ReadonlyMap<string, string>;
  readonly targets: readonly string[];
}

const root = new URL('../../../', import.meta.url);

/** Every workspace that the tests, the guide and the rule pages hold, and the SQL and templates of their own tables. */
export function corpus(): readonly CorpusWorkspace[] {
  const folders = [
    ...subfolders('examples/'),
    ...subfolders('test/fixtures/pipeline/'),
    ...subfolders('test/fixtures/cli/'),
    ...subfolders('test/fixtures/cases/').map((path) => `${path}input/`),
  ];
  const workspaces = [
    ...folders.map((path) => ({ name: path, files: folderFiles(new URL(path, root)) })),
    ...rulePages(),
    ...newestConstructs(),
  ];
  const all = [...workspaces, ...alone('statement', statements()), ...alone('template', templates())];
  return all
    .map(({ name, files }) => ({
      name,
      files,
      targets: [...files.keys()].filter((path) => /\.(?:py|sql|ya?ml)$/.test(path)),
    }))
    .filter(({ targets }) => targets.length > 0);
}

const subfolders = (path: string): readonly string[] =>
  readdirSync(new URL(path, root), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => `${path}${entry.name}/`);

/** Chains of Spark, composed SQL, bodies of procedures, rewrites that are evaluated twice: each a workspace of one file. */
const newestConstructs = (): readonly { readonly name: string; readonly files: ReadonlyMap<string, string> }[] =>
  [...folderFiles(new URL('test/fixtures/fuzz/', root))].map(([path, text]) => ({
    name: `fuzz ${path}`,
    files: new Map([
      [path.endsWith('_dag.py') ? `dags/${path}` : path.endsWith('.py') ? `jobs/${path}` : `sql/${path}`, text],
    ]),
  }));

/** The code blocks of a rule's page, each a workspace of one file. */
function rulePages(): readonly { readonly name: string; readonly files: ReadonlyMap<string, string> }[] {
  const folder = new URL('src/core/lint/rules/', root);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .flatMap((name) => {
      const page = readFileSync(new URL(name, folder), 'utf8');
      return [...page.matchAll(/^```(python|sql)[^\n]*\n([\s\S]*?)^```/gm)].map(([, language, code = ''], index) => ({
        name: `${name} ${index + 1}`,
        files: new Map([[language === 'sql' ? 'sql/page.sql' : 'dags/page.py', code]]),
      }));
    });
}

const json = (path: string): unknown => JSON.parse(readFileSync(new URL(path, root), 'utf8'));

const statements = (): readonly string[] =>
  ['test/fixtures/sql/statements.json', 'test/fixtures/sql/more-statements.json'].flatMap((path) =>
    (json(path) as readonly { readonly sql: string }[]).map(({ sql }) => sql),
  );

const templates = (): readonly string[] =>
  (json('test/fixtures/template/rendered.json') as { readonly entries: readonly [string][] }).entries
    .map(([template]) => template)
    .filter((template) => template.length > 60);

/** Texts as stand-alone SQL files with a schedule, each a workspace of one file. */
const alone = (kind: string, texts: readonly string[]) =>
  texts.map((text, index) => ({
    name: `${kind} ${index + 1}`,
    files: new Map([['sql/alone.sql', `-- backfill: schedule=@daily start=2026-01-01\n${text}`]]),
  }));
