import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { type AssistantPage, assistantPage, type ThemeKind } from './assistant-page.ts';
import type { Browser, Locator, Page } from './playwright.ts';
import type { VsCodeServer } from './vs-code-server.ts';

/** Long enough for a machine that is busy with other things; everything waits for a condition, never for a time. */
const patienceMs = 60_000;

const pictures = fileURLToPath(new URL('../../../test-results/vscode/', import.meta.url));

/** Classes that the workbench has in the themes that a server prefers for a light and for a dark system. */
export interface ThemeKinds {
  readonly light: ThemeKind;
  readonly dark: ThemeKind;
}

/** One window of VS Code in a browser of its own, as a person sees and uses it. */
export interface EditorWindow {
  readonly page: Page;
  readonly assistant: AssistantPage;
  /** Opens a folder (`undefined`: none) and waits for the workbench; a file of it is opened and focused. */
  open(folder: string | undefined, file?: string): Promise<void>;
  /** Runs a command by its title in the palette. */
  command(title: string): Promise<void>;
  /** Whether the palette offers a command. */
  offers(title: string): Promise<boolean>;
  goToLine(line: number, column?: number): Promise<void>;
  lens(tooltip: string): Locator;
  /** Text of the lenses in view, without their icons. */
  lenses(): Promise<readonly string[]>;
  /** Text of the lines in view, hints included. */
  lines(): Promise<readonly string[]>;
  statusBar(text: string | RegExp): Locator;
  /** Selects an interval through the picker. */
  selectInterval(typed: string): Promise<void>;
  notification(text: string | RegExp): Locator;
  /** Types into the input box or quick pick that is open, and accepts it. */
  answer(text: string): Promise<void>;
  /** The input that asks for a password. */
  passwordPrompt(): Locator;
  /** Accepts the path that a file dialog proposes. */
  acceptPath(): Promise<void>;
  clipboard(): Promise<string>;
  /** Screenshots of this state for the eye, in a dark and a light theme: `test-results/vscode/<name>-<theme>.png`. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWindow(
  browser: Browser,
  server: VsCodeServer,
  themes: ThemeKinds,
  viewport: { readonly width: number; readonly height: number } = { width: 1280, height: 900 },
): Promise<EditorWindow> {
  await mkdir(pictures, { recursive: true });
  const context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const assistant = assistantPage(page);
  const input = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-box input');
  const suggestion = page.locator('.quick-input-list .monaco-list-row');

  const findCommand = async (title: string): Promise<void> => {
    await page.keyboard.press('F1');
    await input.waitFor();
    await input.fill(`>${title}`);
  };
  const window: EditorWindow = {
    page,
    assistant,
    async open(folder, file) {
      await page.goto(server.url(folder, file));
      await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
      if (file === undefined) return;
      const name = file.slice(file.lastIndexOf('/') + 1);
      await page.locator('.tab.active', { hasText: name }).waitFor();
      await page.locator('.editor-instance .view-line').first().waitFor();
    },
    async command(title) {
      // The palette lists what was contributed when it was opened: a window that still loads is asked again.
      await eventually(async () => {
        await findCommand(title);
        await suggestion.first().waitFor();
        const found = (await suggestion.filter({ hasText: title }).count()) > 0;
        if (!found) await page.keyboard.press('Escape');
        return found;
      }).toBe(true);
      await suggestion.first().filter({ hasText: title }).waitFor();
      await page.keyboard.press('Enter');
    },
    async offers(title) {
      await findCommand(title);
      await suggestion.first().waitFor();
      const found = await suggestion.filter({ hasText: title }).count();
      await page.keyboard.press('Escape');
      return found > 0;
    },
    async goToLine(line, column = 1) {
      await page.keyboard.press('Control+g');
      await input.waitFor();
      await input.fill(`:${line}:${column}`);
      await page.keyboard.press('Enter');
      await this.statusBar(`Ln ${line}, Col ${column}`).waitFor();
    },
    lens: (tooltip) => page.locator(`.codelens-decoration a[title="${tooltip}"]`).first(),
    async lenses() {
      const texts = await page.locator('.codelens-decoration a').allInnerTexts();
      return texts.map(plain).filter((text) => text !== '');
    },
    lines: async () => (await page.locator('.editor-instance .view-line').allInnerTexts()).map(plain),
    statusBar: (text) => page.locator('.statusbar-item', { hasText: text }),
    async selectInterval(typed) {
      await this.command('Backfill: Select Interval…');
      await input.waitFor();
      await suggestion.filter({ hasText: 'Latest finished interval' }).waitFor();
      await input.fill(typed);
      await suggestion.first().filter({ hasText: typed }).waitFor();
      await page.keyboard.press('Enter');
      await this.statusBar(typed).waitFor();
    },
    notification: (text) => page.locator('.notification-toast', { hasText: text }),
    async answer(text) {
      await input.waitFor();
      await input.fill(text);
      await input.press('Enter');
    },
    passwordPrompt: () => page.locator('.quick-input-widget .quick-input-box input[type="password"]'),
    async acceptPath() {
      await page.locator('.quick-input-action .monaco-button', { hasText: 'OK' }).click();
    },
    clipboard: () => page.evaluate<string>('navigator.clipboard.readText()'),
    async picture(name) {
      for (const scheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.locator(`.monaco-workbench.${themes[scheme]}`).waitFor();
        if (await assistant.isOpen()) await assistant.themed(themes[scheme]);
        await page.screenshot({ path: `${pictures}${name}-${scheme}.png` });
      }
    },
    close: () => context.close(),
  };
  return window;
}

/** Text as it reads: without the private characters of icons and without the editor's hard spaces. */
export const plain = (text: string): string =>
  text
    .replace(/[\ue000-\uf8ff\u200b]/g, '')
    .replaceAll('\u00a0', ' ')
    .trim();

/** Waits until a value that is asked for again and again is as expected. */
export const eventually = <Value>(ask: () => Promise<Value>): ReturnType<typeof expect.poll<Value>> =>
  expect.poll(ask, { timeout: patienceMs, interval: 200 });
