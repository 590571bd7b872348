import * as vscode from 'vscode';
import type { SliceDiff } from '../../../core/diff/slice-diff.ts';
import type { UnitDetail } from '../../../protocol/assistant-state.ts';

const scheme = 'backfill-slice';

/** Both versions of a unit's slices as virtual documents for VS Code's own diff editor. */
export interface SliceDocuments extends vscode.Disposable {
  openDiff(title: string, detail: UnitDetail): Promise<void>;
}

export function sliceDocuments(): SliceDocuments {
  const texts = new Map<string, string>();
  let last = 0;
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? 'This version is no longer held.',
  });
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => texts.delete(uri.toString()));
  return {
    async openDiff(title, { slices }) {
      const id = ++last;
      const side = (which: 'before' | 'after'): vscode.Uri => {
        const uri = vscode.Uri.from({ scheme, path: `/${title} ${which}.txt`, query: String(id) });
        texts.set(uri.toString(), slices.map((slice) => versionText(slice, which)).join('\n'));
        return uri;
      };
      await vscode.commands.executeCommand('vscode.diff', side('before'), side('after'), `${title}: before ↔ after`);
    },
    dispose() {
      provider.dispose();
      closing.dispose();
    },
  };
}

/** Figures and the sampled rows of one version, a value a line, so that a diff shows the very column. */
function versionText(slice: SliceDiff, which: 'before' | 'after'): string {
  const figures = slice[which];
  const lines = [
    slice.table,
    `rows          ${figures?.rows ?? '—'}`,
    `key checksum  ${figures?.keyChecksum ?? '—'}`,
    `row checksum  ${figures?.rowChecksum ?? '—'}`,
    '',
  ];
  for (const sample of slice.samples) {
    const row = sample[which];
    const key = Object.entries(sample.key ?? {}).map(([column, value]) => `${column}=${value ?? 'NULL'}`);
    if (row === undefined) continue;
    lines.push(key.length > 0 ? key.join(', ') : 'row');
    for (const [column, value] of Object.entries(row)) lines.push(`  ${column}: ${value ?? 'NULL'}`);
    lines.push('');
  }
  if (slice.samples.length > 0)
    lines.push('(differing rows that were sampled; the rest of the slice is not shown)', '');
  return lines.join('\n');
}
