import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { inject } from 'vitest';
import { keptBrowser, launchBrowser } from './browser.ts';
import { type EditorWindow, openWindow } from './editor-window.ts';
import { startVsCode, type VsCodeServer, type VsCodeServerOptions, type VsCodeVersion } from './vs-code-server.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** What a file of tests needs: one VS Code with the packaged extension, one browser, folders of its own. */
export interface TestKit {
  readonly server: VsCodeServer;
  window(viewport?: { readonly width: number; readonly height: number }): Promise<EditorWindow>;
  /** As somebody who comes back: with what VS Code kept in the browser of the window before, which is closed. */
  windowAgain(): Promise<EditorWindow>;
  /** A copy of `examples/shop`, its embedded database loaded. */
  shop(): Promise<string>;
  /** A copy of another example or fixture, by its path in the repository. */
  copyOf(path: string): Promise<string>;
  emptyFolder(): Promise<string>;
  stop(): Promise<void>;
}

/** Quiet parts of VS Code that are not looked at; what stands in the way of a click is switched off. */
const settings = {
  'git.openRepositoryInParentFolders': 'never',
  'chat.disableAIFeatures': true,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'window.autoDetectColorScheme': true,
  'window.restoreWindows': 'preserve',
  'editor.stickyScroll.enabled': false,
  'editor.minimap.enabled': false,
  'editor.hover.delay': 100,
  'files.simpleDialog.enable': true,
  // As on a desk; in a browser files are saved by themselves.
  'files.autoSave': 'off',
  'remote.autoForwardPorts': false,
};

const looks = {
  own: { settings: {}, kinds: { light: 'vs', dark: 'vs-dark' } },
  contrast: {
    settings: {
      'workbench.preferredLightColorTheme': 'Default High Contrast Light',
      'workbench.preferredDarkColorTheme': 'Default High Contrast',
    },
    kinds: { light: 'hc-light', dark: 'hc-black' },
  },
} as const;

/** The newest VS Code is looked at in its own light and dark themes, the oldest, and with `LOOK=contrast` every one, in high contrast. */
const lookOf = (version: VsCodeVersion): (typeof looks)[keyof typeof looks] =>
  version === 'oldest' || process.env.LOOK === 'contrast' ? looks.contrast : looks.own;

export async function startKit(
  version: VsCodeVersion,
  options: Partial<Pick<VsCodeServerOptions, 'asksForTrust' | 'extraArguments'>> = {},
): Promise<TestKit> {
  const server = await startVsCode({
    version,
    extensions: [join(root, 'dist/backfill-assistant.vsix')],
    userSettings: { ...settings, ...lookOf(version).settings },
    environment: {},
    logFile: join(root, `test-results/vscode/vscode-${version}.log`),
    ...options,
  });
  const browser = await launchBrowser();
  const folders = await mkdtemp(join(tmpdir(), 'backfill-workspaces-'));
  let made = 0;
  const copy = async (from: string, name: string): Promise<string> => {
    const to = join(folders, String(++made), name);
    await cp(from, to, { recursive: true });
    return to;
  };
  return {
    server,
    window: (viewport) => openWindow(browser, server, lookOf(version).kinds, viewport),
    windowAgain: () => openWindow(keptBrowser(join(folders, 'profile')), server, lookOf(version).kinds),
    shop: () => copy(inject('loadedShop'), 'shop'),
    copyOf: (path) => copy(join(root, path), path.slice(path.lastIndexOf('/') + 1)),
    emptyFolder: () => mkdtemp(join(folders, 'empty-')),
    async stop() {
      await browser.close();
      await server.stop();
      await rm(folders, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
