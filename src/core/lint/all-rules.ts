import type { Rule } from './model/rule.ts';
import additiveUpdate from './rules/additive-update.ts';
import appendWrite from './rules/append-write.ts';
import consumeOnceSource from './rules/consume-once-source.ts';
import deleteInsertNotAtomic from './rules/delete-insert-not-atomic.ts';
import deleteInsertRangeMismatch from './rules/delete-insert-range-mismatch.ts';
import doNothingUpsert from './rules/do-nothing-upsert.ts';
import dynamicStartDate from './rules/dynamic-start-date.ts';
import inclusiveIntervalEnd from './rules/inclusive-interval-end.ts';
import missingIntervalFilter from './rules/missing-interval-filter.ts';
import plainInsert from './rules/plain-insert.ts';
import unknownSuppression from './rules/unknown-suppression.ts';
import wallClock from './rules/wall-clock.ts';
import zeroWidthInterval from './rules/zero-width-interval.ts';

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
