import { readFileSync } from 'node:fs';
import { momentMs, until } from './patience.ts';
import type { FrameScope, Locator, Page } from './playwright.ts';
import { serversFolder } from './servers-folder.ts';

/** The assistant's page inside its two frames. */
export interface AssistantPage {
  readonly frame: FrameScope;
  button(name: string | RegExp): Locator;
  /** Presses a button until what it leads to is there: an element, or a text of the page. */
  press(name: string | RegExp, leadsTo: Locator | string | RegExp): Promise<void>;
  /** Takes what stands under the three dots until what it leads to is there. */
  choose(name: string, leadsTo: Locator | string | RegExp): Promise<void>;
  /** Types a range; the end is not included. */
  setRange(from: string, to: string): Promise<void>;
  range(): Locator;
  /** Cells of the grid, by a part of what a screen reader says: task, interval, state. */
  cell(label: string): Locator;
  /** Selects a cell until the page shows this of its unit. */
  selectCell(label: string, shows: string | RegExp): Promise<void>;
  cellsIn(state: string): Locator;
  text(): Promise<string>;
  /** What axe finds against the page as it is, for screen readers, keyboard and contrast: rule and element. */
  faults(): Promise<readonly string[]>;
  /** Whether the page has the colours of a theme; true as well where it is not open. */
  isThemed(kind: ThemeKind): Promise<boolean>;
}

export type ThemeKind = keyof typeof bodyClasses;

const bodyClasses = {
  vs: 'vscode-light',
  'vs-dark': 'vscode-dark',
  'hc-black': 'vscode-high-contrast',
  'hc-light': 'vscode-high-contrast-light',
} as const;

/** Lives beside the VS Codes, not among the project's packages, and is read where it is used: the bench has other parts. */
const axe = (): string => readFileSync(`${serversFolder}current/node_modules/axe-core/axe.min.js`, 'utf8');

export function assistantPage(page: Page): AssistantPage {
  const frame = page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame');
  const fields = frame.locator('.dates vscode-text-field input');
  const text = async (): Promise<string> => (await frame.locator('body').allInnerTexts()).join('\n');
  const says = async (what: string | RegExp): Promise<boolean> =>
    typeof what === 'string' ? (await text()).includes(what) : what.test(await text());
  const isThere = async (what: Locator | string | RegExp): Promise<boolean> =>
    typeof what === 'string' || what instanceof RegExp ? says(what) : what.first().isVisible();
  const button: AssistantPage['button'] = (name) =>
    typeof name === 'string'
      ? frame.getByRole('button', { name, exact: true })
      : frame.getByRole('button', { name }).first();
  const cell: AssistantPage['cell'] = (label) => frame.locator(`.grid .c[aria-label*="${label}"]`).first();
  return {
    frame,
    button,
    async press(name, leadsTo) {
      await button(name).waitFor();
      await until(
        () => isThere(leadsTo),
        () => button(name).click({ timeout: momentMs }),
      );
    },
    async choose(name, leadsTo) {
      const item = frame.getByRole('menuitem', { name, exact: true });
      await until(
        () => isThere(leadsTo),
        async () => {
          if (!(await item.isVisible())) await button('More actions').click({ timeout: momentMs });
          await item.click({ timeout: momentMs });
        },
      );
    },
    async setRange(from, to) {
      await fields.first().fill(from);
      await fields.first().press('Tab');
      await fields.last().fill(to);
      await fields.last().press('Tab');
    },
    range: () => frame.locator('.said'),
    cell,
    async selectCell(label, shows) {
      await cell(label).waitFor();
      await until(
        () => says(shows),
        () => cell(label).click({ timeout: momentMs }),
      );
    },
    cellsIn: (state) => frame.locator(`.grid .c.${state}`),
    text,
    async faults() {
      const root = frame.locator('html');
      await root.evaluate(`${axe()}; 0`);
      return root.evaluate<readonly string[]>(
        `axe.run(document, { resultTypes: ['violations'], runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa'] }).then(({ violations }) => violations.flatMap(({ id, nodes }) =>
          nodes.map(({ target, failureSummary }) => id + ': ' + target.join(' ') + ' — ' + failureSummary)))`,
      );
    },
    async isThemed(kind) {
      if ((await page.locator('iframe.webview.ready').count()) === 0) return true;
      return (await frame.locator(`body.${bodyClasses[kind]}`).count()) > 0;
    },
  };
}
