import * as vscode from 'vscode';
import type { PipelineView } from '../../../core/view/document/document-view.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import type { WorkspaceClients } from '../../clients/workspace-clients.ts';
import { isPipelineDocument } from '../document/pipeline-documents.ts';

/** Intervals offered by the picker, newest first. */
const offered = 400;

interface Active {
  readonly client: WorkspaceClient;
  readonly pipeline: PipelineView;
}

/** The selected interval of the active pipeline in the status bar, with a picker and steps to its neighbours. */
export function registerIntervalPicker(clients: WorkspaceClients): vscode.Disposable {
  const item = vscode.window.createStatusBarItem('backfill.interval', vscode.StatusBarAlignment.Right, 90);
  item.name = 'Backfill: Selected Interval';
  item.command = 'backfill.selectInterval';
  let active: Active | undefined;

  const refresh = async (): Promise<void> => {
    const document = vscode.window.activeTextEditor?.document;
    const client = document !== undefined && isPipelineDocument(document) ? clients.of(document.uri) : undefined;
    const found = client === undefined || document === undefined ? undefined : await client.view(document);
    if (document !== vscode.window.activeTextEditor?.document) return;
    const pipeline = found?.pipelines.find(({ selected }) => selected !== undefined) ?? found?.pipelines[0];
    const scheduled = found?.tasks.length !== 0 && pipeline !== undefined;
    active = client === undefined || pipeline === undefined || !scheduled ? undefined : { client, pipeline };
    await vscode.commands.executeCommand('setContext', 'backfill.pipelineFile', active !== undefined);
    show(item, active?.pipeline);
  };
  let refreshing = Promise.resolve();
  const refreshQuietly = (): void => {
    refreshing = refresh().catch(() => item.hide());
  };

  const pick = async (): Promise<void> => {
    await refreshing;
    if (active === undefined) {
      void vscode.window.showInformationMessage('Open a DAG or one of its SQL files to select an interval of it.');
      return;
    }
    const { client, pipeline } = active;
    const at = await askForInterval(client, pipeline);
    if (at === undefined) return;
    await client.call('pick', { pipeline: pipeline.pipeline, at: at === 'latest' ? undefined : at });
    client.touch();
  };
  const step = async (by: -1 | 1): Promise<void> => {
    await refreshing;
    if (active === undefined) return;
    await active.client.call('step', { pipeline: active.pipeline.pipeline, by, now: Date.now() });
    active.client.touch();
  };

  refreshQuietly();
  return vscode.Disposable.from(
    item,
    clients.onDidChange(refreshQuietly),
    vscode.window.onDidChangeActiveTextEditor(refreshQuietly),
    vscode.workspace.onDidChangeTextDocument(({ document }) => {
      if (document === vscode.window.activeTextEditor?.document) refreshQuietly();
    }),
    vscode.commands.registerCommand('backfill.selectInterval', pick),
    vscode.commands.registerCommand('backfill.previousInterval', () => step(-1)),
    vscode.commands.registerCommand('backfill.nextInterval', () => step(1)),
  );
}

function show(item: vscode.StatusBarItem, pipeline: PipelineView | undefined): void {
  if (pipeline === undefined) {
    item.hide();
    return;
  }
  const { selected, noGrid, zone, schedule } = pipeline;
  item.text = `$(calendar) ${selected?.label ?? 'no interval'}${zone === 'UTC' ? '' : ` ${zone}`}`;
  const utc = (ms: number): string => new Date(ms).toISOString().replace('.000Z', 'Z');
  item.tooltip = new vscode.MarkdownString(
    selected === undefined
      ? `**${pipeline.pipeline}**: ${noGrid ?? 'no interval'}`
      : `**${pipeline.pipeline}** · ${schedule} · ${zone}\n\nUTC ${utc(selected.data.start)} to ${utc(selected.data.end)}, end not included`,
  );
  item.accessibilityInformation = { label: `Selected interval of ${pipeline.pipeline}: ${selected?.label ?? 'none'}` };
  item.show();
}

interface IntervalItem extends vscode.QuickPickItem {
  readonly at: number | 'latest' | undefined;
}

/** A list of recent intervals; a typed date or time picks the interval that holds it. */
async function askForInterval(client: WorkspaceClient, pipeline: PipelineView): Promise<number | 'latest' | undefined> {
  const intervals = await client.call('intervals', { pipeline: pipeline.pipeline, count: offered, now: Date.now() });
  const recent: readonly IntervalItem[] = [
    { label: '$(history) Latest finished interval', description: 'follows the clock', at: 'latest', alwaysShow: true },
    ...intervals.map(({ start, label, detail }) => ({
      label,
      description: detail,
      at: start,
      picked: label === pipeline.selected?.label,
    })),
  ];
  const input = vscode.window.createQuickPick<IntervalItem>();
  input.title = `Interval of ${pipeline.pipeline} (${pipeline.zone})`;
  input.placeholder = 'Pick an interval, or type a date or time that it holds: 2026-11-28, 2026-11-28 05:00';
  input.matchOnDescription = true;
  input.items = recent;
  return new Promise((resolve) => {
    input.onDidChangeValue(async (text) => {
      const at = text.trim() === '' ? undefined : await client.call('parseTime', { pipeline: pipeline.pipeline, text });
      if (input.value !== text) return;
      const typed = at === undefined || recent.some(({ label }) => label === text.trim());
      input.items = typed
        ? recent
        : [
            {
              label: `$(search) The interval that holds ${text.trim()}`,
              description: pipeline.zone,
              at,
              alwaysShow: true,
            },
            ...recent,
          ];
    });
    input.onDidAccept(() => {
      resolve(input.selectedItems[0]?.at);
      input.hide();
    });
    input.onDidHide(() => {
      resolve(undefined);
      input.dispose();
    });
    input.show();
  });
}
