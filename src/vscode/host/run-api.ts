import type { RunSummary, UnitRecord } from '../../core/ledger/ledger-store.ts';
import type { SliceState } from '../../core/ledger/slice-states.ts';
import type { DatabaseDefinitions } from '../../core/pipeline/model/database-definitions.ts';
import type { OutsideTask } from '../../core/run/irrevocable/outside-words.ts';
import type { TableVerdict } from '../../core/run/observed/judge-observations.ts';
import type { TaskLineage } from '../../core/run/observed/lineage-events.ts';
import type { UnitProof } from '../../core/run/relational/prove/prove.ts';
import type { SurveySlice } from '../../core/run/survey/survey-slices.ts';
import type { PreviewEnd } from '../../core/run/unit/preview-end.ts';
import type { RunEvent } from '../../core/run/unit/run-event.ts';
import type { RunResult } from '../../core/run/unit/run-result.ts';
import type { UnitOptions } from '../../core/run/unit/unit-job.ts';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import type { NamedInSql } from '../../core/sql/calls/named-in-sql.ts';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';

/** How a run of the run thread ended, or why it could not begin. */
export type RunAnswer =
  | { readonly kind: 'ended'; readonly result: RunResult; readonly previewed?: PreviewEnd | undefined }
  | {
      readonly kind: 'world';
      readonly error: string;
      readonly message: string;
      readonly remedy: string | undefined;
    };

/** A preview or proof of tasks that do what no rollback takes back: nothing has run, and each has to be asked about. */
export interface OutsideQuestions {
  readonly kind: 'asks';
  readonly tasks: readonly OutsideTask[];
}

/** Why the world did not let the run thread do what was asked. */
export type WorldAnswer = Extract<RunAnswer, { kind: 'world' }>;

export const isWorldAnswer = (answer: unknown): answer is WorldAnswer =>
  typeof answer === 'object' && answer !== null && (answer as { kind?: unknown }).kind === 'world';

/** A plan that takes back what a run changed; `document` is what the ledger stores once it is started. */
export interface UndoPlan {
  /** Id of the run that the undo will be. */
  readonly run: string;
  readonly title: string;
  readonly document: string;
  /** Task of its first unit, whose page shows it. */
  readonly task: string;
}

/** A slice that a run would now make otherwise. Bounds are milliseconds since the epoch, infinite where open. */
export interface StaleEntry {
  readonly unit: string;
  readonly task: string;
  readonly table: string;
  readonly lower: number;
  readonly upper: number;
  readonly madeAt: number;
  readonly reasons: readonly string[];
}

/** `connection` is missing where it cannot be looked up. */
export interface InsteadOf {
  readonly name: string;
  readonly connection: ConnectionConfig | undefined;
}

/** What the run thread offers: one run at a time, on a connection that it opens itself. */
export interface RunApi {
  [method: string]: (argument: never) => Promise<unknown>;
  start(argument: {
    readonly connection: ConnectionConfig;
    readonly mode: 'run' | 'preview';
    /** Of a preview: the connection that the run would use, where `connection` is another one. */
    readonly insteadOf?: InsteadOf | undefined;
    readonly run: string;
    readonly title: string;
    readonly createdBy: string;
    readonly document: string;
    /** Of a run: who is given the units that its document says. */
    readonly scheduler?: SchedulerConfig | undefined;
    /** Of a preview: tasks that may do what no rollback takes back; `undefined`: nobody was asked yet. */
    readonly irrevocable?: readonly string[] | undefined;
  }): Promise<RunAnswer | OutsideQuestions>;
  resume(argument: {
    readonly connection: ConnectionConfig;
    readonly run: string;
    readonly createdBy: string;
    readonly codeHashes: readonly (readonly [string, string])[];
    /** Held units that are let through: all, or these. */
    readonly acceptHeld: boolean | readonly string[];
    /** As of `start`. */
    readonly scheduler?: SchedulerConfig | undefined;
  }): Promise<RunAnswer>;
  /** Records units of a run as done elsewhere, with the figures of their slices. */
  markDone(argument: {
    readonly connection: ConnectionConfig;
    readonly run: string;
    readonly units: readonly string[];
    readonly createdBy: string;
    /** How the units run that the run could not have sent itself. */
    readonly options: UnitOptions;
  }): Promise<
    | { readonly kind: 'marked' }
    | { readonly kind: 'refused'; readonly message: string; readonly remedy: string }
    | WorldAnswer
  >;
  /** What a task was seen to write while a scheduler ran it; its newest run is looked at first where `last` is said. */
  observed(argument: {
    readonly connection: ConnectionConfig;
    readonly task: string;
    /** Tables that events of its Airflow name as what it writes. */
    readonly lineage?: Pick<TaskLineage, 'writes'> | undefined;
    readonly last?: { readonly scheduler: SchedulerConfig; readonly dag: string; readonly name: string } | undefined;
  }): Promise<
    | { readonly kind: 'observed'; readonly runs: number; readonly verdicts: readonly TableVerdict[] }
    | { readonly kind: 'refused'; readonly message: string; readonly remedy: string }
    | WorldAnswer
  >;
  /** Runs each unit of a plan twice and keeps nothing; units that a cancel came before have no proof. */
  prove(argument: {
    readonly connection: ConnectionConfig;
    readonly createdBy: string;
    readonly document: string;
    /** As of `start`. */
    readonly irrevocable?: readonly string[] | undefined;
  }): Promise<{ readonly kind: 'proved'; readonly proofs: readonly UnitProof[] } | OutsideQuestions | WorldAnswer>;
  /** What the database has of what a workspace names. Reads its catalog only. */
  definitions(argument: {
    readonly connection: ConnectionConfig;
    readonly named: NamedInSql;
  }): Promise<{ readonly kind: 'known'; readonly database: DatabaseDefinitions } | WorldAnswer>;
  /** Plans to take back what a run changed, all of it or these units. Writes nothing. */
  planUndo(argument: {
    readonly connection: ConnectionConfig;
    readonly run: string;
    readonly units: readonly string[] | undefined;
    readonly createdBy: string;
  }): Promise<
    | { readonly kind: 'planned'; readonly undo: UndoPlan }
    | { readonly kind: 'refused'; readonly message: string; readonly remedy: string }
    | WorldAnswer
  >;
  /** Slices of the ledger that are stale, by table and time; `known`: how many it has. */
  stale(argument: {
    readonly connection: ConnectionConfig;
    readonly codeHashes: readonly (readonly [string, string])[];
  }): Promise<{ readonly kind: 'listed'; readonly known: number; readonly stale: readonly StaleEntry[] } | WorldAnswer>;
  /**
   * What the ledger says of every slice that it knows, and how many rows these slices hold, whoever wrote them. A database
   * without a ledger is left as it is.
   */
  sliceStates(argument: {
    readonly connection: ConnectionConfig;
    readonly codeHashes: readonly (readonly [string, string])[];
    readonly slices: readonly SurveySlice[];
    /** A column that is added up beside the count. */
    readonly sum?: string | undefined;
    /** How many runs are listed, newest first. */
    readonly runs: number;
  }): Promise<
    | {
        readonly kind: 'known';
        readonly states: readonly SliceState[];
        readonly runs: readonly RunSummary[];
        readonly rows: readonly (readonly [string, number])[];
        /** Columns that can be added up. */
        readonly columns: readonly string[];
        readonly sums: readonly (readonly [string, string])[];
        /** Tables that could not be counted, and why. */
        readonly untold: readonly string[];
      }
    | WorldAnswer
  >;
  /** Asks for cancellation; the run's own answer says what became of it. */
  cancel(argument: null): Promise<void>;
  history(argument: {
    readonly connection: ConnectionConfig;
    readonly limit: number;
  }): Promise<{ readonly runs: readonly RunSummary[] } | WorldAnswer>;
  /** The stored document of a run, to show it again. */
  stored(argument: { readonly connection: ConnectionConfig; readonly run: string }): Promise<
    | {
        readonly document: string;
        readonly title: string;
        readonly units: readonly UnitRecord[];
        /** Who is at work on it, as far as its last sign of life tells; `undefined`: nobody. */
        readonly workedOnBy: string | undefined;
      }
    | WorldAnswer
  >;
}

export type RunThreadEvent = { readonly kind: 'event'; readonly event: RunEvent };
