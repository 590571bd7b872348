import * as vscode from 'vscode';
import type { PageRequest, ReportFormat } from '../../../core/view/page/page-request.ts';
import type { Connections } from '../../clients/connections.ts';
import type { Log } from '../../clients/log.ts';
import { startRunThread } from '../../clients/run-thread-client.ts';
import type { Schedulers } from '../../clients/schedulers.ts';
import { untrustedWords } from '../../clients/untrusted-words.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import { connectWarehouse } from '../../prompts/connect-warehouse.ts';
import { writeDeclaration } from '../../prompts/write-declaration.ts';
import type { KeptSession, SessionServices } from '../facts/session-services.ts';
import type { SliceDocuments } from './slice-documents.ts';
import type { TextDocuments } from './text-documents.ts';

export interface EditorServicesInput {
  readonly client: WorkspaceClient;
  readonly connections: Connections;
  readonly log: Log;
  readonly schedulers: Schedulers;
  readonly diffs: SliceDocuments;
  readonly texts: TextDocuments;
  /** Bundle of the run thread, absolute. */
  readonly runThread: string;
  readonly createdBy: string;
  remember(kept: KeptSession): void;
}

const reportFormats: readonly (vscode.QuickPickItem & { readonly format: ReportFormat })[] = [
  { label: 'Markdown', detail: 'For a pull request or a message', format: 'markdown' },
  { label: 'HTML', detail: 'One file that needs nothing else', format: 'html' },
  { label: 'JSON', detail: 'For a program: plan, units, figures', format: 'json' },
];

/** The session's services in a real editor: questions, clipboard, files, documents. */
export function editorServices(input: EditorServicesInput): SessionServices {
  const { client, connections, schedulers, log, diffs, texts, runThread, createdBy, remember } = input;
  return {
    client,
    connections,
    schedulers,
    log,
    createdBy,
    remember,
    // A page lives for long: what was set since counts for its next run.
    get settings() {
      const settings = vscode.workspace.getConfiguration('backfill', client.folder);
      return {
        concurrency: setBySomebody(settings.inspect<number>('run.concurrency')),
        shrinkPercent: setBySomebody(settings.inspect<number | null>('run.guard.shrinkPercent')),
        earlyCutoff: setBySomebody(settings.inspect<boolean>('run.earlyCutoff')),
        samples: setBySomebody(settings.inspect<number>('diff.samples')),
        floatTolerance: setBySomebody(settings.inspect<number | null>('diff.floatTolerance')),
      };
    },
    startRunThread: (onEvent, onEnd) => {
      if (!vscode.workspace.isTrusted) throw new Error(untrustedWords);
      return startRunThread(runThread, onEvent, onEnd);
    },
    async confirmProtected(name, target) {
      const typed = await vscode.window.showInputBox({
        title: `${name} is protected`,
        prompt: `This run writes to ${target === name ? name : `${name} (${target})`}. Type ${name} to start it.`,
        ignoreFocusOut: true,
        validateInput: (text) => (text === '' || name.startsWith(text) ? undefined : `That is not ${name}.`),
      });
      return typed === name;
    },
    async confirmOutside(question) {
      const yes = 'Do It';
      return (await vscode.window.showWarningMessage(question, { modal: true }, yes)) === yes;
    },
    async chooseConnection({ name, names }) {
      const items: readonly (vscode.QuickPickItem & { readonly request: PageRequest })[] = [
        ...names.map((known) => ({
          label: known,
          description: known === name ? 'chosen' : '',
          request: { type: 'use-connection' as const, name: known },
        })),
        { label: 'Connect a warehouse…', request: { type: 'connect' } },
        ...((await client.call('connections', null)).hasEmbedded
          ? []
          : [{ label: 'Use the embedded database', request: { type: 'use-embedded' as const } }]),
      ];
      const placeHolder = 'Which database should the slices be written to?';
      return (await vscode.window.showQuickPick(items, { placeHolder }))?.request;
    },
    connectWarehouse: () => connectWarehouse(client),
    async copy(text, what) {
      await vscode.env.clipboard.writeText(text);
      vscode.window.setStatusBarMessage(`$(check) ${what}`, 4000);
    },
    async chooseReportFormat() {
      const chosen = await vscode.window.showQuickPick(reportFormats, { placeHolder: 'Which kind of report?' });
      return chosen?.format;
    },
    async save(name, text) {
      const defaultUri = vscode.Uri.joinPath(client.folder.uri, name);
      const uri = await vscode.window.showSaveDialog({ defaultUri });
      if (uri === undefined) return;
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(text));
      await vscode.window.showTextDocument(uri);
    },
    async openSource(task) {
      const place = await client.call('place', { task });
      if (place === undefined) throw new Error(`There is no task ${task} any more.`);
      const { start, end } = place;
      const selection = new vscode.Range(start.line - 1, start.column - 1, end.line - 1, end.column - 1);
      await vscode.window.showTextDocument(client.uriOf(place.file), { selection });
    },
    openText: texts.open,
    async confirmDone(unit) {
      const question = `Was ${unit} done elsewhere? Nobody looks whether it is so; figures of its slices are taken as they are now.`;
      const yes = 'Mark as Done';
      return (await vscode.window.showWarningMessage(question, { modal: true }, yes)) === yes;
    },
    async declare(task, draft) {
      // It was asked for with the evidence in view: it counts from now on.
      await (await writeDeclaration(client, task, draft))?.save();
    },
    openDiff: (title, detail) => diffs.openDiff(title, detail),
  };
}

type Inspected<T> = Partial<Record<'workspaceFolderValue' | 'workspaceValue' | 'globalValue', T>>;

/** The value that somebody chose, not the default: where nobody did, `backfill.yaml` decides. */
const setBySomebody = <T>(found: Inspected<T> | undefined): T | undefined =>
  [found?.workspaceFolderValue, found?.workspaceValue, found?.globalValue].find((value) => value !== undefined);
