import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser } from './playwright.ts';

const require = createRequire(fileURLToPath(new URL('../servers/current/package.json', import.meta.url)));

/** Starts Chromium without a window. Playwright lives beside the VS Codes, not among the project's packages. */
export async function launchBrowser(): Promise<Browser> {
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
