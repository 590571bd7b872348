import * as vscode from 'vscode';
import { untrustedWords } from '../../clients/untrusted-words.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { proveTask } from '../../panel/run/prove-task.ts';
import { placedRange } from '../document/placed-range.ts';

/** Tests are listed anew when edits have come to rest. */
const restMs = 1000;

interface Testable {
  readonly client: WorkspaceClient;
  readonly task: string;
}

/**
 * Each task that can be run is a test: running it twice changes nothing. It is run for the selected interval, and nothing of
 * it is kept. Nothing is read before the list of tests is looked at.
 */
export function registerProveTests(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  const controller = vscode.tests.createTestController('backfill.prove', 'Backfill: safe to run twice');
  let testable = new WeakMap<vscode.TestItem, Testable>();
  let isListed = false;
  let timer: NodeJS.Timeout | undefined;

  const list = async (): Promise<void> => {
    const all = clients.all();
    const found = await Promise.all(all.map((client) => client.call('taskPlaces', null)));
    const next = new WeakMap<vscode.TestItem, Testable>();
    const dags = all.flatMap((client, index) => {
      const groups = new Map<string, vscode.TestItem>();
      for (const { task, dag, name, file, start, end } of found[index] ?? []) {
        const uri = client.uriOf(file);
        const key = client.folder.uri.toString();
        const group = groups.get(dag) ?? controller.createTestItem(`${key} ${dag}`, dag, uri);
        if (all.length > 1) group.description = client.folder.name;
        groups.set(dag, group);
        const item = controller.createTestItem(`${key} ${task}`, name, uri);
        item.description = 'running it twice changes nothing';
        item.range = placedRange({ start, end });
        next.set(item, { client, task });
        group.children.add(item);
      }
      return [...groups.values()];
    });
    testable = next;
    controller.items.replace(dags);
  };
  controller.resolveHandler = async (item) => {
    if (item !== undefined) return;
    isListed = true;
    await list();
  };
  controller.refreshHandler = list;

  const run = async (request: vscode.TestRunRequest, token: vscode.CancellationToken): Promise<void> => {
    const asked = leaves(request.include ?? [...controller.items].map(([, item]) => item)).filter(
      (item) => !(request.exclude ?? []).includes(item),
    );
    const tests = controller.createTestRun(request);
    for (const item of asked) tests.enqueued(item);
    const cancel = new AbortController();
    token.onCancellationRequested(() => cancel.abort());
    for (const item of asked) {
      const found = testable.get(item);
      if (found === undefined || token.isCancellationRequested) tests.skipped(item);
      else await prove(found, item, tests, cancel.signal);
    }
    tests.end();
  };

  const prove = async (
    { client, task }: Testable,
    item: vscode.TestItem,
    tests: vscode.TestRun,
    signal: AbortSignal,
  ): Promise<void> => {
    tests.started(item);
    const startedAt = Date.now();
    const took = (): number => Date.now() - startedAt;
    try {
      if (!vscode.workspace.isTrusted) throw new Error(untrustedWords);
      if (panels.sessions().some((session) => session.client === client && session.run.busy))
        throw new Error('A run is going on in this window: cancel it or wait for its end.');
      const { verdict, label, at } = await proveTask(task, panels.services(client), signal);
      tests.appendOutput(`${task}, ${label}: ${verdict.kind}\r\n`, undefined, item);
      if (verdict.kind === 'passed') tests.passed(item, took());
      else if (verdict.kind === 'skipped') tests.skipped(item);
      else if (verdict.kind === 'errored') tests.errored(item, new vscode.TestMessage(verdict.message), took());
      else {
        const { message, rows } = verdict;
        const said =
          rows === undefined
            ? new vscode.TestMessage(message)
            : vscode.TestMessage.diff(message, rows.expected, rows.actual);
        const range = at === undefined ? item.range : placedRange(at);
        const uri = at === undefined ? item.uri : client.uriOf(at.file);
        if (uri !== undefined && range !== undefined) said.location = new vscode.Location(uri, range);
        tests.failed(item, said, took());
      }
    } catch (error) {
      if (signal.aborted) return tests.skipped(item);
      const message = error instanceof Error ? error.message : String(error);
      tests.errored(item, new vscode.TestMessage(message), took());
    }
  };

  controller.createRunProfile('Prove', vscode.TestRunProfileKind.Run, run, true);
  return vscode.Disposable.from(
    controller,
    clients.onDidChange(() => {
      if (!isListed) return;
      clearTimeout(timer);
      timer = setTimeout(() => void list().catch(() => {}), restMs);
    }),
    new vscode.Disposable(() => clearTimeout(timer)),
  );
}

/** Tests themselves, without the DAGs that hold them; each once. */
function leaves(items: readonly vscode.TestItem[]): readonly vscode.TestItem[] {
  return [
    ...new Set(
      items.flatMap((item) => (item.children.size === 0 ? [item] : leaves([...item.children].map(([, one]) => one)))),
    ),
  ];
}
