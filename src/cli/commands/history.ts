import type { Command } from 'commander';
import type { LedgerStore, RunSummary, UnitRecord } from '../../core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { sliceJson, tablesJson } from '../../core/run/stored/run-json.ts';
import type { RunUnit } from '../../core/run/unit/run-result.ts';
import { isCommitted } from '../../core/run/unit/unit-results.ts';
import { formatWall } from '../../core/time/intervals/format-interval.ts';
import { toIso } from '../../core/time/zones/iso.ts';
import { addWorkspaceOptions, openWorkspace, type WorkspaceOptions } from '../arguments/workspace-option.ts';
import { toName } from '../connection/target.ts';
import { withTarget } from '../connection/with-target.ts';
import { countsText, runText } from '../reporters/run/run-text.ts';
import { textTable } from '../reporters/text/text-table.ts';
import { reportFile, reportOption } from '../terminal/report-file.ts';
import { exitCodes, type Shell, UsageError } from '../terminal/shell.ts';
import { wholeNumber } from '../terminal/whole-number.ts';

interface HistoryOptions extends WorkspaceOptions {
  readonly connection?: string;
  readonly limit: string;
  readonly samples: string;
  readonly units?: boolean;
  readonly report?: string;
}

export function register(program: Command, shell: Shell): void {
  addWorkspaceOptions(
    program
      .command('history')
      .description('list the runs of a database, or one run with its figures')
      .argument('[run]', 'a run’s id, to see its units'),
  )
    .option('--connection <name>', 'connection of backfill.yaml')
    .option('--limit <n>', 'how many runs are listed', '20')
    .option('--samples <n>', 'differing rows shown per slice and kind', '0')
    .option('--units', 'every slice of the run with its figures')
    .option(...reportOption)
    .addHelpText(
      'after',
      `
Examples:
  backfill history
  backfill history 20261129-162350-k3v9qd --samples 5
  backfill history 20261129-162350-k3v9qd --report changes.html
  backfill history --format json`,
    )
    .action((run: string | undefined, options: HistoryOptions) => history(run, options, shell));
}

async function history(run: string | undefined, options: HistoryOptions, shell: Shell): Promise<void> {
  const limit = wholeNumber('--limit', options.limit, 1);
  const samples = wholeNumber('--samples', options.samples);
  const report = reportFile(options.report, shell);
  if (report !== undefined && run === undefined)
    throw new UsageError('a report is of one run', 'name the run: backfill history RUN --report FILE');
  const workspace = await openWorkspace(options, shell);
  await withTarget(workspace, options.connection, shell, async ({ warehouse, connection }) => {
    const ledger = sqlLedgerStore(warehouse);
    try {
      if (run === undefined) listRuns(await ledger.listRuns(limit), options, shell);
      else {
        const { title, records } = await showRun(run, ledger, samples, options, toName(workspace, connection), shell);
        report?.write({ title, target: warehouse.description.target, run }, records);
      }
      shell.exit(exitCodes.done);
    } finally {
      await ledger.close();
    }
  });
}

function listRuns(runs: readonly RunSummary[], { format }: HistoryOptions, shell: Shell): void {
  if (format === 'json') {
    const listed = runs.map(({ run, title, createdBy, counts, createdAt }) => ({
      run,
      title,
      createdBy,
      counts,
      createdAt: toIso(createdAt),
    }));
    shell.out(`${JSON.stringify({ version: 1, runs: listed })}\n`);
    return;
  }
  if (runs.length === 0) {
    shell.out('no runs yet\n');
    return;
  }
  const rows = runs.map(({ run, createdAt, createdBy, title, counts }) => [
    run,
    `${formatWall(createdAt, 'UTC').slice(0, 16)}Z`,
    Object.entries(counts)
      .map(([state, count]) => `${count} ${state}`)
      .join(', '),
    title,
    shell.colors.dim(createdBy),
  ]);
  const columns = ['run', 'started', 'units', 'what', 'by'].map((title) => ({ title }));
  shell.out(`${textTable(columns, rows, { width: shell.columns, paintTitle: shell.colors.bold }).join('\n')}\n`);
}

async function showRun(
  run: string,
  ledger: LedgerStore,
  samples: number,
  { format, units: every }: HistoryOptions,
  connection: string | undefined,
  shell: Shell,
): Promise<{ readonly title: string; readonly records: readonly UnitRecord[] }> {
  const stored = await ledger.loadRun(run);
  if (stored === undefined)
    throw new UsageError(`there is no run ${run} in this database`, 'list them with: backfill history');
  const records = await ledger.units(run);
  const undoneBy = await ledger.undoneBy(run);
  if (format === 'json') {
    const units = records.map(({ unit, state, attempts, message, durationMs, slices }) => ({
      id: unit,
      state,
      cause: message ?? null,
      error: null,
      attempts,
      durationMs: durationMs ?? null,
      slices: slices.map(sliceJson),
    }));
    shell.out(
      `${JSON.stringify({ version: 1, runId: run, title: stored.title, createdAt: toIso(stored.createdAt), createdBy: stored.createdBy, tables: tablesJson(records), units })}\n`,
    );
    return { title: stored.title, records };
  }
  shell.out(
    `${shell.colors.bold(stored.title)}\n${toIso(stored.createdAt)} by ${stored.createdBy}, ${countsText(records)}\n\n`,
  );
  const units = records.map(asRunUnit);
  const open = !records.every(isCommitted);
  const result = {
    run,
    preview: false,
    outcome: open ? 'failed' : 'done',
    refusal: undefined,
    problem: undefined,
    units,
    durationMs: undefined,
  } as const;
  shell.out(runText({ result, samples, units: every, width: shell.columns, connection, undoneBy }, shell.colors));
  return { title: stored.title, records };
}

/** The message of a unit that ran to its end is what it noted. */
const asRunUnit = (record: UnitRecord): RunUnit => ({
  ...record,
  ran: true,
  error: undefined,
  cancelConfirmed: undefined,
  notes: record.state === 'changed' || record.state === 'unchanged' ? (record.message?.split('\n') ?? []) : [],
});
