import * as vscode from 'vscode';
import type { Finding, Fix } from '../../core/lint/finding.ts';
import { suppressInFile, suppressNextLine } from '../../core/lint/suppression-edit.ts';
import type { TextEdit } from '../../core/text/span.ts';
import type { WorkspaceClient } from '../workspace-client.ts';
import type { WorkspaceClients } from '../workspace-clients.ts';
import { pipelineDocuments } from './pipeline-documents.ts';

/** Fixes of a finding, its suppressions, and its page. Edits are refused when the text has changed since. */
export function registerQuickFixes(clients: WorkspaceClients): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    async provideCodeActions(document, range) {
      const client = clients.of(document.uri);
      if (client === undefined) return [];
      const version = document.version;
      const { findings } = await client.view(document);
      if (document.version !== version) return [];
      return findings
        .filter(({ at }) => range.intersection(rangeOf(at, document)) !== undefined)
        .flatMap((finding) => [
          ...finding.fixes.map((fix) => fixAction(fix, finding, client, document)),
          ...suppressions(finding, client, document),
          pageAction(finding),
        ]);
    },
  };
  return vscode.languages.registerCodeActionsProvider(pipelineDocuments, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

const rangeOf = ({ start, end }: { start: number; end: number }, document: vscode.TextDocument): vscode.Range =>
  new vscode.Range(document.positionAt(start), document.positionAt(end));

function fixAction(
  { title, edits, preferred }: Fix,
  finding: Finding,
  client: WorkspaceClient,
  document: vscode.TextDocument,
): vscode.CodeAction {
  const action = editAction(title, edits, client, document);
  action.isPreferred = preferred;
  action.diagnostics = vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ code, range }) => ruleOf(code) === finding.rule && range.isEqual(rangeOf(finding.at, document)));
  return action;
}

const ruleOf = (code: vscode.Diagnostic['code']): unknown => (typeof code === 'object' ? code.value : code);

function suppressions(finding: Finding, client: WorkspaceClient, document: vscode.TextDocument): vscode.CodeAction[] {
  const text = document.getText();
  return [
    editAction(`Suppress ${finding.rule} on this line`, [suppressNextLine(finding, text)], client, document),
    editAction(`Suppress ${finding.rule} in this file`, [suppressInFile(finding, text)], client, document),
  ];
}

function editAction(
  title: string,
  edits: readonly TextEdit[],
  client: WorkspaceClient,
  document: vscode.TextDocument,
): vscode.CodeAction {
  const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
  const path = client.pathOf(document.uri);
  // A fix in another file cannot be placed without its text; the command line applies those.
  if (edits.every(({ file }) => file === path)) {
    action.edit = new vscode.WorkspaceEdit();
    for (const edit of edits) action.edit.replace(document.uri, rangeOf(edit, document), edit.newText);
  } else {
    action.disabled = { reason: 'This fix changes another file: open that file and apply it there.' };
  }
  return action;
}

function pageAction({ rule }: Finding): vscode.CodeAction {
  const action = new vscode.CodeAction(`Why ${rule}?`, vscode.CodeActionKind.QuickFix);
  action.command = { command: 'backfill.openRulePage', title: 'Open Rule Page', arguments: [rule] };
  return action;
}
