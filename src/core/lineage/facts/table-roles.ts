/**
 * What a table or column is for, as far as its name tells. Names decide only whether a rule keeps silent, or how it
 * grades what it has seen, never that it speaks.
 */

const words = (name: string): string[] =>
  name
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');

const setOf = (list: string): ReadonlySet<string> => new Set(list.split(' '));

const stagingWords = setOf(
  'stg stage staging staged tmp temp temporary work wrk scratch landing buf buffer delta incoming inbox batch load loading swap new increment incremental transient intermediate interim',
);

/** A table that one run fills and uses up: by a word of its name or of its schema's. */
export const isStagingName = (name: string): boolean =>
  name.startsWith('#') || words(name).some((word) => stagingWords.has(word));

const journalWords = setOf(
  'audit audits auditlog journal journals watermark watermarks checkpoint checkpoints heartbeat heartbeats lock locks',
);
const processWords = setOf(
  'etl elt job jobs batch batches run runs dag dags task tasks load loads process processing pipeline pipelines import imports sync ingest ingestion migration migrations schema workflow backfill crawl crawls scrape scrapes execution executions quality dq control',
);
const recordWords = setOf(
  'log logs history status state states run runs stats statistics result results metadata meta info error errors progress tracker tracking offset offsets metrics stages steps record records registry check checks control migrations executions',
);

/** Schemas of nothing but such tables; one that is called `logs` may well hold the logs of a web server. */
const journalSchema = /(?:^|\.)["`[]?(?:logging|audit|auditing|etl_?logs?|job_?logs?)["`\]]?\.[^.]+$/;
/** `ods_logs.dbo.visit_count_log`: both names say it. */
const logAmongLogs = /(?:^|[._"`[])logs?["`\]]?\.(?:[^.]+\.)?[^.]*_logs?["`\]]?$/;
/** The two words written as one: `processexecutionlogs`. */
const joinedRecord =
  /^\w*(?:etl|job|process|batch|dag|task|pipeline|execution|ingestion)s?(?:logs?|history|status|audit|runs?)$/;

/** A table that records what jobs did, where each run is meant to add its own row. */
export function isJournalName(table: string): boolean {
  const parts = words(table.split('.').at(-1) ?? table);
  if (journalSchema.test(table.toLowerCase()) || logAmongLogs.test(table.toLowerCase())) return true;
  if (parts.some((word) => journalWords.has(word) || joinedRecord.test(word))) return true;
  // `etl_job`, `pipeline_task`: nothing else is spoken of.
  if (parts.length > 1 && parts.every((word) => processWords.has(word))) return true;
  return parts.some(
    (process, at) => processWords.has(process) && parts.some((word, other) => other !== at && recordWords.has(word)),
  );
}

/** A table that may be such a record; what is inserted into it decides. */
export const mayBeJournalName = (table: string): boolean =>
  words(table.split('.').at(-1) ?? table).some((word) => recordWords.has(word) || processWords.has(word));

const logWords = setOf(
  'log logs error errors status state states offset offsets registry check checks control migrations executions',
);

/** The same of what is inserted for each of some rows: the process alone, or what it measures, makes no record of it. */
export const mayBeLogName = (table: string): boolean =>
  words(table.split('.').at(-1) ?? table).some((word) => logWords.has(word));

const sliceColumn =
  /^(ds|dt|day|date|date_?(key|id)|month|(snapshot|snap|as_?of|report|reporting|business|biz|partition|data|stat|stats|calendar|fact|position|balance|cob)_?(date|day|dt|month|ds|date_?key))$/;

/** A column that names the slice of a table by day or month. */
export const isSliceColumn = (name: string): boolean => sliceColumn.test(name.toLowerCase());

/** A column that holds days and no times of day, as far as its name tells. */
export const isDayColumn = (name: string): boolean =>
  isSliceColumn(name) || /^(?:date|day)_|_(?:date|day|dt|ds|date_utc)$/.test(name.toLowerCase());

/** A column of an event's own time or day: part of a key, it makes each row belong to one interval. */
export const isEventTimeColumn = (name: string): boolean =>
  isSliceColumn(name) || /(^|_)(at|ts|time|timestamp|datetime|date|day|hour|month)$/.test(name.toLowerCase());

/** A counter of attempts or of versions: it tells how often a row was touched, which a rerun may well change. */
export const isRevisionCounter = (column: string): boolean =>
  /(^|_)(attempts?|retry|retries|retry_count|tries|version|revision|rev|row_?version|lock_version|run_?count|proc(?:ess(?:ed)?)?_?count(?:er)?|seq)(_|$)/.test(
    column.toLowerCase(),
  );
