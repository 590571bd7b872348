import { fileURLToPath } from 'node:url';

/** Where `scripts/setup-vscode.mjs` installs the VS Codes and what drives them; a bundle of this file says so itself. */
export const serversFolder =
  process.env.BACKFILL_VSCODE_SERVERS ?? fileURLToPath(new URL('../servers/', import.meta.url));
