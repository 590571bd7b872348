import type { Command } from 'commander';
import { withFindings } from '../../core/plan/findings/plan-findings.ts';
import { makePlan } from '../../core/plan/make-plan.ts';
import type { Plan, PlanFinding, UnitId } from '../../core/plan/model/plan.ts';
import type { PlanRequest } from '../../core/plan/model/plan-request.ts';
import { planJson } from '../../core/plan/plan-json.ts';
import { batchFindings } from '../../core/run/batch/batch-findings.ts';
import type { CarriedBy } from '../../core/run/jobs/make-carried-job.ts';
import { type PreparedJobs, prepareJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { withoutOthers } from '../../core/run/partitioned/check-lake.ts';
import { assumedVariables } from '../../core/run/preflight/assumed-variables.ts';
import { planFileText } from '../../core/run/reviewed/plan-file-text.ts';
import type { JobRefusal } from '../../core/run/unit/job-refusal.ts';
import { airflowCommands } from '../../core/scheduler/commands/airflow-commands.ts';
import { digest } from '../../node/digest.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { didYouMean } from '../../node/nearest-names.ts';
import { placesOf, unitOptions } from '../../node/run-setup.ts';
import { type AirflowOptions, addAirflowOptions } from '../arguments/airflow-option.ts';
import { addOrderOption, addSelectionOptions, planRequest, type SelectionOptions } from '../arguments/selection.ts';
import { sessionOf } from '../arguments/session-of.ts';
import { titleOf } from '../arguments/title-of.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { zoneOf } from '../arguments/zone-of.ts';
import { askDatabase, askWarehouse } from '../connection/ask-database.ts';
import { addCarrierOptions, askCarrier, type CarrierOptions, carriedBy, carriedView } from '../connection/carrier.ts';
import { describeTarget, realTargetOf, taskPlaces } from '../connection/describe-target.ts';
import { joinDatabase, joinWarehouse } from '../connection/join-database.ts';
import { type PlanNow, planFileNow } from '../connection/plan-file-now.ts';
import { reportPlanProblems } from '../connection/report-plan-problems.ts';
import { reportRefusals } from '../connection/report-refusals.ts';
import { connectionName, refuseLake, toName } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { commandsText } from '../reporters/run/commands-text.ts';
import { findingLines, planText } from '../reporters/run/plan-text.ts';
import { type OutputFile, outputFile } from '../terminal/output-file.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';

interface PlanOptions extends SelectionOptions, WorkspaceOptions, AirflowOptions, CarrierOptions {
  readonly connection?: string;
  readonly units?: boolean;
  readonly statements?: boolean;
  readonly offline?: boolean;
  readonly commands?: boolean;
  readonly out?: string;
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('plan')
    .description('show which intervals would run again, in which order and why; nothing is run')
    .argument('<task...>', 'dag.task, a SQL file, or a DAG for all of its tasks');
  addCarrierOptions(addAirflowOptions(addWorkspaceOptions(addOrderOption(addSelectionOptions(command)))))
    .option('--connection <name>', 'connection of backfill.yaml that it would run on')
    .option('--units', 'list every unit with its reasons')
    .option('--statements', 'print the SQL of every unit as it would be sent')
    .option('--commands', 'print the airflow commands that carry it out, in order; nothing else is printed')
    .option('--offline', 'do not ask the database, about other runs on these intervals and the like')
    .option(
      '--out <file>',
      'write the plan to a file that is reviewed and run unchanged with: backfill run --plan FILE',
    )
    .addHelpText(
      'after',
      `
Examples:
  backfill plan shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream
  backfill plan shop_daily.orders_clean --logical-dates 2026-11-01..2026-11-30
  backfill plan shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream --out plan.json
  backfill plan sql/daily.sql --from 2026-11-28 --to 2026-11-29 --format json
  backfill plan shop_daily --from 2026-11-01 --to 2026-12-01 --commands`,
    )
    .action((words: string[], options: PlanOptions) => plan(words, options, shell));
}

async function plan(words: readonly string[], options: PlanOptions, shell: Shell): Promise<void> {
  const out = options.out === undefined ? undefined : outputFile(options.out, 'plan', shell);
  const read = await openWorkspace(options, shell);
  const request = planRequest(words, options, read, shell);
  if (options.connection !== undefined) knownConnection(options.connection, read);
  const ofFiles = makePlan(read.tasks, request);
  const name = connectionName(read, options.connection, taskPlaces(ofFiles), shell.env);
  if (out !== undefined && options.offline !== true) {
    // What is to be run unchanged is planned as a run would plan it, also in a database that serves one process.
    return withTarget(read, name, shell, async (target) => {
      refuseLake(target.warehouse, 'a plan file', 'plan without --out, and run the same selection');
      const workspace = await joinWarehouse(read, target, shell);
      const ask: AskPlan = (planned, { jobs }) =>
        askWarehouse(target.warehouse, planned, jobs, toName(read, target.connection));
      const made = await showPlan({ workspace, name, request, ask }, options, shell);
      const { connection, warehouse } = target;
      const at = { connection: connection.name, target: warehouse.description.target, warehouse };
      await writePlan(out, { workspace, request, plan: made, title: titleOf(words, options), ...at }, options, shell);
    });
  }
  const { workspace, reached } =
    options.offline === true ? { workspace: read, reached: false } : await joinDatabase(read, name, shell);
  const ask: AskPlan = async (planned, prepared) =>
    reached ? askDatabase(workspace, name, planned, prepared, shell) : [];
  const made = await showPlan({ workspace, name, request, ask }, options, shell);
  if (out === undefined) return;
  const target = name === undefined ? undefined : await realTargetOf(workspace, name, shell);
  if (name === undefined || target === undefined)
    throw new UsageError('a plan file says on which database it runs', 'add a connection to backfill.yaml');
  const at = { connection: name, target, warehouse: undefined };
  await writePlan(out, { workspace, request, plan: made, title: titleOf(words, options), ...at }, options, shell);
}

/** What the database has against a plan. */
type AskPlan = (planned: Plan, prepared: PreparedJobs) => Promise<readonly PlanFinding[]>;

async function showPlan(
  {
    workspace,
    name,
    request,
    ask,
  }: {
    readonly workspace: Workspace;
    readonly name: string | undefined;
    readonly request: PlanRequest;
    readonly ask: AskPlan;
  },
  options: PlanOptions,
  shell: Shell,
): Promise<Plan> {
  const planned = makePlan(workspace.tasks, request);
  reportPlanProblems(workspace, planned, shell);
  const given = carriedBy(workspace, planned, options, shell);
  const prepared = jobsOf(planned, name, workspace, given, shell);
  const refusals = refusalsOf(planned, prepared);
  reportRefusals(refusals, workspace, shell);
  const asked =
    given && options.offline !== true ? await askCarrier(workspace, given, planned, prepared, shell) : undefined;
  const made = withFindings(planned, [
    ...assumedVariables(planned, workspace.facts, workspace.config),
    ...batchFindings(planned, prepared.jobs),
    ...(await ask(planned, prepared)),
  ]);
  const stopped = made.findings.some(({ severity }) => severity === 'error');
  const steps = options.commands === true && !stopped ? airflowCommands(made, workspace.facts.tasks) : undefined;
  if (options.format === 'json') {
    const json = planJson(made);
    const units = json.units.map((unit) => ({ ...unit, statements: sentBy(unit.id, prepared) }));
    const commands = steps?.map((step) => step.commands);
    shell.out(
      `${JSON.stringify({ ...json, ...(options.statements === true && { units }), ...(commands && { commands }) })}\n`,
    );
  } else if (options.commands === true) {
    const against = made.findings.filter(({ severity }) => severity !== 'info');
    const lines = findingLines({ ...made, findings: against }, shell.colors, isOnFiles(name, workspace.config));
    if (lines.length > 0) shell.err(`${lines.join('\n')}\n`);
    if (steps === undefined) shell.err('no command is printed: the plan cannot be started\n');
    else shell.out(commandsText(steps, made.units, workspace.facts.tasks));
  } else {
    const target = await describeTarget(workspace, options.connection, made, prepared.jobs.values(), shell);
    const view = {
      plan: made,
      zone: zoneOf(workspace.tasks),
      session: sessionOf(workspace),
      target,
      carried: given && carriedView(asked?.checked.jobs ?? prepared.jobs, asked?.scheduler, given.scheduler),
      units: options.units ?? false,
      width: shell.columns,
      onFiles: isOnFiles(name, workspace.config),
    };
    shell.out(planText(view, shell.colors));
    for (const note of asked?.checked.notes ?? []) shell.out(`note: ${note}\n`);
    if (options.statements === true) shell.out(sentText(made, prepared));
  }
  const isBroken = workspace.problems.some(
    ({ severity, at }) => severity === 'error' && (at === undefined || at.file === workspace.config.file),
  );
  const isRefused = refusals.some(({ code }) => unrunnable.has(code));
  shell.exit(stopped || isBroken || isRefused ? exitCodes.findings : exitCodes.done);
  return made;
}

/** Refusals that no option of a run and no other connection lifts. */
const unrunnable: ReadonlySet<JobRefusal['code']> = new Set([
  'not-rendered',
  'no-slice',
  'no-statements',
  'no-snapshot',
]);

async function writePlan(out: OutputFile, now: PlanNow, { out: file }: PlanOptions, shell: Shell): Promise<void> {
  if (now.plan.findings.some(({ severity }) => severity === 'error')) {
    shell.err(`nothing was written to ${file}: the plan cannot be started\n`);
    return;
  }
  const written = out.write(planFileText(await planFileNow(now, shell), digest));
  if (written) shell.err(`written to ${file}; once it was reviewed: backfill run --plan ${file}\n`);
  else shell.exit(exitCodes.findings);
}

function knownConnection(name: string, { config: { connections } }: Workspace): void {
  if (connections.has(name)) return;
  throw new UsageError(`there is no connection ${name}${didYouMean(name, connections.keys())}`);
}

/** What a run on this connection would run, and what it would refuse. */
function jobsOf(
  plan: Plan,
  connection: string | undefined,
  { config, facts }: Workspace,
  given: CarriedBy | undefined,
  { env }: Shell,
): PreparedJobs {
  const setting = {
    run: 'plan',
    variables: config.variables,
    params: config.params,
    carriedBy: given,
    // What the database has against the plan depends on them as what its units do.
    options: unitOptions(
      config,
      (connection === undefined ? undefined : config.connections.get(connection)?.settings) ?? {},
    ),
  };
  const placeOf = connection === undefined ? () => undefined : placesOf(config, connection, env);
  return withoutOthers(prepareJobs(plan, facts, config.declared, setting, placeOf));
}

const isOnFiles = (connection: string | undefined, { connections }: Workspace['config']): boolean =>
  connection !== undefined && connections.get(connection)?.engine === 'spark';

/** Refusals that findings of the plan do not say. */
function refusalsOf(plan: Plan, { refused }: PreparedJobs): readonly JobRefusal[] {
  const runnable = plan.units.filter(
    ({ executor, blockedBy }) => executor.kind === 'warehouse' && blockedBy === undefined,
  );
  return runnable.flatMap(({ id }) => refused.get(id) ?? []);
}

const sentBy = (unit: UnitId, { jobs }: PreparedJobs): readonly string[] =>
  jobs.get(unit)?.statements.map(({ text }) => text) ?? [];

/** SQL that can be read, and pasted, for one unit after the other. */
const sentText = ({ units }: Plan, prepared: PreparedJobs): string =>
  units
    .map(({ id }) => {
      const refusal = prepared.refused.get(id);
      const why = refusal === undefined ? '' : `-- not run from here: ${refusal.message}\n`;
      return `\n-- ${id}\n${why}${sentBy(id, prepared)
        .map((text) => `${text};\n`)
        .join('')}`;
    })
    .join('');
