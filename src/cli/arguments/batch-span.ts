import { parseBatch } from '../../node/config/parse-edge.ts';
import { UsageError } from '../terminal/shell.ts';

/** The span of `--batch`, in milliseconds; `undefined` where it is not given. */
export function batchSpan(source: string | undefined): number | undefined {
  if (source === undefined) return undefined;
  const parsed = parseBatch(source);
  if ('wrong' in parsed) throw new UsageError(`--batch: ${parsed.wrong}`);
  return parsed.value;
}
