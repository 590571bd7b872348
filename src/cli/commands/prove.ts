import type { Command } from 'commander';
import { makePlan } from '../../core/plan/make-plan.ts';
import type { Plan } from '../../core/plan/model/plan.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import { proving } from '../../core/run/irrevocable/outside-words.ts';
import { prepareJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { assumedVariables } from '../../core/run/preflight/assumed-variables.ts';
import type { ProofOptions, UnitProof } from '../../core/run/relational/prove/prove.ts';
import { provePlan } from '../../core/run/relational/prove/prove-plan.ts';
import { madeSqlInWords } from '../../core/run/unit/made-sql-in-words.ts';
import { previewTimeBoxMs } from '../../core/run/unit/preview-end.ts';
import type { RunEvent } from '../../core/run/unit/run-event.ts';
import type { UnitJob } from '../../core/run/unit/unit-job.ts';
import { judgedFindings } from '../../core/view/findings/judged-findings.ts';
import { checkWithGrammars } from '../../node/check-with-grammars.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { processOwner } from '../../node/process-owner.ts';
import { newRunId } from '../../node/run-id.ts';
import { placesOf, unitOptions } from '../../node/run-setup.ts';
import { type AirflowOptions, addAirflowOptions } from '../arguments/airflow-option.ts';
import { addSelectionOptions, planRequest, type SelectionOptions } from '../arguments/selection.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { confirmOutside } from '../connection/confirm-outside.ts';
import { taskPlaces } from '../connection/describe-target.ts';
import { joinWarehouse } from '../connection/join-database.ts';
import { reportPlanProblems } from '../connection/report-plan-problems.ts';
import { reportRefusals } from '../connection/report-refusals.ts';
import { connectionName, type Target } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { findingLines } from '../reporters/run/plan-text.ts';
import { retryText } from '../reporters/run/progress-writer.ts';
import { type ProofReport, proofJson } from '../reporters/run/proof-json.ts';
import { proofText } from '../reporters/run/proof-text.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { workLine } from '../terminal/work-line.ts';

interface ProveOptions extends SelectionOptions, WorkspaceOptions, AirflowOptions {
  readonly connection?: string;
  readonly irrevocable?: readonly string[];
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('prove')
    .description('run intervals twice, the clock moved and the plan shaken, compare, and keep nothing')
    .argument('<task...>', 'dag.task, a SQL file, or a DAG for all of its tasks');
  addAirflowOptions(addWorkspaceOptions(addSelectionOptions(command)))
    .option('--connection <name>', 'connection of backfill.yaml')
    .option(
      '--irrevocable <task...>',
      'run these tasks although what they do is not all taken back (COPY … TO, dblink)',
    )
    .addHelpText(
      'after',
      `
Examples:
  backfill prove shop_daily.orders_clean --logical-dates 2026-11-28..2026-11-28
  backfill prove shop_daily --from 2026-11-28 --to 2026-11-29 --connection scratch --format json

Each unit runs in a transaction that is rolled back. Exit codes: 0 no difference found, 1 a second run left other rows
or failed, 2 wrong call, 130 cancelled.`,
    )
    .action((words: string[], options: ProveOptions) => prove(words, options, shell));
}

async function prove(words: readonly string[], options: ProveOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  // Whether an appending task doubles its rows is what is asked.
  const request = { ...planRequest(words, options, workspace, shell), allowAppend: true };
  const plan = makePlan(workspace.tasks, request);
  reportPlanProblems(workspace, plan, shell);
  const name = connectionName(workspace, options.connection, taskPlaces(plan), shell.env);
  await withTarget(workspace, name, shell, async (target) => {
    const joined = await joinWarehouse(workspace, target, shell);
    const known = makePlan(joined.tasks, request);
    if (known.findings.some(({ severity }) => severity === 'error')) {
      shell.err(`${findingLines(known, shell.colors).join('\n')}\n`);
      return shell.exit(exitCodes.findings);
    }
    await proveOn(target, joined, known, options, shell);
  });
}

async function proveOn(
  { warehouse, connection }: Target,
  workspace: Workspace,
  plan: Plan,
  { format, irrevocable = [] }: ProveOptions,
  shell: Shell,
): Promise<void> {
  const { config, facts } = workspace;
  const engine = engineOf(warehouse);
  const asked = prepareJobs(
    plan,
    facts,
    config.declared,
    {
      run: newRunId(shell.clock.now()),
      variables: config.variables,
      params: config.params,
      options: unitOptions(config, connection.settings),
    },
    placesOf(config, connection.name, shell.env),
  );
  const { jobs, refused } = await confirmOutside(plan, await engine.sift(asked), proving, irrevocable, format, shell);
  reportRefusals([...refused.values()], workspace, shell);
  const notLookedAt = madeSqlInWords(jobs.values());
  const assumed = assumedVariables(plan, facts, config).map(({ message }) => message);
  if (format === 'text') for (const line of [...assumed, ...notLookedAt]) shell.out(`note: ${line}\n`);
  const env = { clock: shell.clock, owner: processOwner() };
  const signal = shell.listenForCancel();
  const prove = (job: UnitJob, among: Pick<ProofOptions, 'fillers' | 'inTurn'>) =>
    engine.prove(env, job, { signal, timeBoxMs: previewTimeBoxMs, ...among });
  const line = workLine(shell);
  let begun = 0;
  const onEvent = (event: RunEvent): void => {
    if (event.kind === 'unit-started') line.tell('proving slices', begun++, jobs.size);
    if (event.kind === 'unit-retrying') shell.err(`${retryText(event, shell.colors)}\n`);
  };
  const how = { signal, clock: shell.clock, onEvent };
  const proofs = await provePlan(prove, { plan, jobs, refused }, how).finally(line.end);
  const report: ProofReport = {
    proofs,
    refused,
    stays: [...new Set([...jobs.values()].flatMap(({ task, outside }) => (outside === undefined ? [] : [task])))],
    notLookedAt,
    findings: await judged(workspace, proofs),
    target: warehouse.description.target,
    text: workspace.text,
  };
  shell.out(format === 'json' ? proofJson(report) : proofText(report, shell.colors));
  if (signal.aborted) return shell.exit(exitCodes.cancelled);
  const clean = proofs.length > 0 && proofs.every(({ verdict }) => verdict.kind === 'no-difference');
  shell.exit(clean && refused.size === 0 ? exitCodes.done : exitCodes.findings);
}

async function judged(workspace: Workspace, proofs: readonly UnitProof[]): Promise<ProofReport['findings']> {
  const { facts, grammars, config } = workspace;
  const all = await checkWithGrammars(facts, grammars, {
    severities: config.rules,
    folders: config.folders,
  });
  return [...new Set(proofs.map(({ task }) => task))].flatMap((id) => {
    const task = facts.tasks.get(id)?.task;
    const own = proofs.filter((proof) => proof.task === id);
    return task === undefined ? [] : judgedFindings(all, task, own);
  });
}
