import fc from 'fast-check';

/**
 * Laws draw the same cases on every run of the gate, so that it turns red for a change and not by the luck of a draw.
 * `npm run test:laws` draws others, and many times as many; a failure prints its seed, and `LAWS_SEED` repeats it.
 */
const seed = Number(process.env.LAWS_SEED ?? 20_240_310);
const times = Number(process.env.LAWS_TIMES ?? 1);
const defaultRuns = 100;

/** How many cases a law draws where the gate draws `gate` of them. */
export const lawRuns = (gate: number): number => gate * times;

fc.configureGlobal({ seed, numRuns: lawRuns(defaultRuns) });
