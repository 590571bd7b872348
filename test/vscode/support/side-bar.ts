import { type EditorWindow, plain } from './editor-window.ts';
import { momentMs, until } from './patience.ts';
import type { Locator } from './playwright.ts';

/** The Backfill side bar as a person uses it. */
export interface SideBar {
  show(): Promise<void>;
  text(): Promise<string>;
  /** Lines of a view, label and description. */
  rows(view: string): Promise<readonly string[]>;
  button(name: string): Locator;
  /** Opens a line until one with this text is below it. */
  open(view: string, row: string, below: string): Promise<void>;
  /** Clicks a line until what it opens is there. */
  click(view: string, row: RegExp, opens: Locator): Promise<void>;
  /** Uses a button of a line until what it opens is there. */
  action(view: string, row: RegExp, name: string, opens: Locator): Promise<void>;
  /** Uses a button above a view. */
  press(view: string, name: string): Promise<void>;
  /** Selects several lines by how they begin. */
  select(view: string, rows: readonly string[]): Promise<void>;
}

export function sideBar({ page }: EditorWindow): SideBar {
  const bar = page.locator('.part.sidebar');
  const pane = (view: string): Locator => bar.locator(`.pane:has(.pane-header[aria-label^="${view}"])`);
  const lines = (view: string): Locator => pane(view).locator('.monaco-list-row');
  const line = (view: string, text: string | RegExp): Locator => lines(view).filter({ hasText: text }).first();
  const soon = { timeout: momentMs };
  /** A hint over a line that was just clicked stays while the pointer does, and covers the lines below. */
  const withoutHint = (): Promise<void> => page.mouse.move(0, 0);
  // Between label and description a row has no space.
  const starting = (begin: RegExp): RegExp => new RegExp(begin.source.replace(/^\^/, '').replaceAll('\\s+', '\\s*'));
  return {
    async show() {
      await until(
        () => pane('Pipelines').isVisible(),
        () =>
          page
            .locator(
              '.activitybar .action-item[aria-label^="Backfill"], .activitybar .action-label[aria-label^="Backfill"]',
            )
            .first()
            .click(soon),
      );
    },
    text: async () => plain((await bar.allInnerTexts()).join('\n')),
    async rows(view) {
      const found: string[] = [];
      for (let index = 0, count = await lines(view).count(); index < count; index++) {
        const parts = await lines(view).nth(index).locator('.label-name, .label-description').allInnerTexts();
        found.push(plain(parts.join('  ')));
      }
      return found;
    },
    button: (name) => bar.getByRole('button', { name }).first(),
    async open(view, row, below) {
      await until(
        () => line(view, below).isVisible(),
        async () => {
          await withoutHint();
          await line(view, row).click(soon);
        },
      );
    },
    async click(view, row, opens) {
      await until(
        () => opens.first().isVisible(),
        async () => {
          await withoutHint();
          await line(view, starting(row)).click(soon);
        },
      );
    },
    async action(view, row, name, opens) {
      await until(
        () => opens.first().isVisible(),
        async () => {
          const found = line(view, starting(row));
          await found.hover(soon);
          await found.locator(`.action-label[aria-label^="${name}"]`).first().click(soon);
        },
      );
    },
    async press(view, name) {
      const header = pane(view).locator('.pane-header');
      await header.hover(soon);
      await header.locator(`.action-label[aria-label^="${name}"]`).first().click(soon);
    },
    async select(view, rows) {
      for (const [index, text] of rows.entries()) {
        await line(view, text).click({ ...soon, ...(index > 0 && { modifiers: ['Control'] }) });
      }
    },
  };
}
