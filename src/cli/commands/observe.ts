import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { ensureLedger } from '../../core/ledger/ensure-ledger.ts';
import type { PlannableTask } from '../../core/plan/model/plan-request.ts';
import { judgeObservations, type TableVerdict } from '../../core/run/observed/judge-observations.ts';
import type { TaskLineage } from '../../core/run/observed/lineage-events.ts';
import { lookBack } from '../../core/run/observed/look-back.ts';
import type { Observation } from '../../core/run/observed/observation.ts';
import { observationsOf, saveObservation } from '../../core/run/observed/stored-observations.ts';
import { canWatch } from '../../core/run/observed/watch.ts';
import { observedDeclaration } from '../../core/view/document/observed-declaration.ts';
import { whyNotWatched } from '../../core/view/words/why-not-watched.ts';
import { readableLedgerSql } from '../../core/warehouse/dialects/postgres/ledger/readable-ledger-sql.ts';
import type { Session } from '../../core/warehouse/port/ports.ts';
import { addDeclaration } from '../../node/config/edit/add-declaration.ts';
import { isAddress, resolveEvents } from '../../node/config/resolve-events.ts';
import { reasonOf } from '../../node/files/discover-files.ts';
import { readLineage } from '../../node/files/read-lineage.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { collectedLineage } from '../../orchestrators/open.ts';
import { findTasks } from '../arguments/find-tasks.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { openCarrier } from '../connection/carrier.ts';
import { refuseLake } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { observedJson } from '../reporters/scheduler/observed-json.ts';
import { observedText } from '../reporters/scheduler/observed-text.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';

interface ObserveOptions extends WorkspaceOptions {
  readonly connection?: string;
  readonly scheduler?: string;
  readonly last?: boolean;
  readonly declare?: boolean;
  readonly events?: string;
}

export function register(program: Command, shell: Shell): void {
  addWorkspaceOptions(
    program
      .command('observe')
      .description('say which tables a task was seen to write while it ran, where no file says it')
      .argument('<task>', 'dag.task'),
  )
    .option('--connection <name>', 'connection of backfill.yaml: the database that is looked at')
    .option('--last', 'look at its newest run that ended well first; the server has to keep commit times')
    .option('--scheduler <name>', 'scheduler of backfill.yaml for --last')
    .option(
      '--events <path>',
      'OpenLineage events of its Airflow: a file, or a folder of them; otherwise that of its scheduler in backfill.yaml',
    )
    .option('--declare', 'write what is clear into backfill.yaml')
    .addHelpText(
      'after',
      `
Nothing is run. A unit that a scheduler carries out and whose tables are not known is watched while it runs: counters of all
tables, the rows that were written meanwhile, and who was connected. What is told here rests on its runs so far; a table is
clear where one client alone can have written it, in runs over two intervals or more, with all rows inside of each.

Examples:
  backfill run shop_daily.load_sales --from 2026-11-01 --to 2026-11-04     three runs, watched
  backfill observe shop_daily.load_sales
  backfill observe shop_daily.load_sales --declare
  backfill observe shop_daily.load_sales --events /var/log/airflow/openlineage.json

Exit codes: 0 some table is clear, 1 none is, 2 wrong call.`,
    )
    .action((word: string, options: ObserveOptions) => observe(word, options, shell));
}

async function observe(word: string, options: ObserveOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  const [task, ...more] = findTasks([word], workspace);
  if (task === undefined || more.length > 0)
    throw new UsageError(`${word} is a DAG of several tasks`, 'name one of them: backfill observe dag.task');
  const lineage = await lineageOf(task, options, workspace, shell);
  await withTarget(workspace, options.connection, shell, async ({ warehouse }) => {
    refuseLake(warehouse, 'watching', 'name the connection of a PostgreSQL');
    if (!canWatch(warehouse))
      throw new UsageError(
        `what others write to ${warehouse.description.target} cannot be seen`,
        'a PostgreSQL server of version 14 or newer is wanted; say what the task writes under tasks in backfill.yaml',
      );
    const session = await warehouse.connect('ledger');
    try {
      if (options.last === true) {
        await ensureLedger(warehouse, session);
        const seen = await lastRun(task, options, workspace, session, shell);
        if ('wrong' in seen) return say(seen, shell);
        await saveObservation(session, seen);
      }
      const isThere = (await session.query(readableLedgerSql('observations'))).rows[0]?.[0] === 't';
      const observations = isThere ? await observationsOf(session, task.id) : [];
      const verdicts = judgeObservations(observations, lineage);
      const hasScheduler = workspace.config.schedulers.size > 0;
      const whyNot = whyNotWatched(task.id, workspace.facts);
      const declared = options.declare === true ? declare(task, verdicts, workspace) : undefined;
      shell.out(
        options.format === 'json'
          ? observedJson(task.id, observations, verdicts, { declared, lineage })
          : observedText(task.id, observations, verdicts, { declared, hasScheduler, whyNot, lineage }, shell.colors),
      );
      shell.exit(verdicts.some(({ kind }) => kind === 'clear') ? exitCodes.done : exitCodes.findings);
    } finally {
      await session.close();
    }
  });
}

/** What the events of its Airflow say of the task; `undefined` where none are named. */
async function lineageOf(
  task: PlannableTask,
  { events, scheduler }: ObserveOptions,
  { config, root, facts }: Workspace,
  { env }: Shell,
): Promise<TaskLineage | undefined> {
  // A collector that is named by the way would get a request, and nobody would know whether with a token.
  if (events !== undefined && isAddress(events))
    throw new UsageError('--events takes a file or a folder', 'name a collector under its scheduler in backfill.yaml');
  const place =
    events === undefined ? resolveEvents(config, scheduler, env) : ({ kind: 'files', path: events } as const);
  const known = facts.tasks.get(task.id);
  if (place === undefined || known === undefined) return undefined;
  if ('problem' in place) throw new UsageError(place.problem);
  if (place.kind === 'collector') {
    const { collector } = place;
    return collectedLineage(collector, known.pipeline.id, known.task.name).catch((error: unknown) => {
      throw new UsageError(`the events at ${collector.url} cannot be read: ${reasonOf(error)}`);
    });
  }
  const { path } = place;
  try {
    const found = await readLineage(resolve(root, path), known.pipeline.id, known.task.name);
    if (found !== undefined) return found;
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${reasonOf(error)}`);
  }
  throw new UsageError(
    `there is no file of OpenLineage events at ${path}`,
    'name the log_file_path of the transport of its Airflow: [openlineage] transport = {"type": "file", "log_file_path": …}',
  );
}

function say({ wrong, hint }: { readonly wrong: string; readonly hint: string }, shell: Shell): void {
  const { red, green } = shell.colors;
  shell.err(`${red('error')} ${wrong}\n  ${green('help')} ${hint}\n`);
  shell.exit(exitCodes.findings);
}

async function lastRun(
  task: PlannableTask,
  options: ObserveOptions,
  workspace: Workspace,
  session: Session,
  shell: Shell,
): Promise<Observation | { readonly wrong: string; readonly hint: string }> {
  const known = workspace.facts.tasks.get(task.id);
  if (known === undefined || known.pipeline.format !== 'airflow')
    throw new UsageError(`${task.id} is not a task of an Airflow DAG`, '--last asks the Airflow of its DAG');
  const scheduler = await openCarrier(workspace, options.scheduler, shell);
  const looked = { dag: known.pipeline.id, name: known.task.name, task: task.id };
  return lookBack(looked, scheduler, session, shell.clock, (state) => shell.err(`${state}\n`));
}

/** Gives the file that was written; `undefined` where nothing is clear. Throws {@link UsageError} where it cannot be. */
function declare(task: PlannableTask, verdicts: readonly TableVerdict[], workspace: Workspace): string | undefined {
  const draft = observedDeclaration(task.id, verdicts);
  if (draft.writes.length === 0) return undefined;
  const { file } = workspace.config;
  const path = join(workspace.root, file);
  try {
    const added = addDeclaration(existsSync(path) ? readFileSync(path, 'utf8') : undefined, draft);
    if ('wrong' in added) throw new UsageError(added.wrong);
    writeFileSync(path, added.text);
    return file;
  } catch (error) {
    if (error instanceof UsageError) throw error;
    throw new UsageError(`${file} is not written: ${reasonOf(error)}`);
  }
}
