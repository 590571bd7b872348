import type * as vscode from 'vscode';

/** Documents that may hold a pipeline: Python, SQL and SQL templates on disk. */
export const pipelineDocuments: vscode.DocumentSelector = [
  { scheme: 'file', language: 'python' },
  { scheme: 'file', language: 'sql' },
  { scheme: 'file', language: 'jinja-sql' },
  { scheme: 'file', pattern: '**/*.sql' },
];

const languages = new Set(['python', 'sql', 'jinja-sql']);

export const isPipelineDocument = (document: vscode.TextDocument): boolean =>
  document.uri.scheme === 'file' && (languages.has(document.languageId) || document.fileName.endsWith('.sql'));
