/** Made when first needed: that loads the data of languages, which is most of what starting an editor would cost. */
let numbers: Intl.NumberFormat | undefined;

/** `12,345`. */
export function countInWords(count: number): string {
  numbers ??= new Intl.NumberFormat('en');
  return numbers.format(count);
}

/** `1 slice`, `5,503 slices`. */
export const counted = (count: number, noun: string): string =>
  `${countInWords(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `0.21 s`, `41 s`, `1 min 52 s`. */
export function durationInWords(milliseconds: number): string {
  if (milliseconds < 10_000) return `${(milliseconds / 1000).toFixed(2)} s`;
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
