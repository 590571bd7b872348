import type { FrameScope, Page } from '../../test/vscode/support/playwright.ts';

/** From a key that goes down to the squiggles of the editor being others, in milliseconds of the browser. */
export async function keyToSquiggle(page: Page, key: string): Promise<number> {
  await page.evaluate(`
    globalThis.measured = new Promise((resolve, reject) => {
      const count = () => document.querySelectorAll('.editor-instance [class*=squiggly-]').length;
      const had = count();
      setTimeout(() => reject(new Error('the squiggles stayed as they were')), 20000);
      addEventListener('keydown', () => {
        const startedAt = performance.now();
        const watch = new MutationObserver(() => {
          if (count() === had) return;
          watch.disconnect();
          resolve(performance.now() - startedAt);
        });
        watch.observe(document.querySelector('.editor-instance'), { subtree: true, childList: true, attributes: true });
      }, { once: true, capture: true });
    }); 0`);
  await page.keyboard.press(key);
  return page.evaluate<number>('globalThis.measured');
}

/** From the beginning of the page's document to its first drawing with all that it shows, in milliseconds. */
export async function pageDrawn(frame: FrameScope): Promise<number> {
  await frame.locator('#main').waitFor();
  return frame.locator('html').evaluate<number>("performance.getEntriesByName('drawn')[0].startTime");
}

export interface Scrolled {
  /** Times between frames, in milliseconds. */
  readonly frames: readonly number[];
  /** The longest that the page's thread was kept without a pause; 0 where it never was for 50 ms, of which browsers tell nothing. */
  readonly longestTask: number;
}

/** A page that is scrolled to its end and back. */
export const scrolled = (frame: FrameScope): Promise<Scrolled> =>
  frame.locator('html').evaluate<Scrolled>(`new Promise((resolve) => {
    let longestTask = 0;
    const watch = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) longestTask = Math.max(longestTask, duration);
    });
    watch.observe({ type: 'longtask' });
    const scrolls = [...document.querySelectorAll('*')]
      .filter((one) => one.scrollHeight > one.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(one).overflowY));
    const all = [document.scrollingElement, ...scrolls];
    const found = [];
    let last = performance.now();
    let step = 0;
    const next = (now) => {
      found.push(now - last);
      last = now;
      if (++step > 120) {
        watch.disconnect();
        return resolve({ frames: found.slice(1), longestTask });
      }
      for (const one of all) one.scrollBy(0, step <= 60 ? 40 : -40);
      requestAnimationFrame(next);
    };
    requestAnimationFrame((now) => { last = now; requestAnimationFrame(next); });
  })`);
