import { existsSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import type { WorkspaceFacts } from '../../core/lineage/facts/workspace-facts.ts';
import { makeTaskSql } from '../../core/pipeline/model/make-task-sql.ts';
import { type DialectName, dialectNames } from '../../core/sql/model/dialect-name.ts';
import { statementJson } from '../../core/sql/statement-json.ts';
import { lineIndex } from '../../core/text/line-index.ts';
import { wholeFile } from '../../core/text/mapped-text.ts';
import type { Problem } from '../../core/text/span.ts';
import { draftDeclaration } from '../../core/view/document/draft-declaration.ts';
import { declarationYaml } from '../../node/config/edit/add-declaration.ts';
import { readText } from '../../node/files/disk-files.ts';
import { didYouMean } from '../../node/nearest-names.ts';
import { type AirflowOptions, addAirflowOptions, airflowToAsk } from '../arguments/airflow-option.ts';
import { type CheckScope, checkScope } from '../arguments/check-scope.ts';
import { problemsIn } from '../arguments/problems-in.ts';
import { addWorkspaceOption, readWorkspace } from '../arguments/workspace-option.ts';
import { showJson } from '../reporters/show/show-json.ts';
import { factsOf, type ShowReport } from '../reporters/show/show-report.ts';
import { showStatementsText } from '../reporters/show/show-statements-text.ts';
import { showText } from '../reporters/show/show-text.ts';
import { showUnknownText } from '../reporters/show/show-unknown-text.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';
import { showStale } from './show-stale.ts';

interface ShowOptions extends AirflowOptions {
  readonly format: 'text' | 'json';
  readonly statements?: boolean;
  readonly unknown?: boolean;
  readonly declare?: string;
  readonly stale?: boolean;
  readonly connection?: string;
  readonly dialect: DialectName;
  readonly workspace?: string;
}

const examples = `
Examples:
  backfill show                                  what was understood of the pipelines below this folder
  backfill show dags/orders.py --format json
  backfill show --unknown                        only what is not known, and what to put into backfill.yaml
  backfill show --stale                          slices whose code or inputs changed since they were made
  backfill show --declare orders.export          the entry of backfill.yaml for one task
  backfill show load.sql --statements --dialect snowflake`;

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('show')
    .description('show pipelines, tasks, slices and read windows as they are understood')
    .argument('[path]', 'a file or folder (default: the pipelines below this folder)')
    .addOption(new Option('--format <format>', 'how it is written').choices(['text', 'json']).default('text'))
    .option('--unknown', 'only what is not known, and the entries of backfill.yaml that settle it')
    .option('--declare <task>', 'print the entry of backfill.yaml that settles what is not known of one task')
    .option('--stale', 'slices in the database that a run would now make otherwise, as far as its ledger knows')
    .option('--connection <name>', 'connection of backfill.yaml, with --stale')
    .option('--statements', 'each statement of one SQL file, as it is understood')
    .addOption(
      new Option('--dialect <dialect>', 'dialect of the SQL file, with --statements')
        .choices(dialectNames)
        .default('postgres'),
    );
  addAirflowOptions(addWorkspaceOption(command))
    .addHelpText('after', examples)
    .action((path: string | undefined, options: ShowOptions) => {
      if (options.statements) return showStatements(path ?? '.', options, shell);
      const scope = checkScope(path === undefined ? [] : [path], shell.cwd, options.workspace);
      return options.stale ? showStale(scope.root, options, shell) : showPipelines(scope, options, shell);
    });
}

async function showPipelines(scope: CheckScope, options: ShowOptions, shell: Shell): Promise<void> {
  if (options.declare !== undefined && options.format === 'json')
    throw new UsageError('--declare prints an entry of backfill.yaml', 'leave --format json out');
  const workspace = await readWorkspace(scope.root, shell, airflowToAsk(options, shell));
  const chosen = scope.choose(workspace.reading);
  const shown = {
    facts: workspace.facts,
    pipelines: workspace.facts.pipelines.filter(({ file }) => chosen.has(file)),
    problems: problemsIn(workspace, scope, chosen),
    text: workspace.text,
    fileName: scope.toShown,
  };
  if (options.declare !== undefined) {
    const task = knownTask(options.declare, workspace.facts);
    const isKnown = workspace.facts.facts.get(task)?.unknowns.length === 0;
    const draft = draftDeclaration(task, workspace.facts);
    shell.out(isKnown ? `# nothing is unknown of ${task}\n` : declarationYaml([draft]));
  } else if (options.format === 'json') shell.out(showJson(options.unknown ? onlyUnknown(shown) : shown));
  else if (options.unknown) shell.out(showUnknownText(shown, shell.colors));
  else {
    shell.out(showText(shown, shell.colors));
    const moved = shown.problems.map(({ at, ...rest }) => ({
      ...rest,
      at: at && { ...at, file: scope.toShown(at.file) },
    }));
    reportProblems(moved, (file) => workspace.text(scope.fromShown(file)), shell, 'info');
  }
  shell.exit(exitCodes.done);
}

function knownTask(task: string, { tasks }: WorkspaceFacts): string {
  if (tasks.has(task)) return task;
  throw new UsageError(`there is no task ${task}${didYouMean(task, tasks.keys())}`);
}

/** The report with those tasks alone of which something is not known. */
function onlyUnknown(report: ShowReport): ShowReport {
  const pipelines = report.pipelines.map((pipeline) => ({
    ...pipeline,
    tasks: pipeline.tasks.filter((task) => factsOf(report, task).unknowns.length > 0),
  }));
  return { ...report, pipelines: pipelines.filter(({ tasks }) => tasks.length > 0) };
}

function showStatements(path: string, options: ShowOptions, shell: Shell): void {
  const file = resolve(shell.cwd, path);
  if (!existsSync(file)) throw new UsageError(`there is no file ${path}`);
  if (statSync(file).isDirectory()) throw new UsageError(`${path} is a folder`, '--statements wants one SQL file');
  if (file.endsWith('.py'))
    throw new UsageError(`${path} is a Python file`, 'its tasks are shown without --statements');
  const unread: Problem[] = [];
  const text = readText(dirname(file), basename(file), unread);
  if (text === undefined) throw new UsageError(`${path} is ${unread[0]?.message ?? 'not read'}`);
  const { reading } = makeTaskSql(wholeFile(path, text), [], options.dialect, 'file');
  const lines = lineIndex(text);
  const statements = reading.statements.map((statement) => statementJson(statement, lines));
  shell.out(
    options.format === 'json'
      ? `${JSON.stringify({ version: 1, statements }, null, 2)}\n`
      : showStatementsText(statements, shell.colors),
  );
  const problems = reading.problems.map(({ message, start, end }) => ({
    message,
    at: { file: path, start, end },
    severity: 'warning' as const,
  }));
  reportProblems(problems, () => text, shell);
  shell.exit(exitCodes.done);
}
