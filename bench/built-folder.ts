import { fileURLToPath } from 'node:url';

/** The product as it was built for these measurements. */
export const builtFolder = fileURLToPath(new URL('dist', import.meta.url));
