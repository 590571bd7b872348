import * as vscode from 'vscode';
import { suppressInFile, suppressNextLine } from '../../../core/lint/fixes/suppression-edit.ts';
import type { Finding, Fix } from '../../../core/lint/model/finding.ts';
import type { Span, TextEdit } from '../../../core/text/span.ts';
import type { DocumentView } from '../../../core/view/document/document-view.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { codeOf, rangeOf, showsUnknowns } from './document-diagnostics.ts';
import { pipelineDocuments } from './pipeline-documents.ts';
import type { TaskReference } from './task-reference.ts';

/** Fixes of a finding, its suppressions, and its page. Edits are refused when the text has changed since. */
export function registerQuickFixes(clients: WorkspaceClients): vscode.Disposable {
  const provider: vscode.CodeActionProvider = {
    async provideCodeActions(document, range) {
      const client = clients.of(document.uri);
      if (client === undefined) return [];
      const version = document.version;
      const view = await client.view(document);
      if (document.version !== version) return [];
      const isHere = (at: Span): boolean => range.intersection(rangeOf(at, document)) !== undefined;
      return [
        ...view.findings
          .filter(({ at }) => isHere(at))
          .flatMap((finding) => [
            ...finding.fixes.map((fix) => fixAction(fix, finding, client, document)),
            ...suppressions(finding, client, document),
            pageAction(finding),
          ]),
        ...(showsUnknowns(document) ? declarations(view, isHere, document) : []),
      ];
    },
  };
  return vscode.languages.registerCodeActionsProvider(pipelineDocuments, provider, {
    providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
  });
}

function fixAction(
  { title, edits, preferred }: Fix,
  finding: Finding,
  client: WorkspaceClient,
  document: vscode.TextDocument,
): vscode.CodeAction {
  const action = editAction(title, edits, client, document);
  action.isPreferred = preferred;
  action.diagnostics = diagnosticsOf(finding.rule, finding.at, document);
  return action;
}

const diagnosticsOf = (wanted: string, at: Span, document: vscode.TextDocument): vscode.Diagnostic[] =>
  vscode.languages
    .getDiagnostics(document.uri)
    .filter(({ code, range }) => ruleOf(code) === wanted && range.isEqual(rangeOf(at, document)));

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

/** For each task with something unknown here, or with its name here: an entry of `backfill.yaml` that settles it. */
function declarations(
  { tasks, unknowns }: DocumentView,
  isHere: (at: Span) => boolean,
  document: vscode.TextDocument,
): vscode.CodeAction[] {
  const isNamed = (task: string): boolean => tasks.some((one) => one.task === task && isHere(one.nameAt));
  const here = unknowns.filter(({ task, at }) => isHere(at) || isNamed(task));
  return [...new Set(here.map(({ task }) => task))].map((task) => {
    const title = `Declare what ${task} reads and writes in backfill.yaml`;
    const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
    const reference: TaskReference = { uri: document.uri.toString(), task };
    action.command = { command: 'backfill.declareTask', title, arguments: [reference] };
    action.diagnostics = here
      .filter((unknown) => unknown.task === task)
      .flatMap((unknown) => diagnosticsOf(codeOf(unknown), unknown.at, document));
    return action;
  });
}
