import fc from 'fast-check';

/**
 * Laws draw the same cases on every run, so that a suite turns red for a change and not by the luck of a draw. `npm test`
 * draws a fifth of what the whole suite (`npm run test:all`) draws; `npm run test:laws` draws others, and many times as
 * many: a failure prints its seed, and `LAWS_SEED` repeats it.
 */
const seed = Number(process.env.LAWS_SEED ?? 20_240_310);
const times = Number(process.env.LAWS_TIMES ?? 0.2);
const defaultRuns = 100;

/** How many cases a law draws where the whole suite draws `whole` of them. At least one. */
export const lawRuns = (whole: number): number => Math.max(1, Math.ceil(whole * times));

fc.configureGlobal({ seed, numRuns: lawRuns(defaultRuns) });
