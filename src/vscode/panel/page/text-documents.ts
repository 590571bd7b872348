import * as vscode from 'vscode';

const scheme = 'backfill-text';

/** Texts that somebody asked for as virtual documents, e.g. the log of a task. */
export interface TextDocuments extends vscode.Disposable {
  /** Shows a text; one that is open under this title is shown anew in its place. */
  open(title: string, text: string): Promise<void>;
}

export function textDocuments(): TextDocuments {
  const texts = new Map<string, string>();
  const changed = new vscode.EventEmitter<vscode.Uri>();
  const provider = vscode.workspace.registerTextDocumentContentProvider(scheme, {
    onDidChange: changed.event,
    provideTextDocumentContent: (uri) => texts.get(uri.path) ?? 'This text is no longer held; ask for it again.',
  });
  const closing = vscode.workspace.onDidCloseTextDocument(({ uri }) => {
    if (uri.scheme === scheme) texts.delete(uri.path);
  });
  return {
    async open(title, text) {
      // What is between slashes would be folders.
      const uri = vscode.Uri.from({ scheme, path: `/${title.replaceAll('/', '∕')}` });
      texts.set(uri.path, text);
      changed.fire(uri);
      const document = await vscode.workspace.openTextDocument(uri);
      await vscode.window.showTextDocument(document, { preview: false });
    },
    dispose: () => vscode.Disposable.from(provider, closing, changed).dispose(),
  };
}
