import { type Command, Option } from 'commander';
import { activeRuns } from '../../core/ledger/active-overlaps.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import type { TaskId } from '../../core/pipeline/model/model.ts';
import { planCounts } from '../../core/plan/explain.ts';
import { withFindings } from '../../core/plan/findings/plan-findings.ts';
import { makePlan } from '../../core/plan/make-plan.ts';
import type { Plan } from '../../core/plan/model/plan.ts';
import type { PlanRequest } from '../../core/plan/model/plan-request.ts';
import { batchFindings } from '../../core/run/batch/batch-findings.ts';
import { checkCarried } from '../../core/run/carried/check-carried.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import { outsideText, previewing } from '../../core/run/irrevocable/outside-words.ts';
import { prepareJobs } from '../../core/run/jobs/prepare-jobs.ts';
import { writtenSlices } from '../../core/run/jobs/slices/written-slices.ts';
import {
  overlapFinding,
  overlapping,
  planErrors,
  refused as refusedRun,
  runPlan,
} from '../../core/run/order/run-plan.ts';
import { assumedVariables } from '../../core/run/preflight/assumed-variables.ts';
import { checkPreviewPlace } from '../../core/run/relational/preview/check-preview-place.ts';
import { requestOf } from '../../core/run/reviewed/make-plan-file.ts';
import type { ReviewedPlan } from '../../core/run/reviewed/plan-file.ts';
import { markedTitle } from '../../core/run/reviewed/plan-mark.ts';
import { madeSqlInWords } from '../../core/run/unit/made-sql-in-words.ts';
import { previewTimeBoxMs } from '../../core/run/unit/preview-end.ts';
import { defaultRunOptions } from '../../core/run/unit/run-options.ts';
import type { RunResult } from '../../core/run/unit/run-result.ts';
import { isOnFiles, type UnitOptions } from '../../core/run/unit/unit-job.ts';
import { plural } from '../../core/text/plural.ts';
import { previewPlace } from '../../node/config/preview-place.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { processOwner } from '../../node/process-owner.ts';
import { newRunId } from '../../node/run-id.ts';
import { placesOf, unitOptions } from '../../node/run-setup.ts';
import { type AirflowOptions, addAirflowOptions } from '../arguments/airflow-option.ts';
import { batchSpan } from '../arguments/batch-span.ts';
import { reviewedPlan } from '../arguments/plan-file.ts';
import { addOrderOption, addSelectionOptions, planRequest, type SelectionOptions } from '../arguments/selection.ts';
import { sessionOf } from '../arguments/session-of.ts';
import { titleOf } from '../arguments/title-of.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { zoneOf } from '../arguments/zone-of.ts';
import {
  addCarrierOptions,
  type CarrierOptions,
  carriedBy,
  carriedView,
  executorFor,
  openCarrier,
} from '../connection/carrier.ts';
import { confirmNotAtomic } from '../connection/confirm-not-atomic.ts';
import { confirmOutside } from '../connection/confirm-outside.ts';
import { addConfirmOptions, type ConfirmOptions, confirmRun } from '../connection/confirm-run.ts';
import { describedFor, realTargetOf, targetText, taskPlaces } from '../connection/describe-target.ts';
import { exitCodeOf, finishRun } from '../connection/finish-run.ts';
import { joinWarehouse } from '../connection/join-database.ts';
import { refusedAsMovedOn } from '../connection/refuse-moved-on.ts';
import { reportPlanProblems } from '../connection/report-plan-problems.ts';
import { reportRefusals } from '../connection/report-refusals.ts';
import { connectionName, type Target, toName } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { forecastText } from '../reporters/run/forecast-text.ts';
import { onConnection } from '../reporters/run/on-connection.ts';
import { findingLines, planText, reviewedText } from '../reporters/run/plan-text.ts';
import { progressWriter } from '../reporters/run/progress-writer.ts';
import { reportFile, reportOption } from '../terminal/report-file.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { wholeNumber } from '../terminal/whole-number.ts';

interface RunCommandOptions extends SelectionOptions, WorkspaceOptions, ConfirmOptions, AirflowOptions, CarrierOptions {
  readonly plan?: string;
  readonly connection?: string;
  readonly preview?: boolean;
  readonly previewOn?: string;
  readonly concurrency?: string;
  readonly onFailure: 'continue' | 'stop';
  readonly retries?: string;
  readonly batch?: string;
  readonly notAtomic?: readonly string[];
  readonly irrevocable?: readonly string[];
  readonly compare?: UnitOptions['compare'];
  readonly samples?: string;
  readonly units?: boolean;
  readonly report?: string;
  /** `--no-early-cutoff` makes it false. */
  readonly earlyCutoff: boolean;
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('run')
    .description('plan and run intervals again, each in one transaction, and compare every slice before and after')
    .argument('[task...]', 'dag.task, a SQL file, or a DAG for all of its tasks; none with --plan');
  addConfirmOptions(
    addCarrierOptions(addAirflowOptions(addWorkspaceOptions(addOrderOption(addSelectionOptions(command))))),
    'do not ask; needed where nobody can be asked',
  )
    .option(
      '--plan <file>',
      'run a plan that backfill plan --out wrote, as it was reviewed; refused where code, settings or tables have moved on since',
    )
    .option(
      '--preview',
      'show what would change: by the queries of units that stand alone, else in a transaction that is rolled back',
    )
    .option('--preview-on <name>', 'preview on this connection, e.g. a clone, instead of the one that runs would use')
    .option('--concurrency <n>', 'units side by side')
    .option('--connection <name>', 'connection of backfill.yaml')
    .addOption(
      new Option(
        '--on-failure <how>',
        'after a failed or held unit: continue with all that does not wait for it, or stop and start nothing new',
      )
        .choices(['continue', 'stop'])
        .default('continue'),
    )
    .option(
      '--retries <n>',
      `more tries of a unit after an error that may pass: a lost connection, a deadlock, a conflict of transactions, a lock not obtained in time (default: ${defaultRunOptions.maxAttempts - 1})`,
    )
    .option(
      '--batch <span>',
      'make intervals side by side in one go, up to this span together (7 days), where that gives the same rows; what cannot says why',
    )
    .option(
      '--not-atomic <task...>',
      'run these tasks although they cannot be one transaction (VACUUM, CONCURRENTLY, CALL)',
    )
    .option(
      '--irrevocable <task...>',
      'preview these tasks although what they do is not all taken back (COPY … TO, dblink)',
    )
    .addOption(
      new Option('--compare <how>', 'what is compared after each interval').choices(['rows', 'checksums', 'none']),
    )
    .option('--samples <n>', 'differing rows shown per slice and kind, at most 20')
    .option('--units', 'a line for each unit as it ends, and every slice with its figures at the end')
    .option(...reportOption)
    .option('--no-early-cutoff', 'run downstream units although their inputs are as their last run saw them')
    .addHelpText(
      'after',
      `
Examples:
  backfill run shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream --preview
  backfill run shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream --preview-on clone
  backfill run shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --downstream --yes
  backfill run shop_daily.orders_clean --from 2026-11-01 --to 2026-12-01 --preview --report changes.html
  backfill run shop_daily --logical-dates 2026-11-28..2026-11-28 --concurrency 2 --format json --yes
  backfill run --plan plan.json --yes
  backfill run shop_daily --from 2026-11-01 --to 2026-11-08 --on airflow

Exit codes: 0 done, 1 failed or blocked units, 2 wrong call, 3 held for a decision, 130 cancelled.`,
    )
    .action((words: string[], options: RunCommandOptions) =>
      run(words, options, reviewedPlan(options.plan, words, command, shell), shell),
    );
}

async function run(
  words: readonly string[],
  options: RunCommandOptions,
  reviewed: ReviewedPlan | undefined,
  shell: Shell,
): Promise<void> {
  const report = reportFile(options.report, shell);
  const workspace = await openWorkspace(options, shell);
  const request = reviewed === undefined ? planRequest(words, options, workspace, shell) : requestOf(reviewed.file);
  const title = reviewed === undefined ? titleOf(words, options) : markedTitle(reviewed.file.title, reviewed.seal);
  const plan = makePlan(workspace.tasks, request);
  reportPlanProblems(workspace, plan, shell);
  const named = options.connection ?? reviewed?.file.connection;
  const name = connectionName(workspace, named, taskPlaces(plan), shell.env);
  const place = isPreview(options) ? previewPlace(workspace.config, name, options.previewOn) : name;
  const runHere = async (target: Target): Promise<void> => {
    const joined = await joinWarehouse(workspace, target, shell);
    const known = makePlan(joined.tasks, request);
    const asked = { name: name ?? target.connection.name, plan: known, request, title, reviewed };
    if (reviewed !== undefined && (await isMovedOn(target, joined, { ...asked, reviewed }, options, shell))) return;
    // Only here: what the files give as an error the database may lift.
    if (refusedByErrors(known, target.warehouse.lake !== undefined, shell)) return;
    const result = await runOn(target, joined, asked, options, shell);
    if (result === undefined || result.refusal !== undefined) return;
    const run = isPreview(options) ? undefined : result.run;
    const { preview, units, stays } = result;
    const where = target.warehouse.description.target;
    report?.write({ title, target: where, run, preview, stays }, units);
  };
  await withTarget(workspace, place, shell, runHere, { waits: true, makes: !isPreview(options) });
}

/** What is to be run. */
interface Asked {
  /** The connection that a run would use; a preview may be on another one. */
  readonly name: string;
  readonly plan: Plan;
  readonly request: PlanRequest;
  readonly title: string;
  readonly reviewed: ReviewedPlan | undefined;
}

async function isMovedOn(
  { warehouse, connection }: Target,
  workspace: Workspace,
  { name, plan, request, title, reviewed }: Asked & { readonly reviewed: ReviewedPlan },
  options: RunCommandOptions,
  shell: Shell,
): Promise<boolean> {
  const isElsewhere = connection.name !== name;
  const target = isElsewhere ? await realTargetOf(workspace, name, shell) : warehouse.description.target;
  const now = {
    workspace,
    request,
    plan,
    title,
    connection: name,
    target: target ?? reviewed.file.target,
    // What a clone holds says nothing about the plan's own database.
    warehouse: isElsewhere ? undefined : warehouse,
  };
  const how = { run: newRunId(shell.clock.now()), format: options.format, preview: isPreview(options) };
  return refusedAsMovedOn(reviewed, now, how, shell);
}

/** Says the errors of a plan, with which nothing is started. */
function refusedByErrors(plan: Plan, onFiles: boolean, shell: Shell): boolean {
  if (plan.findings.every(({ severity }) => severity !== 'error')) return false;
  shell.err(`${findingLines(plan, shell.colors, onFiles).join('\n')}\n`);
  shell.exit(exitCodes.findings);
  return true;
}

const isPreview = ({ preview, previewOn }: RunCommandOptions): boolean => preview === true || previewOn !== undefined;

async function runOn(
  target: Target,
  workspace: Workspace,
  { name: runsOn, plan, title, reviewed }: Asked,
  options: RunCommandOptions,
  shell: Shell,
): Promise<(RunResult & { readonly stays?: boolean }) | undefined> {
  const { warehouse, connection } = target;
  const engine = engineOf(warehouse);
  const settings = workspace.config.run;
  const isElsewhere = connection.name !== runsOn;
  // On a clone too the statements run as the scheduler would run them.
  const sessionSettings = { ...workspace.config.connections.get(runsOn)?.settings, ...connection.settings };
  const samples = options.samples === undefined ? settings.samples : wholeNumber('--samples', options.samples, 0, 20);
  const concurrency =
    options.concurrency === undefined ? settings.concurrency : wholeNumber('--concurrency', options.concurrency, 1, 64);
  const retries = options.retries === undefined ? undefined : wholeNumber('--retries', options.retries, 0, 100);
  const runId = newRunId(shell.clock.now());
  // What a scheduler does cannot be rolled back.
  const given = isPreview(options) ? undefined : carriedBy(workspace, plan, options, shell);
  const scheduler = given && (await openCarrier(workspace, given.scheduler, shell));
  const prepare = (notAtomic: readonly TaskId[]) =>
    prepareJobs(
      plan,
      workspace.facts,
      workspace.config.declared,
      {
        run: runId,
        variables: workspace.config.variables,
        params: workspace.config.params,
        notAtomic: new Set(notAtomic),
        carriedBy: given,
        options: {
          ...unitOptions(workspace.config, sessionSettings, connection.name),
          compare: options.compare ?? settings.compare,
          samples,
          earlyCutoff: options.earlyCutoff && settings.earlyCutoff,
          batchMs: batchSpan(options.batch),
        },
      },
      placesOf(workspace.config, runsOn, shell.env),
    );
  // A preview is one transaction: what cannot be is not in it.
  const asked = isPreview(options)
    ? prepare([])
    : await confirmNotAtomic(plan, prepare, options.notAtomic ?? [], options.format, shell);
  const text = options.format === 'text';
  const { pipelines } = workspace.facts;
  const there = scheduler && (await checkCarried(scheduler, plan, asked, { pipelines, concurrency }));
  if (isElsewhere) {
    const realTarget = await realTargetOf(workspace, runsOn, shell);
    await checkPreviewPlace(warehouse, { connection: connection.name, insteadOf: runsOn, realTarget }, [
      ...[...asked.jobs.values()].filter((job) => !isOnFiles(job, warehouse)),
    ]);
  }
  const known = await engine.sift(there ?? asked);
  const { jobs, refused } = isPreview(options)
    ? await confirmOutside(plan, known, previewing, options.irrevocable ?? [], options.format, shell)
    : known;
  const place = describedFor(target, jobs.values());
  const planned = [...jobs.values()].filter(({ carried }) => carried === undefined);
  const ledger = isPreview(options) ? undefined : sqlLedgerStore(warehouse);
  // The ledger of a clone knows runs of the time when it was made.
  const active = isElsewhere ? undefined : activeRuns(warehouse);
  const overlap = active && (await overlapping(active, runId, writtenSlices(plan, jobs)));
  const batches = isPreview(options) ? [] : batchFindings(plan, jobs);
  const assumed = assumedVariables(plan, workspace.facts, workspace.config);
  const checked = withFindings(plan, [...assumed, ...batches, ...(await engine.preflight(plan, jobs))]);
  if (text) {
    const shown = withFindings(
      checked,
      overlap === undefined ? [] : [overlapFinding(onConnection(overlap, toName(workspace, connection)))],
    );
    const on = `${targetText(connection.name, place.description.target)}${isElsewhere ? `, not ${runsOn}` : ''}`;
    const view = {
      plan: shown,
      zone: zoneOf(workspace.tasks),
      session: sessionOf(workspace),
      target: on,
      carried: given && carriedView(jobs, scheduler, given.scheduler),
      units: false,
      width: shell.columns,
      onFiles: warehouse.lake !== undefined,
    };
    const said = reviewed === undefined ? planText(view, shell.colors) : reviewedText(view, reviewed, shell.colors);
    shell.out(`${said}\n`);
  }
  reportRefusals([...refused.values()], workspace, shell);
  if (text && !isPreview(options)) shell.out(outsideText(jobs));
  else if (text) for (const line of madeSqlInWords(planned)) shell.out(`note: ${line}\n`);
  if (text) for (const line of there?.notes ?? []) shell.out(`note: ${line}\n`);
  const against = overlap ?? planErrors(checked);
  if (against !== undefined) {
    // As text the plan has said it.
    const result = refusedRun(runId, against, { ledger });
    const how = { format: options.format, samples: 0, connection: undefined };
    if (!text) finishRun(result, place.description.target, how, shell);
    shell.exit(exitCodeOf(result));
    return result;
  }
  const purpose = isPreview(options) ? { timeBoxMs: previewTimeBoxMs } : ('run' as const);
  const forecast = await engine.forecast(planned, purpose);
  if (text) shell.out(forecastText(forecast, shell.colors));
  if (!isPreview(options)) {
    const { selected, downstream } = planCounts(plan);
    const question = `Run ${selected} + ${downstream} downstream units`;
    const refusal = await confirmRun(question, place, options, shell);
    if (refusal !== undefined) {
      shell.err(`${refusal}\n`);
      shell.exit(exitCodes.usage);
      return undefined;
    }
  }
  const env = { clock: shell.clock, owner: processOwner() };
  const preview = isPreview(options) ? engine.preview(env, previewTimeBoxMs, planned) : undefined;
  try {
    const result = await runPlan(
      {
        run: runId,
        title,
        createdBy: env.owner,
        plan: checked,
        jobs,
        refused,
        options: {
          ...defaultRunOptions,
          keepBeforeDays: settings.keepBeforeDays,
          vacuum: settings.vacuum,
          concurrency,
          stopAtFirstFailure: options.onFailure === 'stop',
          ...(retries !== undefined && { maxAttempts: retries + 1 }),
        },
      },
      {
        executor: preview?.executor ?? executorFor(warehouse, env, scheduler),
        ledger,
        activeRuns: active,
        clock: shell.clock,
        signal: shell.listenForCancel(),
        onEvent: text ? progressWriter(shell, options) : () => {},
      },
    );
    const shown = options.samples === undefined ? 0 : samples;
    const end = await preview?.end();
    const previewed = end && { ...end, connection: connection.name };
    const named = toName(workspace, connection);
    const { format, units } = options;
    const how = { format, samples: shown, units, connection: named, forecast, previewed };
    // Why each of them is not run was said with its place.
    if (text && result.refusal?.code === 'nothing-to-run' && refused.size > 0)
      shell.out(`nothing was run: ${plural(refused.size, 'unit')} cannot be run from here\n`);
    else finishRun(result, place.description.target, how, shell);
    shell.exit(exitCodeOf(result));
    return end?.stays === undefined && end?.notLookedAt === undefined ? result : { ...result, stays: true };
  } finally {
    await preview?.end();
    await ledger?.close();
  }
}
