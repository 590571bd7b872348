import type { TaskId } from '../../pipeline/model/model.ts';

/** What a report of a run is written as. */
export type ReportFormat = 'markdown' | 'json' | 'html';

/** What is done with a plan. Only a run writes. */
export type RunMode = 'run' | 'preview' | 'prove';

/** What the page asks of the host, also by the buttons that the host offers. Every request is answered, also with a failure. */
export type PageRequest =
  /** The page woke up: send the whole state. */
  | { readonly type: 'ready' }
  /** A side that is left out stays as it is: the page may not have seen yet what the other was set to. */
  | {
      readonly type: 'set-range';
      readonly from?: string;
      readonly to?: string;
      /** Only these units of it. */
      readonly only?: readonly string[] | undefined;
    }
  | { readonly type: 'include-task'; readonly task: TaskId; readonly included: boolean }
  /** The host asks which connection. */
  | { readonly type: 'choose-connection' }
  | { readonly type: 'use-connection'; readonly name: string }
  | { readonly type: 'use-embedded' }
  | { readonly type: 'connect' }
  /** Asks the connection's database again, and a person for the password that it wants. */
  | { readonly type: 'ask-again' }
  | { readonly type: 'set-concurrency'; readonly value: number }
  | { readonly type: 'set-compare'; readonly value: 'rows' | 'checksums' | 'none' }
  | { readonly type: 'set-shrink-percent'; readonly value: number | undefined }
  | { readonly type: 'set-stop-at-first-failure'; readonly value: boolean }
  | { readonly type: 'set-early-cutoff'; readonly value: boolean }
  /** Which scheduler is given what is not run from here, and whether it is given all; what is left out stays as it is. */
  | { readonly type: 'set-scheduler'; readonly name?: string; readonly all?: boolean }
  /** Calendar and chart are of this task from now on. */
  | { readonly type: 'select-task'; readonly task: TaskId }
  /** What the chart of a task shows: one of its measures. */
  | { readonly type: 'set-measure'; readonly task: TaskId; readonly measure: string }
  /** More of a task's calendar: the intervals before this one, as it would be typed. */
  | { readonly type: 'set-calendar'; readonly task: TaskId; readonly before: string }
  /** A plan that is out of date, or of something else, is made anew first. */
  | { readonly type: 'start'; readonly mode: Exclude<RunMode, 'prove'> }
  /** Plans the intervals of the task alone and runs each twice. */
  | { readonly type: 'prove' }
  | { readonly type: 'cancel' }
  /** Goes on with what is left; what is held stays so, and what waits behind it waits. */
  | { readonly type: 'resume' }
  /** Lets one held slice through and goes on. */
  | { readonly type: 'approve-held'; readonly index: number }
  /** Lets all held slices through and goes on. */
  | { readonly type: 'approve-all' }
  /** Plans to take back what the run changed, one slice of it or all. Nothing is written before that is started. */
  | { readonly type: 'undo'; readonly index?: number }
  /** Back from the plan of an undo or a proof to that of the range. */
  | { readonly type: 'leave-undo' }
  | { readonly type: 'select-unit'; readonly index: number }
  | { readonly type: 'close-unit' }
  | { readonly type: 'open-source'; readonly task: TaskId }
  | { readonly type: 'open-diff'; readonly index: number }
  /** The log of a unit that a scheduler carries out, as a document. */
  | { readonly type: 'open-task-log'; readonly index: number }
  /** Tells the run that this unit was done elsewhere, and shows the run as its ledger has it then. */
  | { readonly type: 'mark-done'; readonly index: number }
  /** What the page's task was seen to write while a scheduler ran it; `last`: its newest run is looked at first. */
  | { readonly type: 'observe'; readonly last?: boolean }
  /** Writes what is clear of that into `backfill.yaml`. */
  | { readonly type: 'declare-observed' }
  | { readonly type: 'copy-command' }
  | { readonly type: 'copy'; readonly text: string }
  /** The host asks which format. */
  | { readonly type: 'export' }
  | { readonly type: 'show-log' };
