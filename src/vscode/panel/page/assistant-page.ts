import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { isPageRequest } from '../../../core/view/page/is-page-request.ts';
import type { AssistantEvent } from '../../../protocol/assistant-messages.ts';
import type { Log } from '../../clients/log.ts';
import type { AssistantSession } from '../session/assistant-session.ts';

export const assistantViewType = 'backfill.assistant';

/** Connects a webview to a session: draws the page, answers every request, sends what changes. */
export function attachPage(
  panel: vscode.WebviewPanel,
  session: AssistantSession,
  extensionUri: vscode.Uri,
  log: Log,
): void {
  const { webview } = panel;
  const resources = vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
  webview.options = { enableScripts: true, localResourceRoots: [resources] };
  webview.html = pageHtml(webview, resources);
  panel.title = `Backfill: ${session.task}`;
  panel.iconPath = vscode.Uri.joinPath(extensionUri, 'media', 'icon.png');
  const send = (event: AssistantEvent): void => void webview.postMessage(event);
  const listening = session.onEvent(send);
  const receiving = webview.onDidReceiveMessage(async (message: unknown) => {
    const { id, request } = (message ?? {}) as { readonly id?: unknown; readonly request?: unknown };
    if (typeof id !== 'number' || !isPageRequest(request)) {
      log.error('the assistant page sent something that is no request');
      if (typeof id === 'number')
        send({ type: 'answer', id, error: 'The page asked for something that is not known.' });
      return;
    }
    try {
      await session.handle(request);
      send({ type: 'answer', id, error: undefined });
    } catch (error) {
      log.error(
        `${session.task}: ${request.type}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      send({ type: 'answer', id, error: error instanceof Error ? error.message : String(error) });
    }
  });
  panel.onDidDispose(() => {
    listening.dispose();
    receiving.dispose();
  });
}

/** The page: its own script and style, nothing else; no inline style, no network. */
function pageHtml(webview: vscode.Webview, resources: vscode.Uri): string {
  const nonce = randomBytes(16).toString('base64');
  const script = webview.asWebviewUri(vscode.Uri.joinPath(resources, 'assistant.js'));
  const style = webview.asWebviewUri(vscode.Uri.joinPath(resources, 'assistant.css'));
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource} 'nonce-${nonce}'`,
    `font-src ${webview.cspSource}`,
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="${style}">
<title>Backfill Assistant</title>
</head>
<body><script nonce="${nonce}" src="${script}"></script></body>
</html>`;
}
