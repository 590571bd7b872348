import { relative, sep } from 'node:path';
import { Worker } from 'node:worker_threads';
import * as vscode from 'vscode';
import type { Severity } from '../../core/lint/model/finding.ts';
import type { DocumentView } from '../../core/view/document/document-view.ts';
import { type Remote, remote, ThreadEnded } from '../host/rpc.ts';
import type { WorkspaceApi, WorkspaceEvent, WorkspaceSettings } from '../host/workspace-api.ts';
import type { Log } from './log.ts';
import { readingProgress } from './reading-progress.ts';
import type { CachedDocument, ViewCache } from './view-cache.ts';

/** Restarts of a thread that dies by itself before the client gives up and says so. */
const mostRestarts = 3;
/**
 * Megabytes for what was made last in a thread. What is left to V8 grows to many times that while a workspace is read, and
 * stays: 125 MB more on 700 files, for no less processor time.
 */
const youngMegabytes = 8;
/** What is kept is drawn before the reading begins, which would take a processor from it. */
const pauseMs = 200;

/** One workspace folder, read and checked in a thread of its own. */
export interface WorkspaceClient extends vscode.Disposable {
  readonly folder: vscode.WorkspaceFolder;
  readonly call: Remote<WorkspaceApi>['call'];
  /** The view of a document, made for exactly this version; kept until something changes. */
  view(document: vscode.TextDocument): Promise<DocumentView>;
  /** Something that views depend on has changed. */
  readonly onDidChange: vscode.Event<void>;
  /** The text of a document is another one than was read before, saved or not. */
  readonly onDidEdit: vscode.Event<void>;
  /** Path inside the folder, with `/`. */
  pathOf(uri: vscode.Uri): string;
  uriOf(path: string): vscode.Uri;
  /** Views are made anew from now on, e.g. because another interval was selected. */
  touch(): void;
}

export function openWorkspaceClient(
  folder: vscode.WorkspaceFolder,
  threadFile: string,
  cache: ViewCache,
  log: Log,
): WorkspaceClient {
  const changed = new vscode.EventEmitter<void>();
  const edited = new vscode.EventEmitter<void>();
  const views = new Map<string, { readonly key: string; readonly view: Promise<DocumentView> }>();
  const sent = new Map<string, number>();
  let generation = 0;
  let restarts = 0;
  let disposed = false;
  let thread: Remote<WorkspaceApi> | undefined;

  const pathOf = (uri: vscode.Uri): string => relative(folder.uri.fsPath, uri.fsPath).split(sep).join('/');
  const touch = (): void => {
    generation++;
    changed.fire();
  };

  const reading = readingProgress();
  const start = (): Remote<WorkspaceApi> => {
    sent.clear();
    const started = remote<WorkspaceApi, WorkspaceEvent>(newThread(threadFile), {
      onEvent(event) {
        if (event.kind === 'log') return log.info(event.message);
        if (event.kind === 'reading') return reading.report(event.done, event.total);
        reading.end();
        touch();
      },
      onEnd: (reason) => {
        if (disposed) return;
        reading.end();
        log.error(`reading ${folder.name} stopped: ${reason}`);
        if (++restarts > mostRestarts) {
          void vscode.window.showErrorMessage(
            `Backfill Assistant stopped reading ${folder.name}: ${reason}. Reload the window to start it again.`,
          );
          return;
        }
        thread = start();
        touch();
      },
    });
    const opened = started.call('open', { root: folder.uri.fsPath, settings: settingsOf(folder) });
    opened.catch((error: Error) => log.error(`${folder.name} cannot be read: ${error.message}`));
    const call: Remote<WorkspaceApi>['call'] = (method, argument) =>
      opened.then(() => started.call(method, argument)) as ReturnType<Remote<WorkspaceApi>['call']> as never;
    return { call, stop: started.stop };
  };

  /** Begins to read with the first question. */
  const call: Remote<WorkspaceApi>['call'] = (method, argument) => {
    thread ??= start();
    return thread.call(method, argument);
  };

  const send = async (document: vscode.TextDocument): Promise<void> => {
    const path = pathOf(document.uri);
    const before = sent.get(path);
    if (before === document.version) return;
    sent.set(path, document.version);
    await call('edit', { path, text: document.getText() });
    if (before !== undefined) edited.fire();
  };

  const watcher = vscode.workspace.createFileSystemWatcher(
    new vscode.RelativePattern(folder, '**/*.{py,sql,hql,j2,jinja,jinja2,yaml,yml,json,toml,txt,lock,cfg}'),
  );
  const waiting = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  /** A branch switch touches thousands of files: they are told in one go. */
  const onDisk = (uri: vscode.Uri): void => {
    waiting.add(pathOf(uri));
    clearTimeout(timer);
    timer = setTimeout(() => {
      const paths = [...waiting];
      waiting.clear();
      call('changed', { paths }).then(touch, () => {});
    }, 150);
  };

  const subscriptions = [
    watcher,
    watcher.onDidChange(onDisk),
    watcher.onDidCreate(onDisk),
    watcher.onDidDelete(onDisk),
    vscode.workspace.onDidCloseTextDocument((document) => {
      const path = pathOf(document.uri);
      if (!sent.delete(path)) return;
      views.delete(path);
      call('edit', { path, text: undefined }).then(touch, () => {});
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      call('configure', settingsOf(folder)).then(touch, () => {});
    }),
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (!event.affectsConfiguration('backfill', folder)) return;
      call('configure', settingsOf(folder)).then(touch, () => {});
    }),
  ];

  /** Nothing has been read yet: until then what is kept is shown. */
  let hasAnswered = false;
  const asCached = (document: vscode.TextDocument): CachedDocument => ({
    root: folder.uri.fsPath,
    path: pathOf(document.uri),
    text: document.getText(),
    settings: JSON.stringify(settingsOf(folder)),
  });
  const read = async (document: vscode.TextDocument, key: string): Promise<DocumentView> => {
    await send(document);
    const view = (await call('view', { path: pathOf(document.uri), now: Date.now() })) as DocumentView;
    keep(document, view, key).catch(ignore);
    return view;
  };
  let reader: NodeJS.Timeout | undefined;
  /** What was shown at the last start, where it still stands; what is read takes its place, and begins when that is shown. */
  const keptOrRead = async (document: vscode.TextDocument, key: string): Promise<DocumentView> => {
    const kept = await cache.find(asCached(document), Date.now());
    if (kept === undefined || hasAnswered) return read(document, key);
    clearTimeout(reader);
    reader = setTimeout(() => {
      if (!document.isClosed && key === keyOf(document)) read(document, key).then(touch, ignore);
      // Whoever looks at another document, or at this one as it is now, is not shown what is kept for ever.
      else touch();
    }, pauseMs);
    return kept;
  };
  const keep = async (document: vscode.TextDocument, view: DocumentView, key: string): Promise<void> => {
    hasAnswered = true;
    // What is typed is kept when it is saved and looked at; what was read alone is kept when the rest was.
    const isWhole = view.tasks.length > 0 && view.tasks.every(({ downstream }) => downstream !== undefined);
    if (!isWhole || document.isDirty || key !== keyOf(document)) return;
    const pipelines = view.pipelines.map(({ pipeline }) => pipeline);
    const cached = asCached(document);
    const basis = await call('basis', { path: cached.path, pipelines, now: Date.now() });
    if (basis !== undefined && key === keyOf(document)) await cache.keep(cached, view, basis);
  };
  const keyOf = ({ version }: vscode.TextDocument): string => `${version} ${generation}`;

  return {
    folder,
    call,
    onDidChange: changed.event,
    onDidEdit: edited.event,
    pathOf,
    uriOf: (path) => vscode.Uri.joinPath(folder.uri, path),
    touch,
    view(document) {
      const path = pathOf(document.uri);
      const key = keyOf(document);
      const known = views.get(path);
      if (known?.key === key) return known.view;
      const view = hasAnswered ? read(document, key) : keptOrRead(document, key);
      views.set(path, { key, view });
      view.catch((error: unknown) => {
        if (views.get(path)?.view === view) views.delete(path);
        if (!(error instanceof ThreadEnded)) log.error(`${path}: ${String(error)}`);
      });
      return view;
    },
    dispose() {
      disposed = true;
      reading.end();
      clearTimeout(timer);
      clearTimeout(reader);
      for (const subscription of subscriptions) subscription.dispose();
      changed.dispose();
      edited.dispose();
      void thread?.stop();
    },
  };
}

const ignore = (): void => {};

const newThread = (file: string): Worker =>
  new Worker(file, { resourceLimits: { maxYoungGenerationSizeMb: youngMegabytes } });

function settingsOf(folder: vscode.WorkspaceFolder): WorkspaceSettings {
  const settings = vscode.workspace.getConfiguration('backfill', folder);
  const version = settings.get<'auto' | '2' | '3'>('airflow.version', 'auto');
  const zone = settings.get<'pipeline' | 'UTC' | 'local'>('timeZone', 'pipeline');
  return {
    airflowPython: settings.get<string>('airflow.python', '').trim() || undefined,
    trusted: vscode.workspace.isTrusted,
    airflowVersion: version === 'auto' ? 'auto' : version === '3' ? 3 : 2,
    // The editor hands out proxies, which cannot be sent to another thread.
    severities: { ...settings.get<Record<string, Severity | 'off'>>('rules', {}) },
    shownIn:
      zone === 'pipeline' ? undefined : zone === 'UTC' ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone,
  };
}
