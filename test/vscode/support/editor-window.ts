import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type AssistantPage, assistantPage, type ThemeKind } from './assistant-page.ts';
import { eventually, momentMs, patienceMs, until } from './patience.ts';
import type { Browser, Locator, Page } from './playwright.ts';
import type { VsCodeServer } from './vs-code-server.ts';

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
  /** Runs a command, again where need be, until it has said something. */
  commandSays(title: string, notification: string | RegExp): Promise<void>;
  /** Whether the palette offers a command. */
  offers(title: string): Promise<boolean>;
  /** Puts the cursor there, in the editor that was used last. */
  goToLine(line: number, column?: number): Promise<void>;
  lens(tooltip: string): Locator;
  /** Clicks a lens until what it opens is there. */
  useLens(tooltip: string, opens: Locator): Promise<void>;
  /** Text of the lenses in view, without their icons. */
  lenses(): Promise<readonly string[]>;
  /** Text of the lines in view, hints included. */
  lines(): Promise<readonly string[]>;
  /** Points at something in the editor until a hover with this text is there; what the hover says. */
  hover(over: Locator, text: string): Promise<string>;
  /** Puts the cursor there and applies a code action, again where need be, until it is done. */
  codeAction(line: number, column: number, title: string, done: () => Promise<boolean>): Promise<void>;
  /** An active tab by a part of its name. */
  tab(name: string): Locator;
  statusBar(text: string | RegExp): Locator;
  /** Selects an interval through the picker. */
  selectInterval(typed: string): Promise<void>;
  /** What is said for a moment. */
  notification(text: string | RegExp): Locator;
  /** Waits until this was said: it may have gone by, then the list of all that was said has it. */
  told(text: string | RegExp): Promise<void>;
  /** The input box or quick pick that is open and shows this text. */
  question(text: string | RegExp): Locator;
  /** Types into the input box with this title, and accepts it. */
  answer(title: string | RegExp, text: string): Promise<void>;
  /** Accepts the path that a file dialog proposes, which `opens` in an editor. */
  acceptPath(opens: Locator): Promise<void>;
  clipboard(): Promise<string>;
  /** Screenshots of this state for the eye, in a dark and a light theme: `test-results/vscode/<name>-<theme>.png`. */
  picture(name: string): Promise<void>;
  close(): Promise<void>;
}

export async function openWindow(
  browser: Pick<Browser, 'newContext'>,
  server: VsCodeServer,
  themes: ThemeKinds,
  viewport: { readonly width: number; readonly height: number } = { width: 1280, height: 900 },
): Promise<EditorWindow> {
  await mkdir(pictures, { recursive: true });
  const context = await browser.newContext({ viewport, permissions: ['clipboard-read', 'clipboard-write'] });
  const page = await context.newPage();
  page.setDefaultTimeout(patienceMs);
  const assistant = assistantPage(page);
  const soon = { timeout: momentMs };
  const question: EditorWindow['question'] = (text) =>
    page.locator('.quick-input-widget:not([style*="display: none"])', { hasText: text });
  const input = page.locator('.quick-input-widget:not([style*="display: none"]) .quick-input-box input');
  const suggestions = page.locator('.quick-input-list .monaco-list-row');
  const focused = page.locator('.quick-input-list .monaco-list-row.focused');
  const actions = page.locator('.action-widget .monaco-list-row.action');

  const ask = async (key: string, text: string): Promise<void> => {
    // A list that is open shows what there was when it was opened.
    if (await input.isVisible()) await page.keyboard.press('Escape');
    await input.waitFor({ state: 'hidden', ...soon });
    await page.keyboard.press(key);
    await input.waitFor(soon);
    await input.fill(text, soon);
  };
  /** Accepts the entry at the cursor of the list, if it is the one, and sees it taken. */
  const accept = async (entry: string): Promise<void> => {
    const row = focused.filter({ hasText: entry }).first();
    await row.waitFor(soon);
    await page.keyboard.press('Enter');
    await row.waitFor({ state: 'hidden', ...soon });
  };

  const window: EditorWindow = {
    page,
    assistant,
    async open(folder, file) {
      await page.goto(server.url(folder, file));
      await page.locator('.monaco-workbench .statusbar-item').first().waitFor();
      if (file === undefined) return;
      const name = file.slice(file.lastIndexOf('/') + 1);
      await this.tab(name).waitFor();
      await page.locator('.editor-instance .view-line').first().waitFor();
    },
    async command(title) {
      let taken = false;
      // The palette lists what was contributed when it was opened: a window that still loads is asked again.
      await until(
        async () => taken,
        async () => {
          await ask('F1', `>${title}`);
          await accept(title);
          taken = true;
        },
      );
    },
    async commandSays(title, text) {
      await until(
        () => this.notification(text).first().isVisible(),
        () => this.command(title),
      );
    },
    async offers(title) {
      const answer = suggestions.filter({ hasText: title });
      const none = suggestions.filter({ hasText: /No matching commands|similar commands/ });
      let offered = false;
      await until(
        async () => {
          offered = (await answer.count()) > 0;
          return offered || (await none.count()) > 0;
        },
        () => ask('F1', `>${title}`),
      );
      await page.keyboard.press('Escape');
      return offered;
    },
    async goToLine(line, column = 1) {
      await until(
        () => this.statusBar(new RegExp(`Ln ${line}, Col ${column}(?!\\d)`)).isVisible(),
        async () => {
          await ask('Control+g', `:${line}:${column}`);
          await page.keyboard.press('Enter');
          await input.waitFor({ state: 'hidden', ...soon });
        },
      );
    },
    lens: (tooltip) => page.locator(`.codelens-decoration a[title="${tooltip}"]`).first(),
    async useLens(tooltip, opens) {
      await this.lens(tooltip).waitFor();
      await until(
        () => opens.first().isVisible(),
        () => this.lens(tooltip).click(soon),
      );
    },
    async lenses() {
      const texts = await page.locator('.codelens-decoration a').allInnerTexts();
      return texts.map(plain).filter((text) => text !== '');
    },
    lines: async () => (await page.locator('.editor-instance .view-line').allInnerTexts()).map(plain),
    async hover(over, text) {
      const shown = page.locator('.monaco-hover .hover-contents', { hasText: text }).first();
      await until(
        () => shown.isVisible(),
        async () => {
          // An editor shows a hover when the pointer comes, not while it stays.
          await page.mouse.move(0, 0);
          await over.hover(soon);
          await shown.waitFor({ timeout: 5000 });
        },
      );
      return (await shown.allInnerTexts()).join('\n').replaceAll('\u00a0', ' ');
    },
    async codeAction(line, column, title, done) {
      const entry = actions.filter({ hasText: title });
      // The list is what was known when it was opened, and closes when the findings are drawn anew: it is asked for again.
      await until(done, async () => {
        if (await done()) return;
        await page.keyboard.press('Escape');
        await this.command('View: Focus Active Editor Group');
        await this.goToLine(line, column);
        await page.keyboard.press('Control+.');
        await entry.first().waitFor({ timeout: 5000 });
        // The newest and the oldest take different clicks in this list; both take the keyboard.
        const titles = (await actions.allInnerTexts()).map((text) => text.trim());
        const steps = titles.findIndex((text) => text.includes(title));
        for (let step = 0; step < steps; step++) await page.keyboard.press('ArrowDown');
        await page.locator('.action-widget .monaco-list-row.focused', { hasText: title }).waitFor({ timeout: 5000 });
        await page.keyboard.press('Enter');
        await entry.first().waitFor({ state: 'hidden', ...soon });
      });
    },
    tab: (name) => page.locator('.tab.active', { hasText: name }),
    statusBar: (text) => page.locator('.statusbar-item', { hasText: text }),
    async selectInterval(typed) {
      await until(
        () => this.statusBar(typed).first().isVisible(),
        async () => {
          await this.command('Backfill: Select Interval…');
          await suggestions.filter({ hasText: 'Latest finished interval' }).waitFor(soon);
          await input.fill(typed, soon);
          await accept(typed);
        },
      );
    },
    notification: (text) => page.locator('.notification-toast', { hasText: text }),
    async told(text) {
      const said = page.locator('.notification-list-item', { hasText: text });
      let isListed = false;
      let looks = 0;
      await until(
        () => said.first().isVisible(),
        async () => {
          if (looks++ === 0) return;
          await this.command('Notifications: Show Notifications');
          isListed = true;
        },
      );
      if (isListed) await this.command('Notifications: Hide Notifications');
    },
    question,
    async answer(title, text) {
      const box = question(title);
      await box.waitFor();
      await until(
        async () => !(await box.isVisible()),
        async () => {
          await input.fill(text, soon);
          await input.press('Enter', soon);
        },
      );
    },
    async acceptPath(opens) {
      const accepts = page.locator('.quick-input-action .monaco-button', { hasText: 'OK' });
      await accepts.waitFor();
      await until(
        () => opens.isVisible(),
        () => accepts.click(soon),
      );
    },
    clipboard: () => page.evaluate<string>('navigator.clipboard.readText()'),
    async picture(name) {
      for (const scheme of ['dark', 'light'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        await page.locator(`.monaco-workbench.${themes[scheme]}`).waitFor();
        await eventually(() => assistant.isThemed(themes[scheme])).toBe(true);
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
