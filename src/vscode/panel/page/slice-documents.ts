import * as vscode from 'vscode';
import { versionText } from '../../../core/view/words/version-text.ts';
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
