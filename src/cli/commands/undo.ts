import type { Command } from 'commander';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { engineOf } from '../../core/run/engine/engine-of.ts';
import { runPlan } from '../../core/run/order/run-plan.ts';
import { isUndoRefusal, prepareUndo } from '../../core/run/stored/prepare-undo.ts';
import { previewTimeBoxMs } from '../../core/run/unit/preview-end.ts';
import { plural } from '../../core/text/plural.ts';
import { processOwner } from '../../node/process-owner.ts';
import { newRunId } from '../../node/run-id.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { addConfirmOptions, type ConfirmOptions, confirmRun } from '../connection/confirm-run.ts';
import { describedFor } from '../connection/describe-target.ts';
import { exitCodeOf, finishRun } from '../connection/finish-run.ts';
import { refuseLake, type Target, toName } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { findingLines } from '../reporters/run/plan-text.ts';
import { progressWriter } from '../reporters/run/progress-writer.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';

interface UndoOptions extends WorkspaceOptions, ConfirmOptions {
  readonly connection?: string;
  readonly unit?: readonly string[];
  readonly preview?: boolean;
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('undo')
    .description('put the slices that a run changed back to their rows of before, as a run of its own')
    .argument('<run>', 'a run’s id, see backfill history');
  addConfirmOptions(addWorkspaceOptions(command), 'do not ask; needed where nobody can be asked')
    .option('--unit <unit...>', 'only these units of the run')
    .option('--preview', 'show what would be put back, and write nothing')
    .option('--connection <name>', 'connection of backfill.yaml')
    .addHelpText(
      'after',
      `
Examples:
  backfill undo 20261129-162350-k3v9qd --preview
  backfill undo 20261129-162350-k3v9qd
  backfill undo 20261129-162350-k3v9qd --unit shop_daily.orders_clean@2026-11-28T00:00:00Z --yes

Refused where a later run or anything else has changed a slice since, or where its rows of before were not kept.`,
    )
    .action((run: string, options: UndoOptions) => undo(run, options, shell));
}

async function undo(run: string, options: UndoOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  const undoHere = async ({ warehouse, connection }: Target): Promise<void> => {
    const env = { clock: shell.clock, owner: processOwner() };
    const engine = engineOf(warehouse);
    if (options.preview === true)
      refuseLake(warehouse, 'a preview of an undo', `what it would put back: backfill history ${run}`);
    const preview = options.preview === true ? engine.preview(env, previewTimeBoxMs, []) : undefined;
    const ledger = sqlLedgerStore(warehouse);
    try {
      const now = shell.clock.now();
      const request = { run, units: options.unit, as: newRunId(now), createdBy: env.owner, now };
      const made = await prepareUndo(request, ledger);
      if (isUndoRefusal(made)) throw new UsageError(made.message, made.remedy);
      const prepared = await engine.sift(made);
      const place = describedFor({ warehouse, connection }, prepared.jobs.values());
      const { findings } = prepared.plan;
      if (findings.length > 0) shell.err(`${findingLines(prepared.plan, shell.colors).join('\n')}\n`);
      if (preview === undefined) {
        const question = `Undo ${plural(prepared.plan.units.length, 'unit')} of run ${run}`;
        const refusal = await confirmRun(question, place, options, shell);
        if (refusal !== undefined) {
          shell.err(`${refusal}\n`);
          return shell.exit(exitCodes.usage);
        }
      }
      // An engine with one session cannot serve the ledger beside the preview.
      if (preview !== undefined) await ledger.close();
      const result = await runPlan(prepared, {
        executor: preview?.executor ?? engine.executor(env),
        ledger: preview === undefined ? ledger : undefined,
        clock: shell.clock,
        signal: shell.listenForCancel(),
        onEvent: options.format === 'text' ? progressWriter(shell) : () => {},
      });
      const end = await preview?.end();
      const previewed = end && { ...end, connection: connection.name };
      const how = {
        format: options.format,
        samples: 0,
        connection: toName(workspace, connection),
        previewed,
        undoes: run,
      };
      finishRun(result, place.description.target, how, shell);
      shell.exit(exitCodeOf(result));
    } finally {
      await preview?.end();
      await ledger.close();
    }
  };
  await withTarget(workspace, options.connection, shell, undoHere, { waits: true });
}
