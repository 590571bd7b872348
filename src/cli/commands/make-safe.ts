import { type Command, Option } from 'commander';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import type { TaskId } from '../../core/pipeline/model/model.ts';
import { makeSafe } from '../../core/safe/make-safe.ts';
import { plural } from '../../core/text/plural.ts';
import type { TextEdit } from '../../core/text/span.ts';
import { sliceGrants } from '../../core/warehouse/dialects/postgres/ledger/slice-functions-sql.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { checkScope } from '../arguments/check-scope.ts';
import { findTasks } from '../arguments/find-tasks.ts';
import { addWorkspaceOption, openWorkspace, readWorkspace } from '../arguments/workspace-option.ts';
import { confirmRun } from '../connection/confirm-run.ts';
import { refuseLake } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { type MadeSafe, makeSafeJson } from '../reporters/run/make-safe-json.ts';
import { unifiedDiff } from '../reporters/text/unified-diff.ts';
import { reportProblems } from '../terminal/report-problems.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';
import { writeEdits } from '../terminal/write-edits.ts';

interface MakeSafeOptions {
  readonly task?: readonly string[];
  readonly write?: boolean;
  readonly install?: boolean;
  readonly connection?: string;
  readonly workspace?: string;
  readonly confirmTarget?: string;
  readonly format: 'text' | 'json';
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('make-safe')
    .description(
      'put lock, replacement and ledger into the SQL of scheduled tasks, so that a second run changes nothing',
    )
    .argument('[paths...]', 'DAG files, SQL files or folders')
    .option('--task <task...>', 'only these tasks: dag.task, or a SQL file')
    .option('--write', 'change the files; without it the change is printed')
    .option('--install', 'bring the ledger of a database to what such tasks need, and say which rights they need')
    .option('--connection <name>', 'connection of backfill.yaml for --install')
    .option('--confirm-target <name>', 'that name, for --install on a protected one where nobody can type it');
  addWorkspaceOption(command)
    .addOption(new Option('--format <format>', 'how the result is written').choices(['text', 'json']).default('text'))
    .addHelpText(
      'after',
      `
Examples:
  backfill make-safe dags/shop_daily.py                       what would change, as a diff
  backfill make-safe dags --task shop_daily.revenue_daily --write
  backfill make-safe --install --connection warehouse         once for each database

A task that was made safe waits for whoever works on its slice, replaces the slice in one transaction, and records it in
the ledger. Exit code 1 where a task that writes cannot be made safe; the reason is said.`,
    )
    .action((paths: readonly string[], options: MakeSafeOptions) =>
      options.install === true ? install(paths, options, shell) : make(paths, options, shell),
    );
}

async function make(paths: readonly string[], options: MakeSafeOptions, shell: Shell): Promise<void> {
  if (paths.length === 0 && options.workspace === undefined)
    throw new UsageError('say which file: backfill make-safe dags/shop_daily.py', 'a folder will do');
  const scope = checkScope(paths, shell.cwd, options.workspace);
  const workspace = await readWorkspace(scope.root, shell);
  const chosen = scope.choose(workspace.reading);
  const inPaths = [...workspace.facts.tasks].filter(([, { task, pipeline }]) => {
    const places = task.sql.flatMap(({ source }) => source.pieces.map((piece) => piece.source.file));
    return chosen.has(pipeline.file) || places.some((file) => chosen.has(file));
  });
  const named = options.task && new Set(findTasks(options.task, workspace).map(({ id }) => id));
  const absent = [...(named ?? [])].find((id) => !inPaths.some(([one]) => one === id));
  if (absent !== undefined)
    throw new UsageError(
      `${absent} is not in ${paths.join(', ') || options.workspace}`,
      'name the file that it stands in',
    );
  const concerns = workspace.problems.filter(
    ({ at }) => at === undefined || chosen.has(at.file) || scope.isBelow(at.file),
  );
  reportProblems(concerns, workspace.text, shell);
  const made = inPaths
    // A sensor has nothing to make safe, and nothing to complain of; a task that was named has.
    .filter(([id]) => named?.has(id) ?? writes(workspace, id))
    .map(([id]) => ({ id, safe: makeSafe(workspace.facts, id) }));
  report(made, workspace, options, shell);
}

/** Also a table that is only known when the task runs. */
function writes({ facts }: Workspace, id: TaskId): boolean {
  const found = facts.facts.get(id);
  if (found === undefined || found.writes.length > 0) return found !== undefined;
  const isWrite = (kind: string): boolean => ['insert', 'delete', 'update', 'merge'].includes(kind);
  const statements = facts.tasks.get(id)?.task.sql.flatMap(({ reading }) => reading.statements) ?? [];
  return found.unknowns.some(({ about }) => about === 'table-name') && statements.some(({ kind }) => isWrite(kind));
}

function report(made: readonly MadeSafe[], workspace: Workspace, options: MakeSafeOptions, shell: Shell): void {
  const files = new Map<string, Map<string, TextEdit>>();
  for (const { safe } of made) {
    for (const edit of safe.kind === 'edit' ? safe.edits : []) {
      const known = files.get(edit.file) ?? new Map<string, TextEdit>();
      // Tasks that share a text share its edits.
      files.set(edit.file, known.set(JSON.stringify(edit), edit));
    }
  }
  if (options.write === true) {
    const edits = new Map([...files].map(([file, of]) => [file, [...of.values()]]));
    writeEdits(workspace.root, edits, workspace.text);
  }
  const refused = made.filter(({ safe }) => safe.kind === 'refused');
  shell.exit(refused.length > 0 ? exitCodes.findings : exitCodes.done);
  if (options.format === 'json') {
    shell.out(makeSafeJson(made, options.write === true, workspace.text));
    return;
  }
  const { colors } = shell;
  for (const [file, edits] of files) {
    if (options.write === true) shell.out(`${colors.bold(file)} changed\n`);
    else shell.out(unifiedDiff(file, workspace.text(file) ?? '', [...edits.values()], colors));
  }
  for (const { id, safe } of made) {
    if (safe.kind === 'safe') shell.err(`${id} is safe already\n`);
    if (safe.kind !== 'refused') continue;
    shell.err(`${colors.yellow('refused')} ${id}: ${safe.reason}\n  ${colors.green('help')} ${safe.remedy}\n`);
  }
  const edited = made.filter(({ safe }) => safe.kind === 'edit').length;
  if (edited === 0 && made.length === 0) shell.err('no task here writes a table\n');
  if (edited === 0) return;
  const next = 'Each database needs this once: backfill make-safe --install';
  shell.err(
    options.write === true
      ? `${plural(edited, 'task')} made safe. ${next}\n`
      : `${plural(edited, 'task')} to make safe; --write changes the files. ${next}\n`,
  );
}

async function install(
  paths: readonly string[],
  { connection, format, workspace: folder, confirmTarget }: MakeSafeOptions,
  shell: Shell,
): Promise<void> {
  if (paths.length > 0) throw new UsageError('--install changes a database and no file', 'leave the paths out');
  const workspace = await openWorkspace(folder === undefined ? {} : { workspace: folder }, shell);
  await withTarget(workspace, connection, shell, async ({ connection: named, warehouse }) => {
    refuseLake(warehouse, 'make-safe', 'name the connection of the database that the tasks write');
    const { description } = warehouse;
    const confirmed = { yes: true, ...(confirmTarget === undefined ? {} : { confirmTarget }) };
    const refusal = await confirmRun(
      'Make the ledger and its functions',
      { name: named.name, description },
      confirmed,
      shell,
    );
    if (refusal !== undefined) {
      shell.err(`${refusal}\n`);
      return shell.exit(exitCodes.usage);
    }
    const ledger = sqlLedgerStore(warehouse);
    try {
      await ledger.listRuns(1);
    } finally {
      await ledger.close();
    }
    const { target } = warehouse.description;
    const grants = sliceGrants('<role of the scheduler>');
    if (format === 'json') shell.out(`${JSON.stringify({ version: 1, target, grants })}\n`);
    else
      shell.out(
        `the ledger of ${target} is ready for tasks that were made safe\n` +
          `The role that your scheduler connects with needs, beside the rights on its tables:\n${grants.map((grant) => `  ${grant}\n`).join('')}`,
      );
    shell.exit(exitCodes.done);
  });
}
