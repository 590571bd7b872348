import { hostValue, unknown } from '../../../python/values/make-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { sparkWorkOf } from '../session/spark-work.ts';

/** `frame.writeStream…start()`: what it writes belongs to no interval, which is said where it is started. */
export const streamWriter: Value = hostValue({
  type: 'spark-stream-writer',
  isFree: true,
  attribute: (name) =>
    hostValue({
      type: 'spark-stream-method',
      isFree: true,
      call(call, run) {
        if (name !== 'start' && name !== 'toTable') return streamWriter;
        sparkWorkOf(run).unread(
          'code',
          'it writes a stream, which goes on by itself and has no data interval',
          call.at,
        );
        return unknown('a query that goes on');
      },
    }),
});
