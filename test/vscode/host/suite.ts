/// <reference types="vscode" />
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import * as vscode from 'vscode';
import { commands } from '../../../src/vscode/contributions.ts';

/** What the suite tells its caller, through a file beside the workspace: the folder itself stays as it is. */
export interface HostResult {
  readonly name: string;
  readonly error: string | undefined;
}
export interface HostReport {
  readonly results: readonly HostResult[];
  /** Load and activation of the extension as VS Code measured them, in milliseconds. */
  readonly activation: string;
}

const folder = (): vscode.Uri => {
  const [first] = vscode.workspace.workspaceFolders ?? [];
  assert.ok(first, 'a folder is open');
  return first.uri;
};
const dag = (): vscode.Uri => vscode.Uri.joinPath(folder(), 'dags', 'shop_daily.py');

/** Asks until the answer is as wanted; the last answer is in the failure. */
async function until<Value>(ask: () => PromiseLike<Value>, right: (value: Value) => boolean): Promise<Value> {
  for (let left = 1200; ; left--) {
    const value = await ask();
    if (right(value)) return value;
    if (left === 0) assert.fail(`still ${JSON.stringify(value)}`);
    await sleep(100);
  }
}

const lenses = async (): Promise<readonly string[]> => {
  const found = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', dag(), 100);
  return found.map(({ command, range }) => `${range.start.line + 1} ${command?.title.replace(/\$\([a-z-]+\) ?/, '')}`);
};
/** Findings have a rule with a page; what could not be read and what is not known have none. */
const diagnostics = async (document: vscode.TextDocument): Promise<readonly string[]> =>
  vscode.languages
    .getDiagnostics(document.uri)
    .flatMap(({ code, range }) =>
      typeof code === 'object' ? [`${code.value}: ${document.getText(range).split('\n')[0]}`] : [],
    );
const edit = async (change: (edit: vscode.WorkspaceEdit) => void): Promise<void> => {
  const all = new vscode.WorkspaceEdit();
  change(all);
  assert.ok(await vscode.workspace.applyEdit(all));
};
const open = async (): Promise<vscode.TextDocument> => {
  const document = await vscode.workspace.openTextDocument(dag());
  await vscode.window.showTextDocument(document);
  return document;
};
const revert = (): Thenable<unknown> => vscode.commands.executeCommand('workbench.action.files.revert');

const found = [
  'dynamic-start-date: datetime.now()',
  'plain-insert: INSERT INTO mart.revenue_daily',
  'wall-clock: CURRENT_DATE',
  'delete-insert-range-mismatch: DELETE FROM mart.revenue_rolling7',
  'additive-update: net_amount = t.net_amount + d.net_amount',
];

const cases: Readonly<Record<string, () => Promise<void>>> = {
  async 'findings stand on the exact tokens'() {
    const document = await open();
    const seen = await until(
      () => diagnostics(document),
      ({ length }) => length === found.length,
    );
    for (const [index, text] of seen.entries()) {
      assert.ok(text.startsWith(found[index] ?? '?'), `${text} instead of ${found[index]}`);
    }
  },
  async 'what could not be read is said beside the findings, as mildly as it is meant'() {
    const document = await open();
    const [unread] = await until(
      async () => vscode.languages.getDiagnostics(document.uri).filter(({ code }) => code === undefined),
      ({ length }) => length > 0,
    );
    assert.match(unread?.message ?? '', /which Airflow version/);
    assert.equal(unread?.severity, vscode.DiagnosticSeverity.Information);
    assert.equal(unread?.range.isSingleLine, true);
  },
  async 'what is not known is a hint and nothing more'() {
    const document = await open();
    const unknowns = await until(
      async () => vscode.languages.getDiagnostics(document.uri).filter(({ code }) => typeof code === 'string'),
      ({ length }) => length > 0,
    );
    for (const { code, severity } of unknowns) {
      assert.match(String(code), /^unknown-[a-z-]+$/);
      assert.equal(severity, vscode.DiagnosticSeverity.Hint);
    }
  },
  async 'lenses stay where they are while a line is half typed'() {
    const document = await open();
    const before = await until(lenses, ({ length }) => length >= 4);
    const end = document.lineAt(document.lineCount - 1).range.end;
    for (const typed of ['\n', 'x = SQLExecuteQueryOperator(', 'task_id="', "sql='''"]) {
      await edit((all) => all.insert(dag(), document.lineAt(document.lineCount - 1).range.end, typed));
      const during = await lenses();
      assert.deepEqual(during.slice(0, before.length), before, `after typing ${typed}`);
    }
    assert.ok(end.line > 0);
    await revert();
    assert.deepEqual(await until(lenses, ({ length }) => length === before.length), before);
  },
  async 'hints resolve intervals and slices'() {
    const document = await open();
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    const hints = await until(
      () => vscode.commands.executeCommand<vscode.InlayHint[]>('vscode.executeInlayHintProvider', dag(), all),
      ({ length }) => length > 0,
    );
    const texts = hints.map(({ label, position }) => `${position.line + 1} ${String(label)}`);
    assert.ok(
      texts.some((text) => /^35 .*\d{4}-\d\d-\d\d/.test(text)),
      texts.join('; '),
    );
    assert.ok(
      texts.some((text) => /^37 → mart\.revenue_rolling7 · /.test(text)),
      texts.join('; '),
    );
  },
  async 'the hover of a task says what it writes and reads'() {
    const document = await open();
    const at = document.positionAt(document.getText().indexOf('"revenue_rolling7"') + 3);
    const [hover] = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', dag(), at);
    const text = hover?.contents.map((content) => (typeof content === 'string' ? content : content.value)).join('\n');
    assert.match(text ?? '', /Writes `mart\.revenue_rolling7`/);
    assert.match(text ?? '', /Reads `mart\.revenue_daily`/);
  },
  async 'the preferred fix takes its finding away'() {
    const document = await open();
    await until(
      () => diagnostics(document),
      ({ length }) => length === found.length,
    );
    const at = document.positionAt(document.getText().indexOf('CURRENT_DATE') + 2);
    const actions = await until(
      () =>
        vscode.commands.executeCommand<vscode.CodeAction[]>(
          'vscode.executeCodeActionProvider',
          dag(),
          new vscode.Range(at, at),
          vscode.CodeActionKind.QuickFix.value,
        ),
      ({ length }) => length > 0,
    );
    const titles = actions.map(({ title }) => title);
    assert.deepEqual(titles.slice(1), [
      'Suppress wall-clock on this line',
      'Suppress wall-clock in this file',
      'Why wall-clock?',
    ]);
    const [fix] = actions;
    assert.ok(fix?.isPreferred === true && fix.edit !== undefined, titles.join('; '));
    assert.ok(await vscode.workspace.applyEdit(fix.edit));
    await until(
      () => diagnostics(document),
      (seen) => !seen.some((text) => text.startsWith('wall-clock')),
    );
    await revert();
  },
  async 'an emptied file has no finding and no lens'() {
    const document = await open();
    const all = new vscode.Range(0, 0, document.lineCount, 0);
    await edit((change) => change.delete(dag(), all));
    await until(
      () => diagnostics(document),
      ({ length }) => length === 0,
    );
    await until(lenses, ({ length }) => length === 0);
    await revert();
    await until(
      () => diagnostics(document),
      ({ length }) => length === found.length,
    );
  },
  async 'the name of a SQL file leads to it'() {
    await open();
    const links = await until(
      () => vscode.commands.executeCommand<vscode.DocumentLink[]>('vscode.executeLinkProvider', dag()),
      (seen) => seen.some(({ target }) => target?.path.endsWith('.sql') === true),
    );
    const [link] = links.filter(({ target }) => target?.path.endsWith('.sql') === true);
    assert.match(link?.target?.path ?? '', /dags\/sql\/orders_clean\.sql$/);
  },
  async 'language models may check and plan; nobody is asked, and nothing runs'() {
    const names = vscode.lm.tools.map(({ name }) => name).filter((name) => name.startsWith('backfill_'));
    assert.deepEqual(names.sort(), [
      'backfill_check',
      'backfill_diff',
      'backfill_plan',
      'backfill_preview',
      'backfill_stale',
    ]);
    const ask = async (name: string, input: object): Promise<string> => {
      const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined });
      return content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '')).join('');
    };
    assert.match(await ask('backfill_check', {}), /dags\/shop_daily\.py:24 error plain-insert/);
    const plan = await ask('backfill_plan', {
      task: 'shop_daily.revenue_rolling7',
      from: '2026-10-05',
      to: '2026-10-07',
    });
    assert.match(plan, /^\d+ slices? of \d tasks? would be made anew/);
    assert.match(plan, /backfill run shop_daily\.revenue_rolling7 --from 2026-10-05 --to 2026-10-07/);
    await assert.rejects(ask('backfill_plan', { task: 'no.such', from: '2026-10-05', to: '2026-10-07' }), /no task/);
  },
  async 'what is typed is judged when the cursor leaves its line'() {
    const document = await open();
    await until(
      () => diagnostics(document),
      ({ length }) => length === found.length,
    );
    const editor = vscode.window.activeTextEditor;
    assert.ok(editor !== undefined);
    const line = document.positionAt(document.getText().indexOf('INSERT INTO mart.revenue_rolling7')).line;
    await editor.edit((change) =>
      change.insert(new vscode.Position(line, 0), '            INSERT INTO mart.extra SELECT 1, now();\n'),
    );
    editor.selection = new vscode.Selection(0, 0, 0, 0);
    await until(
      () => diagnostics(document),
      (seen) => seen.some((text) => text.includes('mart.extra')),
    );
    await revert();
    await until(
      () => diagnostics(document),
      ({ length }) => length === found.length,
    );
  },
  async 'every contributed command is registered, and no other'() {
    const registered = (await vscode.commands.getCommands(true)).filter((id) => /^backfill\.(?!assistant\b)/.test(id));
    // VS Code adds commands of its own to each view.
    const own = registered.filter((id) => !/^backfill\.(?:pipelines|runs|attention)\./.test(id));
    assert.deepEqual(own.sort(), Object.keys(commands).sort());
  },
};

async function activationTime(): Promise<string> {
  await vscode.commands.executeCommand('perfview.show');
  const read = async (): Promise<string> =>
    vscode.workspace.textDocuments.find(({ uri }) => uri.scheme === 'perf')?.getText() ?? '';
  const text = await until(read, (seen) => seen.includes('backfill-assistant'));
  return text.split('\n').filter((line) => line.includes('backfill-assistant'))[0] ?? '';
}

/** Called by VS Code in the extension host. */
export async function run(): Promise<void> {
  const results: HostResult[] = [];
  for (const [name, test] of Object.entries(cases)) {
    try {
      await test();
      results.push({ name, error: undefined });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? (error.stack ?? error.message) : String(error) });
    }
  }
  const activation = await activationTime().catch((error: unknown) => `not measured: ${String(error)}`);
  const report: HostReport = { results, activation };
  await writeFile(`${folder().fsPath}.report.json`, JSON.stringify(report));
}
