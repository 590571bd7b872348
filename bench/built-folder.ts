import { fileURLToPath } from 'node:url';

/** The product as it was built for these measurements. */
export const builtFolder = fileURLToPath(new URL('dist', import.meta.url));

/** The extension that measures inside of VS Code. */
export const probeFolder = fileURLToPath(new URL('editor-probe', import.meta.url));
