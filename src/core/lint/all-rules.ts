import type { Rule } from './model/rule.ts';
import inclusiveIntervalEnd from './rules/interval/inclusive-interval-end.ts';
import missingIntervalFilter from './rules/interval/missing-interval-filter.ts';
import wallClock from './rules/interval/wall-clock.ts';
import appendWrite from './rules/replace/append-write.ts';
import deleteInsertNotAtomic from './rules/replace/delete-insert-not-atomic.ts';
import deleteInsertRangeMismatch from './rules/replace/delete-insert-range-mismatch.ts';
import plainInsert from './rules/replace/plain-insert.ts';
import crossDagTimeMismatch from './rules/schedule/cross-dag-time-mismatch.ts';
import dynamicStartDate from './rules/schedule/dynamic-start-date.ts';
import noIntervalInRun from './rules/schedule/no-interval-in-run.ts';
import triggerDropsInterval from './rules/schedule/trigger-drops-interval.ts';
import zeroWidthInterval from './rules/schedule/zero-width-interval.ts';
import unknownSuppression from './rules/unknown-suppression.ts';
import additiveUpdate from './rules/upsert/additive-update.ts';
import consumeOnceSource from './rules/upsert/consume-once-source.ts';
import doNothingUpsert from './rules/upsert/do-nothing-upsert.ts';

/** Every rule; their order does not matter. */
export const allRules: readonly Rule[] = [
  additiveUpdate,
  appendWrite,
  consumeOnceSource,
  crossDagTimeMismatch,
  deleteInsertNotAtomic,
  deleteInsertRangeMismatch,
  doNothingUpsert,
  dynamicStartDate,
  inclusiveIntervalEnd,
  missingIntervalFilter,
  noIntervalInRun,
  plainInsert,
  triggerDropsInterval,
  unknownSuppression,
  wallClock,
  zeroWidthInterval,
];
