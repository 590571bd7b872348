import * as vscode from 'vscode';
import { reportMarkdown } from '../../../core/view/report/report-markdown.ts';
import { checkText, planText, staleText, withoutRows } from '../../../core/view/tools/tool-texts.ts';
import { untrustedWords } from '../../clients/untrusted-words.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import type { AssistantPanels } from '../../panel/page/assistant-panels.ts';
import { askRunThread } from '../../panel/run/ask-run-thread.ts';
import { cliCommand } from '../../panel/words/cli-command.ts';
import { isFree } from '../commands/plan-range.ts';
import type { ToolName } from './tool-contributions.ts';

interface RangeInput {
  readonly task: string;
  readonly from: string;
  readonly to: string;
}

/** What language models may ask. Reading never asks a person; a tool that runs SQL always does, and keeps nothing. */
export function registerLanguageModelTools(clients: WorkspaceClients, panels: AssistantPanels): vscode.Disposable {
  // Editors that are built without chat have no such tools.
  if (typeof vscode.lm?.registerTool !== 'function') return new vscode.Disposable(() => {});

  const folders = (): readonly WorkspaceClient[] => {
    const all = clients.all();
    if (all.length === 0) throw new Error('No folder is open.');
    return all;
  };
  const folderOf = async (task: string): Promise<WorkspaceClient> => {
    const near: string[] = [];
    for (const client of folders()) {
      const tasks = await client.call('tasks', null);
      if (tasks.some((one) => one.task === task)) return client;
      near.push(...tasks.flatMap((one) => (one.name === task || one.dag === task ? [one.task] : [])));
    }
    const meant = near.length === 0 ? '' : ` Did you mean ${near.slice(0, 10).join(', ')}?`;
    throw new Error(`There is no task ${task} in this workspace.${meant}`);
  };
  /** The ledger of a folder's connection; nobody is asked for a password that is not stored. */
  const ledger = async (client: WorkspaceClient, runs: number) => {
    if (!vscode.workspace.isTrusted) throw new Error(untrustedWords);
    const { names, default: preferred } = await client.call('connections', null);
    const connection = preferred ?? names[0];
    if (connection === undefined) throw new Error('No warehouse is connected.');
    const codeHashes = await client.call('codeHashes', null);
    const known = await askRunThread(panels.services(client), connection, (api, config) =>
      api.call('sliceStates', { connection: config, codeHashes, slices: [], runs }),
    );
    return { connection, ...known };
  };

  const work: { readonly [Name in ToolName]: (input: never, token: vscode.CancellationToken) => Promise<string> } = {
    async backfill_check({ path }: { readonly path?: string }) {
      const found = await Promise.all(folders().map((client) => client.call('check', { now: Date.now() })));
      return checkText(
        found.flatMap(({ findings, problems }) => [...findings, ...problems]),
        path,
      );
    },
    async backfill_plan({ task, from, to }: RangeInput) {
      const client = await folderOf(task);
      const choice = { task, from, to, without: [], now: Date.now() };
      const plan = await client.call('plan', { ...choice, page: 'tool', purpose: 'run' });
      const options = { ...(await client.call('runDefaults', null)), maxConcurrency: 1, stopAtFirstFailure: false };
      const downstream =
        plan.rows.length > 1 ? [{ task: '', depth: 1, included: true, count: '', note: undefined }] : [];
      const { names, default: name = names[0] } = await client.call('connections', null);
      return planText(plan, cliCommand(choice, { choose: { options, downstream }, connection: { name }, plan }));
    },
    async backfill_stale({ task }: { readonly task?: string }) {
      const client = task === undefined ? folders()[0] : await folderOf(task);
      if (client === undefined) throw new Error('No folder is open.');
      const { states, connection } = await ledger(client, 0);
      return staleText(states, task, connection);
    },
    async backfill_diff({ run }: { readonly run?: string }) {
      const [client] = folders();
      if (client === undefined) throw new Error('No folder is open.');
      const { runs, connection } = await ledger(client, 1);
      const id = run ?? runs[0]?.run;
      if (id === undefined) return `No run was made on ${connection} yet.`;
      const { title, units } = await askRunThread(panels.services(client), connection, (api, config) =>
        api.call('stored', { connection: config, run: id }),
      );
      return reportMarkdown({ title, target: connection, run: id, results: withoutRows(units) });
    },
    async backfill_preview({ task, from, to }: RangeInput, token) {
      if (!vscode.workspace.isTrusted) throw new Error(untrustedWords);
      const session = await panels.open(await folderOf(task), task);
      if (!(await isFree(session))) throw new Error(`The page of ${task} shows a run that goes on or was interrupted.`);
      await session.handle({ type: 'set-range', from, to });
      if (!session.state.choose.valid) throw new Error(session.state.choose.summary);
      await session.handle({ type: 'start', mode: 'preview' });
      token.onCancellationRequested(() => void session.handle({ type: 'cancel' }).catch(() => {}));
      await new Promise<void>((resolve) => {
        const listening = session.onEvent(() => {
          if (session.run.busy) return;
          listening.dispose();
          resolve();
        });
        if (!session.run.busy) {
          listening.dispose();
          resolve();
        }
      });
      const { sentence, news } = session.view.status;
      return `${sentence.lead}${sentence.rest}. ${news.text}`;
    },
  };

  const asks: Partial<Record<ToolName, (input: RangeInput) => vscode.LanguageModelToolConfirmationMessages>> = {
    backfill_preview: ({ task, from, to }) => ({
      title: 'Preview a backfill',
      message: `Run the SQL of ${task} for ${from} up to ${to}, with everything downstream, in a transaction that is rolled back?`,
    }),
  };
  return vscode.Disposable.from(
    ...Object.entries(work).map(([name, answer]) =>
      vscode.lm.registerTool<object>(name, {
        prepareInvocation({ input }) {
          const confirmationMessages = asks[name as ToolName]?.(input as RangeInput);
          return confirmationMessages === undefined ? {} : { confirmationMessages };
        },
        async invoke({ input }, token) {
          const text = await answer(input as never, token);
          return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
        },
      }),
    ),
  );
}
