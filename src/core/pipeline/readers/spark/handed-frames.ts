import type { Call, Interpreter } from '../../python/values/value.ts';
import { frameOf, queryText } from './frames/frame-query.ts';
import { plain, sparkWorkOf } from './session/spark-work.ts';

/** What looks at a frame, or wraps it, and writes nothing. */
const harmless =
  /(?:^|\.)(?:print|display|len|isinstance|type|str|repr|id|info|debug|warning|append|extend|assert\w*|DataFrameSuite|reduce)$/;

/** Notes rows that are handed to code which the workspace does not have; false where none are. */
export function handsFrames(call: Call, run: Interpreter, name: string): boolean {
  const frames = [...call.positional, ...[...call.keywords.values()].map(({ value }) => value)].flatMap(
    (value) => frameOf(value) ?? [],
  );
  if (frames.length === 0 || harmless.test(name)) return false;
  const work = sparkWorkOf(run);
  for (const { query } of frames) work.note({ text: queryText(query), call, composed: plain });
  work.unread(
    'code',
    `${call.callee}(…) is given a frame and is defined outside the workspace, so what it writes is not known`,
    call.at,
  );
  return true;
}
