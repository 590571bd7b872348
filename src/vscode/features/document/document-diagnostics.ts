import * as vscode from 'vscode';
import type { Finding, Severity } from '../../../core/lint/model/finding.ts';
import type { Problem, Span } from '../../../core/text/span.ts';
import type { DocumentView, UnknownView } from '../../../core/view/document/document-view.ts';

export const diagnosticSource = 'backfill';

export const severities: Readonly<Record<Severity | Problem['severity'], vscode.DiagnosticSeverity>> = {
  error: vscode.DiagnosticSeverity.Error,
  warning: vscode.DiagnosticSeverity.Warning,
  info: vscode.DiagnosticSeverity.Information,
  hint: vscode.DiagnosticSeverity.Hint,
};

/** Findings, problems of reading and, as hints that no list of problems shows, what is not known. */
export function documentDiagnostics(
  { findings, problems, unknowns }: DocumentView,
  document: vscode.TextDocument,
  uriOf: (path: string) => vscode.Uri,
): vscode.Diagnostic[] {
  const plain = (at: Span, message: string, severity: vscode.DiagnosticSeverity): vscode.Diagnostic => {
    const diagnostic = new vscode.Diagnostic(rangeOf(at, document), message, severity);
    diagnostic.source = diagnosticSource;
    return diagnostic;
  };
  const related = ({ at, related: places }: Finding): vscode.DiagnosticRelatedInformation[] =>
    places
      .filter((place) => place.at.file === at.file)
      .map(({ at: place, message }) => {
        const location = new vscode.Location(uriOf(place.file), rangeOf(place, document));
        return new vscode.DiagnosticRelatedInformation(location, message);
      });
  return [
    ...findings.map((finding) => {
      const diagnostic = plain(finding.at, finding.message, severities[finding.severity]);
      diagnostic.code = { value: finding.rule, target: rulePageLink(finding.rule) };
      diagnostic.relatedInformation = related(finding);
      return diagnostic;
    }),
    ...problems.map(({ at, message, severity }) => {
      const diagnostic = plain(at, message, severities[severity]);
      diagnostic.range = firstLine(diagnostic.range, document);
      return diagnostic;
    }),
    ...(showsUnknowns(document) ? unknowns : []).map((unknown) => {
      const diagnostic = plain(unknown.at, unknown.message, severities.hint);
      diagnostic.code = codeOf(unknown);
      return diagnostic;
    }),
  ];
}

export const rangeOf = ({ start, end }: Span, document: vscode.TextDocument): vscode.Range =>
  new vscode.Range(document.positionAt(start), document.positionAt(end));

/** The place of a problem may be a whole DAG; its first line says enough. */
const firstLine = (range: vscode.Range, document: vscode.TextDocument): vscode.Range =>
  range.isSingleLine ? range : range.with({ end: document.lineAt(range.start.line).range.end });

/** Whether what is not known is marked in a document. */
export const showsUnknowns = (document: vscode.TextDocument): boolean =>
  vscode.workspace.getConfiguration('backfill', document.uri).get('unknowns.enabled', true);

export const codeOf = ({ about }: UnknownView): string => `unknown-${about}`;

/** Opens the rule's page inside the editor: it is part of the extension, so it works offline. */
export const rulePageLink = (rule: string): vscode.Uri =>
  vscode.Uri.parse(`command:backfill.openRulePage?${encodeURIComponent(JSON.stringify([rule]))}`);
