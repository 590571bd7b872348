import { byScheduler } from '../../core/ledger/by-scheduler.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import {
  newestOfSlices,
  type SliceVersionRecord,
  type StaleSlice,
  staleInWords,
  staleSlices,
} from '../../core/ledger/stale-slices.ts';
import { plural } from '../../core/text/plural.ts';
import { instant } from '../../core/time/zones/instant.ts';
import { toIso } from '../../core/time/zones/iso.ts';
import { readWorkspace } from '../arguments/workspace-option.ts';
import { withTarget } from '../connection/with-target.ts';
import { textTable } from '../reporters/text/text-table.ts';
import { exitCodes, type Shell } from '../terminal/shell.ts';
import { workLine } from '../terminal/work-line.ts';

export interface StaleOptions {
  readonly format: 'text' | 'json';
  readonly connection?: string;
}

/** Slices that a run made and that a run would now make otherwise, as far as the ledger of the database knows. */
export async function showStale(root: string, { format, connection }: StaleOptions, shell: Shell): Promise<void> {
  const workspace = await readWorkspace(root, shell);
  await withTarget(workspace, connection, shell, async ({ warehouse }) => {
    const ledger = sqlLedgerStore(warehouse);
    try {
      const line = workLine(shell);
      line.tell('asking the ledger for the newest version of each slice', 0, 0);
      const versions = await ledger.newestVersions().finally(line.end);
      const newest = newestOfSlices(versions);
      const hashes = new Map(workspace.tasks.map(({ id, codeHash }) => [id, codeHash]));
      const stale = staleSlices(versions, hashes);
      shell.out(format === 'json' ? staleJson(stale, newest) : staleText(stale, newest, shell));
      shell.exit(exitCodes.done);
    } finally {
      await ledger.close();
    }
  });
}

const isoBound = (at: number): string | null => (Number.isFinite(at) ? toIso(instant(at)) : null);

/** Slices that something else than a run from here made last: with which code, and from what, is not recorded. */
const notJudged = (versions: readonly SliceVersionRecord[]): number => versions.filter(byScheduler).length;

function staleJson(stale: readonly StaleSlice[], versions: readonly SliceVersionRecord[]): string {
  const listed = stale.map(({ version, reasons }) => ({
    unit: version.unit,
    task: version.task,
    table: version.target,
    from: isoBound(version.lower),
    to: isoBound(version.upper),
    madeAt: toIso(version.committedAt),
    madeBy: version.run,
    reasons: reasons.map((reason) => ({ ...reason, message: staleInWords(reason) })),
  }));
  return `${JSON.stringify({ version: 1, stale: listed, notJudged: notJudged(versions) })}\n`;
}

/** What a change by hand did not tell the ledger is not seen: neither answer is absolute. */
const restsOn = 'by what the ledger knows; tables that no task of the workspace writes are not looked at';

function staleText(
  stale: readonly StaleSlice[],
  versions: readonly SliceVersionRecord[],
  { colors, columns }: Shell,
): string {
  const known = versions.length;
  const scheduled = notJudged(versions);
  const open =
    scheduled === 0
      ? ''
      : `${plural(scheduled, 'slice')} made elsewhere last (by a scheduler, or told with backfill done): not judged\n`;
  if (known === 0) return 'no slice was made by a run on this database yet\n';
  if (stale.length === 0) return `no slice is stale, of ${known} (${restsOn})\n${open}`;
  const rows = stale.map(({ version, reasons }) => [
    version.unit,
    version.target,
    toIso(version.committedAt),
    reasons.map(staleInWords).join('; '),
  ]);
  const titles = ['unit', 'table', 'made at', 'why it is stale'].map((title) => ({ title }));
  const table = textTable(titles, rows, { width: columns, paintTitle: colors.bold });
  return `${table.join('\n')}\n${stale.length} of ${plural(known, 'slice')} ${stale.length === 1 ? 'is' : 'are'} stale (${restsOn}); "backfill run" with --downstream makes ${stale.length === 1 ? 'it' : 'them'} anew\n${open}`;
}
