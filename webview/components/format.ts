const counts = new Intl.NumberFormat('en');

/** `12,345`. */
export const formatCount = (count: number): string => counts.format(count);

/**
 * `…55d230a3`: the digits in which two checksums differ, enough to tell them apart by eye. A sum of hashes has the same
 * digits in front whatever the rows. The whole one is in the tooltip.
 */
export const shortChecksum = (checksum: string): string => (checksum.length <= 9 ? checksum : `…${checksum.slice(-8)}`);

/** `2.5 units/s`, `4 units/min`: whichever is at least one. */
export const formatPace = (unitsPerMinute: number): string =>
  unitsPerMinute >= 60
    ? `${(unitsPerMinute / 60).toFixed(1)} units/s`
    : `${unitsPerMinute.toFixed(unitsPerMinute < 10 ? 1 : 0)} units/min`;

/** `about 4 s`: an estimate has no hundredths. */
export const formatEstimate = (seconds: number): string =>
  seconds < 60 ? `${Math.ceil(seconds)} s` : formatDuration(seconds * 1000);

/** `0.21 s`, `3 min 05 s`. */
export function formatDuration(durationMs: number): string {
  if (durationMs < 60_000) return `${(durationMs / 1000).toFixed(durationMs < 10_000 ? 2 : 0)} s`;
  const seconds = Math.round(durationMs / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

/** `1 unit`, `3 units`. */
export const plural = (count: number, noun: string): string => `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`;
