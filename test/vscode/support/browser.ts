import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { Browser } from './playwright.ts';
import { serversFolder } from './servers-folder.ts';

const require = createRequire(`${serversFolder}current/package.json`);

/** Pictures for the eye have the fonts of a desk; tests have those of the machine, which are wide. */
const fonts =
  process.env.UPDATE_PICTURES === '1'
    ? { FONTCONFIG_FILE: fileURLToPath(new URL('picture-fonts.conf', import.meta.url)) }
    : {};

const launch = {
  env: { ...process.env, ...fonts },
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
};

/** Starts Chromium without a window. Playwright lives beside the VS Codes, not among the project's packages. */
export async function launchBrowser(): Promise<Browser> {
  const { chromium } = require('playwright-core');
  return chromium.launch(launch);
}

/** A browser that keeps in a folder what VS Code keeps in it, from one window to the next; one window at a time. */
export function keptBrowser(profile: string): Pick<Browser, 'newContext'> {
  const { chromium } = require('playwright-core');
  return { newContext: (options) => chromium.launchPersistentContext(profile, { ...launch, ...options }) };
}
