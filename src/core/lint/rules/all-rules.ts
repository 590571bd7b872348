import additiveUpdate from './additive-update.ts';
import appendWrite from './append-write.ts';
import consumeOnceSource from './consume-once-source.ts';
import deleteInsertNotAtomic from './delete-insert-not-atomic.ts';
import deleteInsertRangeMismatch from './delete-insert-range-mismatch.ts';
import doNothingUpsert from './do-nothing-upsert.ts';
import dynamicStartDate from './dynamic-start-date.ts';
import inclusiveIntervalEnd from './inclusive-interval-end.ts';
import missingIntervalFilter from './missing-interval-filter.ts';
import plainInsert from './plain-insert.ts';
import type { Rule } from './rule.ts';
import unknownSuppression from './unknown-suppression.ts';
import wallClock from './wall-clock.ts';
import zeroWidthInterval from './zero-width-interval.ts';

/** Every rule; their order does not matter. */
export const allRules: readonly Rule[] = [
  additiveUpdate,
  appendWrite,
  consumeOnceSource,
  deleteInsertNotAtomic,
  deleteInsertRangeMismatch,
  doNothingUpsert,
  dynamicStartDate,
  inclusiveIntervalEnd,
  missingIntervalFilter,
  plainInsert,
  unknownSuppression,
  wallClock,
  zeroWidthInterval,
];
