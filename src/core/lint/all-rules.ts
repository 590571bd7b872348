import type { Rule } from './model/rule.ts';
import dateVsTimestampBound from './rules/interval/date-vs-timestamp-bound.ts';
import hardCodedDate from './rules/interval/hard-coded-date.ts';
import inclusiveIntervalEnd from './rules/interval/inclusive-interval-end.ts';
import intervalGrain from './rules/interval/interval-grain.ts';
import missingIntervalFilter from './rules/interval/missing-interval-filter.ts';
import partialGroup from './rules/interval/partial-group.ts';
import removedIntervalMacro from './rules/interval/removed-interval-macro.ts';
import sliceMismatch from './rules/interval/slice-mismatch.ts';
import stateOutsideInterval from './rules/interval/state-outside-interval.ts';
import timezoneMismatch from './rules/interval/timezone-mismatch.ts';
import wallClock from './rules/interval/wall-clock.ts';
import watermarkFromTarget from './rules/interval/watermark-from-target.ts';
import allDoneOnWrite from './rules/replace/all-done-on-write.ts';
import appendLookback from './rules/replace/append-lookback.ts';
import appendWrite from './rules/replace/append-write.ts';
import copyForce from './rules/replace/copy-force.ts';
import deleteInsertNotAtomic from './rules/replace/delete-insert-not-atomic.ts';
import deleteInsertRangeMismatch from './rules/replace/delete-insert-range-mismatch.ts';
import dynamicOverwriteEmpty from './rules/replace/dynamic-overwrite-empty.ts';
import engineReplayDedup from './rules/replace/engine-replay-dedup.ts';
import externalJobResubmit from './rules/replace/external-job-resubmit.ts';
import overlappingRuns from './rules/replace/overlapping-runs.ts';
import plainInsert from './rules/replace/plain-insert.ts';
import sharedStagingName from './rules/replace/shared-staging-name.ts';
import wholeTargetOverwrite from './rules/replace/whole-target-overwrite.ts';
import catchupOfUndatedWork from './rules/schedule/catchup-of-undated-work.ts';
import crossDagTimeMismatch from './rules/schedule/cross-dag-time-mismatch.ts';
import dstLocalCron from './rules/schedule/dst-local-cron.ts';
import dynamicStartDate from './rules/schedule/dynamic-start-date.ts';
import noIntervalInRun from './rules/schedule/no-interval-in-run.ts';
import skipsIntervals from './rules/schedule/skips-intervals.ts';
import triggerDropsInterval from './rules/schedule/trigger-drops-interval.ts';
import zeroWidthInterval from './rules/schedule/zero-width-interval.ts';
import unknownSuppression from './rules/unknown-suppression.ts';
import additiveUpdate from './rules/upsert/additive-update.ts';
import consumeOnceSource from './rules/upsert/consume-once-source.ts';
import doNothingUpsert from './rules/upsert/do-nothing-upsert.ts';
import mergeKeyNotGrain from './rules/upsert/merge-key-not-grain.ts';
import nullableMergeKey from './rules/upsert/nullable-merge-key.ts';
import unconditionalUpsert from './rules/upsert/unconditional-upsert.ts';
import unstableKey from './rules/upsert/unstable-key.ts';
import unstablePick from './rules/upsert/unstable-pick.ts';

/** Every rule; their order does not matter. */
export const allRules: readonly Rule[] = [
  additiveUpdate,
  allDoneOnWrite,
  appendLookback,
  appendWrite,
  catchupOfUndatedWork,
  consumeOnceSource,
  copyForce,
  crossDagTimeMismatch,
  dateVsTimestampBound,
  deleteInsertNotAtomic,
  deleteInsertRangeMismatch,
  doNothingUpsert,
  dstLocalCron,
  dynamicOverwriteEmpty,
  dynamicStartDate,
  engineReplayDedup,
  externalJobResubmit,
  hardCodedDate,
  inclusiveIntervalEnd,
  intervalGrain,
  mergeKeyNotGrain,
  missingIntervalFilter,
  noIntervalInRun,
  nullableMergeKey,
  overlappingRuns,
  partialGroup,
  plainInsert,
  removedIntervalMacro,
  sharedStagingName,
  skipsIntervals,
  sliceMismatch,
  stateOutsideInterval,
  timezoneMismatch,
  triggerDropsInterval,
  unconditionalUpsert,
  unknownSuppression,
  unstableKey,
  unstablePick,
  wallClock,
  watermarkFromTarget,
  wholeTargetOverwrite,
  zeroWidthInterval,
];
