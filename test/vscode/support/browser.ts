import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(fileURLToPath(new URL('../servers/current/package.json', import.meta.url)));

/** The part of Playwright that the suite uses; the package lives beside the VS Codes, not among our dependencies. */
export type Browser = Awaited<ReturnType<typeof launchBrowser>>;

// biome-ignore lint/suspicious/noExplicitAny: Playwright's types are not installed among the project's packages.
export async function launchBrowser(): Promise<any> {
  const { chromium } = require('playwright-core');
  return chromium.launch({
    executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
