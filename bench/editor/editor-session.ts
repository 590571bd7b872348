import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { launchBrowser } from '../../test/vscode/support/browser.ts';
import type { Browser, Page } from '../../test/vscode/support/playwright.ts';
import { serversFolder } from '../../test/vscode/support/servers-folder.ts';
import { startVsCode, type VsCodeServer } from '../../test/vscode/support/vs-code-server.ts';
import type { HostReport, HostTask } from './host-report.ts';

/** A real VS Code with the packaged extension, and a browser that looks at it. */
export interface EditorSession {
  /** Opens a folder in a window of its own and measures in its extension host. */
  inHost(folder: string, task: HostTask): Promise<HostReport>;
  /** Opens a file in a window of its own and gives its page. */
  window(folder: string, file: string): Promise<Page>;
  stop(): Promise<void>;
}

const packagedExtension = resolve('dist/backfill-assistant.vsix');
const servers = `${serversFolder}current/node_modules/.installed`;

/** Why VS Code cannot be measured here; `undefined`: it can. */
export const missingEditor = (): string | undefined =>
  !existsSync(servers)
    ? 'VS Code is missing: npm run setup:vscode'
    : !existsSync(packagedExtension)
      ? 'the extension is not packaged: npm run package'
      : undefined;

const settings = {
  'git.openRepositoryInParentFolders': 'never',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
  'editor.stickyScroll.enabled': false,
};

/** `probe`: the bundled code for the extension host, in a folder that is an extension. */
export async function openEditor(probe: string, scratch: string): Promise<EditorSession> {
  await mkdir(scratch, { recursive: true });
  const server: VsCodeServer = await startVsCode({
    version: 'current',
    extensions: [packagedExtension],
    userSettings: settings,
    environment: {},
    logFile: `${scratch}/vscode.log`,
    extraArguments: ['--vscode-option', 'enable-smoke-test-driver'],
  });
  const browser: Browser = await launchBrowser();
  const newPage = async (): Promise<{ readonly page: Page; close(): Promise<void> }> => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    return { page, close: () => context.close() };
  };
  const remote = (path: string): string => `vscode-remote://127.0.0.1:${server.port}${path}`;
  return {
    async inHost(folder, task) {
      await writeFile(`${folder}.task.json`, JSON.stringify(task));
      await rm(`${folder}.report.json`, { force: true });
      const { page, close } = await newPage();
      const said: string[] = [];
      await page.exposeFunction('codeAutomationLog', (type: string, args: readonly unknown[]) => {
        said.push(`${type} ${args.join(' ')}`);
      });
      await page.exposeFunction('codeAutomationExit', () => {});
      await page.goto(
        server.url(folder, undefined, [
          ['extensionDevelopmentPath', remote(probe)],
          ['extensionTestsPath', remote(`${probe}/probe.cjs`)],
          ['skipWelcome', 'true'],
        ]),
      );
      for (let left = 600; left > 0; left--) {
        const text = await readFile(`${folder}.report.json`, 'utf8').catch(() => undefined);
        if (text?.endsWith('}')) {
          await close();
          const report = JSON.parse(text) as HostReport | { readonly failed: string };
          if ('failed' in report) throw new Error(report.failed);
          return report;
        }
        await sleep(500);
      }
      throw new Error(`the extension host told nothing:\n${said.join('\n')}`);
    },
    async window(folder, file) {
      const { page } = await newPage();
      await page.goto(server.url(folder, file));
      await page.locator('.editor-instance .view-line').first().waitFor();
      return page;
    },
    async stop() {
      await browser.close();
      await server.stop();
    },
  };
}
