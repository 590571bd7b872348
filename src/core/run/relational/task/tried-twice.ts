import type { JobSlice, UnitJob } from '../../unit/unit-job.ts';
import { planParts } from './task-parts.ts';

/** Whether rows that come again in a slice would be news: neither has the plan said so, and was it allowed, nor is it meant. */
export const triedSlice = ({ again, journal }: Pick<JobSlice, 'again' | 'journal'>): boolean =>
  again?.sure !== true && journal !== true;

/** Whether a unit may be held for what a second run of it does, so that one is tried: nothing of it may stay. */
export const isTriedTwice = (job: UnitJob): boolean =>
  mayBeHeld(job) && job.outside === undefined && planParts(job) === undefined;

/** Why a second run is not tried, in words; `undefined`: it is, or nobody asks for it. */
export function whyNotTried(job: UnitJob): string | undefined {
  if (!mayBeHeld(job) || isTriedTwice(job)) return undefined;
  const why = job.outside === undefined ? 'it is not one transaction' : 'it would do that once more';
  return `Whether a second run changes its rows again is not known, because ${why}.`;
}

const mayBeHeld = ({ options, restores, carried, fromNothing, slices }: UnitJob): boolean =>
  options.holdShrinkPercent !== undefined &&
  restores === undefined &&
  carried === undefined &&
  fromNothing !== true &&
  slices.some(triedSlice);
