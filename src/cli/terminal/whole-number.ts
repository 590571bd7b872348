import { UsageError } from './shell.ts';

/** The number of an option. Throws {@link UsageError} for anything but a whole number from `least` to `most`. */
export function wholeNumber(option: string, text: string, least = 0, most = 1_000_000): number {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > most)
    throw new UsageError(`${option} ${text} is not a whole number from ${least} to ${most}`);
  return value;
}
