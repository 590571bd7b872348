/// <reference types="vscode" />
// Runs in the extension host of a real VS Code, as its tests of extensions do.
import { readFile, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import type { HostReport, HostTask } from './host-report.ts';
import { longestBlock } from './longest-block.ts';

const ours = 'backfill-assistant';

/** Called by VS Code. The task and the report are files beside the workspace. */
export async function run(): Promise<void> {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  if (folder === undefined) throw new Error('no folder is open');
  const task = JSON.parse(await readFile(`${folder.uri.fsPath}.task.json`, 'utf8')) as HostTask;
  const report = await measure(folder.uri, task).catch((error: unknown) => ({ failed: String(error) }));
  await writeFile(`${folder.uri.fsPath}.report.json`, JSON.stringify(report));
}

async function measure(folder: vscode.Uri, { file, text, other, edits, watchesBlocks }: HostTask): Promise<HostReport> {
  const extension = vscode.extensions.all.find(({ id }) => id.endsWith(ours));
  if (extension === undefined) throw new Error('the extension is not installed');
  // What VS Code starts at the same time is over by then. A workspace is read when a file of it is looked at, not before.
  await sleep(3000);
  const memoryBefore = process.memoryUsage.rss() / 1e6;
  const session = watchesBlocks ? await profiled() : undefined;
  const uri = vscode.Uri.joinPath(folder, file);
  const beganAt = performance.now();
  const document = await vscode.workspace.openTextDocument(uri);
  await extension.activate();
  const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri);
  const firstLensMs = performance.now() - beganAt;
  if (lenses.length === 0) throw new Error(`${file} has no lens`);
  const editor = await vscode.window.showTextDocument(document);
  const findingsMs: number[] = [];
  await wholeRead(uri);
  for (let edit = 0; edit < edits; edit++) {
    findingsMs.push(await (edit % 2 === 0 ? typed(editor, text, other) : typed(editor, other, text)));
  }
  // Everything that goes on in the background has come to rest.
  await sleep(5000);
  const block = session === undefined ? { ms: 0, what: '' } : await longestOf(session);
  return {
    ...(await activation()),
    firstLensMs,
    findingsMs,
    longestBlockMs: block.ms,
    longestBlock: block.what,
    memoryBefore,
    memoryAfter: process.memoryUsage.rss() / 1e6,
  };
}

/** Until the lenses know what is downstream: then all has been read. */
async function wholeRead(uri: vscode.Uri): Promise<void> {
  for (let left = 600; ; left--) {
    const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 50);
    if (lenses.some(({ command }) => command?.title.includes('downstream') === true)) return;
    if (left === 0) throw new Error('the workspace was not read within minutes');
    await sleep(200);
  }
}

/** Replaces a text by the other; how long until the findings are told anew. */
async function typed(editor: vscode.TextEditor, from: string, to: string): Promise<number> {
  const { document } = editor;
  const count = (): number => vscode.languages.getDiagnostics(document.uri).length;
  const had = count();
  const at = document.getText().indexOf(from);
  if (at < 0) throw new Error(`there is no ${from} in the file`);
  const changed = new Promise<void>((resolve) => {
    const listening = vscode.languages.onDidChangeDiagnostics(({ uris }) => {
      if (!uris.some((uri) => uri.toString() === document.uri.toString()) || count() === had) return;
      listening.dispose();
      resolve();
    });
  });
  const beganAt = performance.now();
  await editor.edit((build) =>
    build.replace(new vscode.Range(document.positionAt(at), document.positionAt(at + from.length)), to),
  );
  await Promise.race([
    changed,
    sleep(20_000).then(() => {
      throw new Error(`no finding came or went after ${from} became ${to}`);
    }),
  ]);
  return performance.now() - beganAt;
}

async function activation(): Promise<Pick<HostReport, 'loadMs' | 'activateMs'>> {
  await vscode.commands.executeCommand('perfview.show');
  for (let left = 600; ; left--) {
    const text = vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf')?.getText() ?? '';
    const line = text.split('\n').find((one) => one.includes(ours));
    // | extension | eager | load code | call activate | finish activate | event | by |
    const [, , , load, call] = line?.split('|').map((cell) => cell.trim()) ?? [];
    if (load !== undefined && call !== undefined) {
      return { loadMs: Number(load), activateMs: Number(call) };
    }
    if (left === 0) throw new Error('VS Code does not say how long activation took');
    await sleep(100);
  }
}

async function profiled(): Promise<Session> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.setSamplingInterval', { interval: 500 });
  await session.post('Profiler.start');
  return session;
}

async function longestOf(session: Session): Promise<{ readonly ms: number; readonly what: string }> {
  const { profile } = await session.post('Profiler.stop');
  return longestBlock(profile, ours);
}
