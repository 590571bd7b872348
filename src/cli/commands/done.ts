import type { Command } from 'commander';
import type { UnitRecord, UnitState } from '../../core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { isMarkRefusal, unitsToMark } from '../../core/run/order/mark-done.ts';
import { recordElsewhere } from '../../core/run/relational/record-elsewhere.ts';
import { recordJson } from '../../core/run/stored/run-json.ts';
import { plural } from '../../core/text/plural.ts';
import { processOwner } from '../../node/process-owner.ts';
import { unitOptions } from '../../node/run-setup.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { addConfirmOptions, type ConfirmOptions, confirmRun } from '../connection/confirm-run.ts';
import { withTarget } from '../connection/with-target.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';
import { resumeOn } from './resume.ts';

interface DoneOptions extends WorkspaceOptions, ConfirmOptions {
  readonly connection?: string;
  /** `--no-resume` makes it false. */
  readonly resume: boolean;
}

export function register(program: Command, shell: Shell): void {
  const command = program
    .command('done')
    .description(
      'tell a run that units of it were run elsewhere, take their figures, and go on with what waits for them',
    )
    .argument('<run>', 'a run’s id, see backfill history')
    .argument('<unit...>', 'units of the run, or tasks for all of their units that are left');
  addConfirmOptions(addWorkspaceOptions(command), 'as for run; the run was confirmed when it was started')
    .option('--connection <name>', 'connection of backfill.yaml')
    .option('--no-resume', 'only say so; the run goes on with: backfill resume RUN')
    .addHelpText(
      'after',
      `
Examples:
  backfill done 20261129-162350-k3v9qd shop_daily.pull@2026-11-28T00:00:00Z
  backfill done 20261129-162350-k3v9qd shop_daily.pull --no-resume

Nobody looks whether it is so. Exit codes: those of resume; 2 where a unit is not in the run or is at its end.`,
    )
    .action((run: string, units: string[], options: DoneOptions) => done(run, units, options, shell));
}

/** Units in these states are not run again by a resume. */
const over: ReadonlySet<UnitState> = new Set(['changed', 'unchanged', 'skipped', 'done']);

async function done(run: string, names: readonly string[], options: DoneOptions, shell: Shell): Promise<void> {
  const workspace = await openWorkspace(options, shell);
  await withTarget(workspace, options.connection, shell, async (target) => {
    const { warehouse, connection } = target;
    const ledger = sqlLedgerStore(warehouse);
    const records: UnitRecord[] = [];
    let isLeft = false;
    try {
      const found = await unitsToMark(run, names, ledger);
      if (isMarkRefusal(found)) throw new UsageError(found.message, found.remedy);
      const question = `Say of ${plural(found.units.length, 'unit')} of run ${run} that they were done elsewhere`;
      const confirmed = { ...options, yes: true };
      const refusal = await confirmRun(
        question,
        { name: connection.name, description: warehouse.description },
        confirmed,
        shell,
      );
      if (refusal !== undefined) {
        shell.err(`${refusal}\n`);
        return shell.exit(exitCodes.usage);
      }
      const env = { clock: shell.clock, owner: processOwner() };
      const setting = { ...unitOptions(workspace.config, connection.settings), lockTable: false };
      for (const { unit, job } of found.units) {
        records.push(await recordElsewhere(warehouse, env, { run, unit, job, options: job?.options ?? setting }));
      }
      isLeft = (await ledger.units(run)).some(({ state }) => !over.has(state));
    } finally {
      await ledger.close();
    }
    for (const { unit, slices, message } of records) {
      const figures = slices.map(({ table, after }) => `${table} ${plural(after?.rows ?? 0, 'row')}`).join(', ');
      shell.err(`${shell.colors.green('done')}  ${unit}  ${figures === '' ? message : figures}\n`);
    }
    if (options.resume) return resumeOn(target, workspace, run, { ...options, samples: '0' }, shell);
    if (options.format === 'json') {
      shell.out(`${JSON.stringify({ version: 1, runId: run, units: records.map(recordJson) })}\n`);
    } else if (isLeft) shell.out(`go on with: backfill resume ${run}\n`);
    else shell.out(`nothing is left of run ${run}\n`);
  });
}
