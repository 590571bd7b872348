import type { FrameScope, Locator, Page } from './playwright.ts';

/** The assistant's page inside its two frames. */
export interface AssistantPage {
  readonly frame: FrameScope;
  isOpen(): Promise<boolean>;
  button(name: string | RegExp): Locator;
  /** Types a range; the end is not included. */
  setRange(from: string, to: string): Promise<void>;
  range(): Locator;
  /** Cells of the grid, by a part of what a screen reader says: task, interval, state. */
  cell(label: string): Locator;
  cellsIn(state: string): Locator;
  text(): Promise<string>;
  /** Waits until the page has the colours of a theme. */
  themed(kind: ThemeKind): Promise<void>;
}

export type ThemeKind = keyof typeof bodyClasses;

const bodyClasses = {
  vs: 'vscode-light',
  'vs-dark': 'vscode-dark',
  'hc-black': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast-light',
} as const;

export function assistantPage(page: Page): AssistantPage {
  const frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  const fields = frame.locator('.range vscode-text-field input');
  return {
    frame,
    isOpen: async () => (await page.locator('iframe.webview.ready').count()) > 0,
    button: (name) =>
      typeof name === 'string'
        ? frame.getByRole('button', { name, exact: true })
        : frame.getByRole('button', { name }).first(),
    async setRange(from, to) {
      await fields.first().fill(from);
      await fields.first().press('Tab');
      await fields.last().fill(to);
      await fields.last().press('Tab');
    },
    range: () => frame.locator('.side section').first().locator('[role="status"]'),
    cell: (label) => frame.locator(`.grid .cell[aria-label*="${label}"]`).first(),
    cellsIn: (state) => frame.locator(`.grid .cell.${state}`),
    text: async () => (await frame.locator('body').allInnerTexts()).join('\n'),
    themed: (kind) => frame.locator(`body.${bodyClasses[kind]}`).waitFor(),
  };
}
