import type { UnitProof } from './prove.ts';

/** Under what a second run left other rows, to stand behind a comma or by itself. */
export const underInWords = ({ under }: Extract<UnitProof['verdict'], { kind: 'different' }>): string =>
  under === undefined ? 'with nothing else changed' : `under ${under}`;
