import { createRequire } from 'node:module';
import type { Browser } from './playwright.ts';
import { serversFolder } from './servers-folder.ts';

const require = createRequire(`${serversFolder}current/package.json`);

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
