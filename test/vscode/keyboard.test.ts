import { afterAll, beforeAll, expect, test } from 'vitest';
import type { EditorWindow } from './support/editor-window.ts';
import { eventually, until } from './support/patience.ts';
import { picturesOfFailures } from './support/pictures.ts';
import { startKit, type TestKit } from './support/test-kit.ts';

let kit: TestKit;
let window: EditorWindow;

beforeAll(async () => {
  kit = await startKit('current');
  window = await kit.window({ width: 1400, height: 980 });
});
afterAll(() => kit?.stop());
picturesOfFailures(() => window);

/** What has the focus: its words, and whether that can be seen. */
const focused = (): Promise<{ readonly words: string; readonly seen: boolean }> =>
  window.assistant.frame.locator('body').evaluate(`(() => {
    let inner = document.activeElement;
    while (inner?.shadowRoot?.activeElement) inner = inner.shadowRoot.activeElement;
    const host = inner?.getRootNode().host ?? inner;
    const ringed = [inner, inner?.parentElement, host].some((element) => {
      const { outlineStyle, outlineWidth, borderColor } = getComputedStyle(element);
      const ring = getComputedStyle(document.body).getPropertyValue('--vscode-focusBorder');
      const probe = document.createElement('i');
      probe.style.color = ring;
      document.body.append(probe);
      const isRing = borderColor === getComputedStyle(probe).color;
      probe.remove();
      return isRing || (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0);
    });
    const words = !document.hasFocus() ? '' : (host.getAttribute('aria-label') ?? host.textContent ?? '');
    return { words: words.replace(/\\s+/g, ' ').trim(), seen: ringed };
  })()`);
const press = async (...keys: readonly string[]): Promise<string> => {
  for (const key of keys) await window.page.keyboard.press(key);
  return (await focused()).words;
};
const said = (): Promise<string | null> => window.assistant.range().textContent();

/** Whose slice stands at the side. */
const title = async (): Promise<string> =>
  ((await window.assistant.frame.locator('aside h2').first().textContent()) ?? '').replace(/\s+/g, ' ').trim();

test('with the keyboard alone a range is chosen, previewed and looked at', async () => {
  const { assistant, page } = window;
  const shop = await kit.shop();
  await window.open(shop, `${shop}/dags/shop_daily.py`);
  await window.statusBar(/\d{4}-\d\d-\d\d/).waitFor();
  await window.selectInterval('2026-10-07');
  await window.goToLine(28, 5);
  await window.command('Backfill: Rerun This Interval');
  await window.tab('Backfill: shop_daily.orders_clean').waitFor();
  await assistant.button('Preview').waitFor();
  await window.command('View: Toggle Primary Side Bar Visibility');
  // Once the database has told what is there, nothing of the page is still to come.
  await assistant.frame.locator('vscode-dropdown.measure').waitFor();
  await eventually(() => assistant.text()).toMatch(/has rows/);
  await assistant.frame.locator('.pick').focus();

  const order: string[] = [];
  for (let step = 0; step < 40; step++) {
    const { words, seen } = await focused();
    if (words === '') break;
    expect(seen, words).toBe(true);
    order.push(words);
    await press('Tab');
  }
  const at = (part: string | RegExp): number => order.findIndex((words) => words.match(part) !== null);
  const stops = [
    at('sandbox'),
    at('More actions'),
    at(/^Preview$/),
    at(/^Wed 2026-10-07/),
    at(/^From/),
    at(/^Up to/),
    at(/^Last 7$/),
    at(/^one at a time/),
    at(/orders_clean, 2026-10-07: planned/),
    at(/^Measure$/),
    at('Table of totals'),
  ];
  expect(stops.every((stop) => stop >= 0)).toBe(true);
  expect(stops).toEqual([...stops].sort((a, b) => a - b));
  // One stop for the whole calendar, and one for the whole grid.
  expect(order.filter((words) => /\d{4}-\d\d-\d\d, [\d,]+ rows/.test(words))).toHaveLength(1);
  expect(order.filter((words) => /: planned/.test(words))).toHaveLength(1);

  // The menu takes the focus, goes round, and gives it back.
  await assistant.frame.locator('#more').focus();
  await press('Enter');
  await eventually(async () => (await focused()).words).toBe('Run without preview…');
  expect(await press('End')).toBe('Show log');
  expect(await press('ArrowDown')).toBe('Run without preview…');
  expect(await press('Escape')).toBe('More actions');
  await press('Enter');
  await eventually(async () => (await focused()).words).toBe('Run without preview…');
  for (let step = 0; step < 8; step++) await press('Tab');
  await eventually(() => assistant.frame.locator('.pop').count()).toBe(0);

  // The calendar: a month back is a month, Space begins, Shift extends.
  await assistant.frame.locator('.cal [tabindex="0"]').focus();
  await press('Home', 'ArrowRight', 'PageDown');
  await eventually(async () => (await focused()).words).toMatch(/^Sun 2026-11-08/);
  await press('PageUp');
  await eventually(async () => (await focused()).words).toMatch(/^Thu 2026-10-08/);
  await press(' ');
  await eventually(said).toBe('1 interval, 2026-10-08; 2026-10-09 is not included.');
  await press('Shift+ArrowDown');
  await eventually(said).toBe('2 intervals, 2026-10-08 to 2026-10-09; 2026-10-10 is not included.');
  await press('Shift+ArrowDown');
  await eventually(said).toBe('3 intervals, 2026-10-08 to 2026-10-10; 2026-10-11 is not included.');

  await press('Control+Enter');
  await assistant.button(/^Run \d+ slices$/).waitFor();
  // A field keeps its letters; elsewhere they go from change to change.
  await eventually(title).toMatch(/orders_clean · Sat 2026-10-10/);
  await assistant.frame.locator('.grid .c[tabindex="0"]').focus();
  await press('n');
  await eventually(title).toMatch(/revenue_daily · Sat 2026-10-10/);
  await press('p');
  await eventually(title).toMatch(/orders_clean · Sat 2026-10-10/);
  await press('ArrowDown', 'Enter');
  await eventually(title).toMatch(/customer_latest · Sat 2026-10-10/);
  await press('Escape');
  await eventually(title).toBe('Why these slices');
  expect((await focused()).words).toMatch(/customer_latest, 2026-10-10/);
  await page.keyboard.press('Tab');
});

test('from 500 to 2,000 pixels nothing is cut, nothing lies beside the page, and everything can be read', async () => {
  const { assistant, page } = window;
  for (const width of [556, 820, 1160, 1400, 2056]) {
    await page.setViewportSize({ width, height: 980 });
    const inner = (): Promise<{ readonly over: number; readonly cut: readonly string[] }> =>
      assistant.frame.locator('body').evaluate(`({
        over: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        cut: [...document.querySelectorAll('h1, .news .what, .said, .chip, vscode-button, .counts, h2')]
          .filter((one) => one.getClientRects().length > 0 && one.getBoundingClientRect().right > innerWidth + 1)
          .map((one) => one.textContent.trim()),
      })`);
    await until(
      async () => (await inner()).over <= 0,
      async () => {},
    );
    expect((await inner()).cut).toEqual([]);
    await window.picture(`width-${width}`);
    expect(await assistant.faults()).toEqual([]);
  }
});
