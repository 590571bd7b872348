import type { Command } from 'commander';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { resumeRun } from '../../core/run/order/resume-run.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import { processOwner } from '../../node/process-owner.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { carrierOfRun, executorFor, storedRun } from '../connection/carrier.ts';
import { addConfirmOptions, type ConfirmOptions, confirmRun } from '../connection/confirm-run.ts';
import { describedFor } from '../connection/describe-target.ts';
import { exitCodeOf, finishRun } from '../connection/finish-run.ts';
import { type Target, toName } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { progressWriter } from '../reporters/run/progress-writer.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { wholeNumber } from '../terminal/whole-number.ts';

export interface ResumeOptions extends WorkspaceOptions, ConfirmOptions {
  readonly connection?: string;
  readonly acceptHeld?: boolean;
  readonly notAtomic?: readonly string[];
  readonly samples: string;
  readonly units?: boolean;
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('resume')
    .description('run what a run left over, with the intervals, statements and options of then')
    .argument('<run>', 'a run’s id, see backfill history');
  addConfirmOptions(addWorkspaceOptions(command), 'as for run; the run was confirmed when it was started')
    .option('--connection <name>', 'connection of backfill.yaml')
    .option(
      '--accept-held',
      'let held units through: their results were looked at and are right; rows outside a slice stay held',
    )
    .option(
      '--not-atomic <task...>',
      'run units of these tasks again that stopped halfway: their tables were looked at',
    )
    .option('--units', 'a line for each unit as it ends, and every slice with its figures at the end')
    .option('--samples <n>', 'differing rows shown per slice and kind, as far as the run kept them', '0')
    .addHelpText(
      'after',
      `
Examples:
  backfill resume 20261129-162350-k3v9qd
  backfill resume 20261129-162350-k3v9qd --accept-held`,
    )
    .action((run: string, options: ResumeOptions) => resume(run, options, shell));
}

async function resume(run: string, options: ResumeOptions, shell: Shell): Promise<void> {
  wholeNumber('--samples', options.samples, 0, 20);
  const workspace = await openWorkspace(options, shell);
  const goOn = (target: Target) => resumeOn(target, workspace, run, options, shell);
  await withTarget(workspace, options.connection, shell, goOn, { waits: true });
}

/** Goes on with a run on a database that is open. */
export async function resumeOn(
  { warehouse, connection }: Target,
  workspace: Workspace,
  run: string,
  options: ResumeOptions,
  shell: Shell,
): Promise<void> {
  const samples = wholeNumber('--samples', options.samples, 0, 20);
  const ledger = sqlLedgerStore(warehouse);
  try {
    const stored = await storedRun(ledger, run);
    const place = describedFor({ warehouse, connection }, stored?.jobs.values() ?? []);
    // The run was confirmed when it was started; only a protected target asks again.
    const confirmed = { ...options, yes: true };
    const refusal = await confirmRun(`Resume run ${run}`, place, confirmed, shell);
    if (refusal !== undefined) {
      shell.err(`${refusal}\n`);
      return shell.exit(exitCodes.usage);
    }
    const ports = {
      clock: shell.clock,
      signal: shell.listenForCancel(),
      onEvent: options.format === 'text' ? progressWriter(shell, options) : () => {},
    };
    const scheduler = stored && (await carrierOfRun(stored, workspace, shell, ports));
    const result = await resumeRun(
      {
        run,
        codeHashes: new Map(workspace.tasks.map(({ id, codeHash }) => [id, codeHash])),
        acceptHeld: options.acceptHeld ?? false,
        notAtomic: options.notAtomic ?? [],
      },
      {
        executor: executorFor(warehouse, { clock: shell.clock, owner: processOwner() }, scheduler),
        ledger,
        ...ports,
      },
    );
    const { format, units } = options;
    const named = toName(workspace, connection);
    finishRun(result, place.description.target, { format, samples, units, connection: named }, shell);
    shell.exit(result.refusal?.code === 'unknown-run' ? exitCodes.usage : exitCodeOf(result));
  } finally {
    await ledger.close();
  }
}
