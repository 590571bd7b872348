import type { UnitRecord } from '../../core/ledger/ledger-store.ts';
import type { Severity } from '../../core/lint/model/finding.ts';
import type { DatabaseDefinitions } from '../../core/pipeline/model/database-definitions.ts';
import type { PlanFinding } from '../../core/plan/model/plan.ts';
import type { CarriedBy } from '../../core/run/jobs/make-carried-job.ts';
import type { TaskLineage } from '../../core/run/observed/lineage-events.ts';
import type { UnitProof } from '../../core/run/relational/prove/prove.ts';
import type { SlicesOfIntervals } from '../../core/run/survey/slices-of-intervals.ts';
import type { RunUnit } from '../../core/run/unit/run-result.ts';
import type { UnitOptions } from '../../core/run/unit/unit-job.ts';
import type { SchedulerConfig } from '../../core/scheduler/port/scheduler-config.ts';
import type { NamedInSql } from '../../core/sql/calls/named-in-sql.ts';
import type { Position, Problem } from '../../core/text/span.ts';
import type { DocumentView } from '../../core/view/document/document-view.ts';
import type { DeclarationDraft } from '../../core/view/document/draft-declaration.ts';
import type { ViewBasis } from '../../core/view/kept/kept-view.ts';
import type { ReportFormat } from '../../core/view/page/page-request.ts';
import type { PlanGrid } from '../../core/view/page/plan-view.ts';
import type { CalendarSurvey } from '../../core/view/page/range/calendar-survey.ts';
import type { CalendarGrid } from '../../core/view/page/range/calendar-view.ts';
import type { PickedRange } from '../../core/view/page/range/picked-range.ts';
import type { RangeView } from '../../core/view/page/range/range-view.ts';
import type { SliceVersion } from '../../core/view/words/slice-version.ts';
import type { ConnectionConfig } from '../../core/warehouse/port/connection-config.ts';
import type { WorldAnswer } from './run-api.ts';

/** What the editor's settings decide for reading and checking. */
export interface WorkspaceSettings {
  /** `auto`: what `backfill.yaml` and the workspace say. */
  readonly airflowVersion: 'auto' | 2 | 3;
  /** A Python with Airflow as it is named; `undefined`: what `backfill.yaml` says. */
  readonly airflowPython: string | undefined;
  /** Whether code of the workspace may be run. */
  readonly trusted: boolean;
  readonly severities: Readonly<Record<string, Severity | 'off'>>;
  /** Zone of labels; `undefined`: each pipeline's own. */
  readonly shownIn: string | undefined;
}

export interface PickableInterval {
  /** Milliseconds since the epoch. */
  readonly start: number;
  readonly label: string;
  /** Both ends in UTC. */
  readonly detail: string;
}

/** A finding with positions, for files that no editor has open. */
export interface PlacedFinding {
  readonly file: string;
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  readonly start: Position;
  readonly end: Position;
}

/** Something that could not be read, with positions. */
export interface PlacedProblem {
  readonly file: string;
  readonly severity: Problem['severity'];
  readonly message: string;
  readonly start: Position;
  readonly end: Position;
}

/** How a task becomes safe to run twice, or why it cannot. */
export type SafeTaskAnswer = { readonly task: string; readonly title: string } & (
  | {
      readonly edits: readonly {
        readonly file: string;
        readonly start: Position;
        readonly end: Position;
        readonly newText: string;
      }[];
    }
  | { readonly refused: string }
);

/** `backfill.yaml` with an entry for a task, and what is left to look at in it; or why it cannot be added. */
export type DeclarationAnswer =
  | {
      readonly file: string;
      readonly text: string;
      readonly selection: { readonly start: Position; readonly end: Position };
    }
  | { readonly wrong: string };

/** Where the statement stands that left other rows in a second run. */
export interface JudgedPlace {
  readonly unit: string;
  readonly at: { readonly file: string; readonly start: Position; readonly end: Position } | undefined;
}

/** A task that can be run from here. */
export interface TaskPlace {
  readonly task: string;
  readonly dag: string;
  readonly name: string;
  readonly file: string;
  readonly start: Position;
  readonly end: Position;
}

/** A range of the assistant, checked: bare dates are midnights in the zone of the task's pipeline. */
export interface RangeChoice {
  readonly task: string;
  readonly from: string;
  readonly to: string;
  readonly without: readonly string[];
  /** Only these units, also of other tasks; `undefined`: all of this one. */
  readonly only?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** What a page decides of how its units run; what is left open is as `backfill.yaml` says. */
export interface PageOptions extends Pick<UnitOptions, 'compare' | 'holdShrinkPercent' | 'earlyCutoff'> {
  readonly samples: number | undefined;
  readonly floatTolerance: number | undefined;
}

/** How `backfill.yaml` lets runs go, as far as a page may say otherwise. */
export interface RunDefaults {
  readonly concurrency: number;
  readonly compare: UnitOptions['compare'];
  readonly shrinkPercent: number | undefined;
  readonly earlyCutoff: boolean;
  /** For how long rows of before are kept. */
  readonly keepBeforeDays: number;
}

/** A plan made ready for a connection; `document` is what the ledger stores. */
export interface PreparedAnswer {
  readonly run: string;
  readonly title: string;
  readonly document: string;
}

/** A unit that a scheduler carries out; times in milliseconds since the epoch. */
export interface CarriedUnit {
  readonly scheduler: string;
  readonly dag: string;
  /** Its name in the DAG. */
  readonly task: string;
  readonly start: number;
  readonly end: number;
}

/** What is asked when a warehouse is connected. */
export interface PostgresAnswers {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

export interface ConnectionsAnswer {
  readonly names: readonly string[];
  readonly default: string | undefined;
  /** Those with a ledger of their own, the default one first. */
  readonly ledgers: readonly string[];
  readonly hasEmbedded: boolean;
  /** Names of the schedulers. */
  readonly schedulers: readonly string[];
}

/**
 * What the workspace thread offers: it reads, checks and plans, so that the extension host never waits. Paths are
 * relative to the workspace root, with `/`.
 */
export interface WorkspaceApi {
  [method: string]: (argument: never) => Promise<unknown>;
  open(argument: { readonly root: string; readonly settings: WorkspaceSettings }): Promise<void>;
  configure(argument: WorkspaceSettings): Promise<void>;
  /** Text of an open editor; `undefined` when it was closed and the file on disk counts again. */
  edit(argument: { readonly path: string; readonly text: string | undefined }): Promise<void>;
  /** Files that were created, changed or deleted on disk. */
  changed(argument: { readonly paths: readonly string[] }): Promise<void>;
  view(argument: { readonly path: string; readonly now: number }): Promise<DocumentView>;
  /** On what the tasks and intervals of a file rest; `undefined` where they are not those of the next start. */
  basis(argument: {
    readonly path: string;
    readonly pipelines: readonly string[];
    readonly now: number;
  }): Promise<ViewBasis | undefined>;
  check(argument: { readonly now: number }): Promise<{
    readonly findings: readonly PlacedFinding[];
    readonly problems: readonly PlacedProblem[];
  }>;
  /** What is wrong in `backfill.yaml` as it is on disk. */
  configProblems(argument: null): Promise<readonly PlacedProblem[]>;
  /** Adds what is not known of a task to `backfill.yaml`; `text` is what an open editor has of the file. */
  declare(argument: {
    readonly task: string;
    readonly text: string | undefined;
    /** What is added, where that is known from elsewhere. */
    readonly draft?: DeclarationDraft | undefined;
  }): Promise<DeclarationAnswer>;
  /** What can be made safe at a place of a file; offsets in UTF-16 units. */
  safeTasks(argument: {
    readonly path: string;
    readonly start: number;
    readonly end: number;
  }): Promise<readonly SafeTaskAnswer[]>;
  /** Name of the configuration in the workspace's root, whether or not there is one. */
  configFile(argument: null): Promise<string>;
  /** Selects the interval that holds an instant; `undefined` goes back to the last finished one. */
  pick(argument: { readonly pipeline: string; readonly at: number | undefined }): Promise<void>;
  /** The latest finished intervals, newest first. */
  intervals(argument: {
    readonly pipeline: string;
    readonly count: number;
    readonly now: number;
  }): Promise<readonly PickableInterval[]>;
  step(argument: { readonly pipeline: string; readonly by: -1 | 1; readonly now: number }): Promise<void>;
  /** The instant that a typed date or time means in the zone of a pipeline. */
  parseTime(argument: { readonly pipeline: string; readonly text: string }): Promise<number | undefined>;
  /** Bare dates around the selected interval of a task, as the assistant's first range. */
  firstRange(argument: {
    readonly task: string;
    readonly now: number;
  }): Promise<{ readonly from: string; readonly to: string; readonly zone: string } | undefined>;
  /** The same around the interval of a task that holds an instant (milliseconds since the epoch). */
  rangeAt(argument: {
    readonly task: string;
    readonly at: number;
  }): Promise<{ readonly from: string; readonly to: string } | undefined>;
  /** The range that holds units which were picked one by one; `undefined`: the workspace has none of them. */
  pickedRange(argument: { readonly units: readonly string[] }): Promise<PickedRange | undefined>;
  range(argument: RangeChoice): Promise<RangeView>;
  /** Intervals of a task up to now, or those before one, as it would be typed in the zone of its pipeline. */
  calendar(argument: {
    readonly task: string;
    readonly now: number;
    readonly before?: string | undefined;
  }): Promise<CalendarGrid | undefined>;
  /** What tasks that run on a connection name, which its database may have beside the files. */
  named(argument: { readonly connection: string }): Promise<NamedInSql>;
  /** Joins what a database has to the workspace; `undefined`: none is known. */
  learn(argument: { readonly database: DatabaseDefinitions | undefined }): Promise<void>;
  /**
   * Makes the plan of the task's page, and keeps it: what is shown is what runs. `unasked`: why its database could not be
   * asked what it has beside the files.
   */
  plan(
    argument: RangeChoice & {
      readonly purpose: 'run' | 'proof';
      readonly unasked?: string | undefined;
      /** Under which name it is kept; the task where it is not said. */
      readonly page?: string;
      /** Of a run: the scheduler that is given what is not run from here, or everything. */
      readonly carriedBy?: CarriedBy | undefined;
    },
  ): Promise<PlanGrid>;
  /** What is to be counted for the calendar of a task. */
  survey(argument: { readonly task: string; readonly now: number }): Promise<CalendarSurvey>;
  /** What is to be counted of a task for its units of the page's plan. */
  surveyPlanned(argument: { readonly page: string; readonly task: string }): Promise<SlicesOfIntervals>;
  /** Tasks of the page's plan whose code has changed since it was made. */
  outdated(argument: { readonly page: string }): Promise<readonly string[]>;
  /** Rendered statements of a unit of the page's plan, or why it cannot be run from here. */
  unit(argument: {
    readonly page: string;
    readonly index: number;
    readonly connection: string;
    readonly settings: Readonly<Record<string, string>>;
  }): Promise<{
    readonly statements: readonly string[];
    readonly refusal: string | undefined;
    readonly carried: CarriedUnit | undefined;
  }>;
  runDefaults(argument: null): Promise<RunDefaults>;
  /** How units of a run go on a connection, where a page decides the rest; `settings` of the connection are not among it. */
  unitOptions(argument: { readonly connection: string; readonly options: PageOptions }): Promise<UnitOptions>;
  connections(argument: null): Promise<ConnectionsAnswer>;
  /** Looks a connection up; a secret in it stays in memory. */
  connection(argument: { readonly name: string }): Promise<ConnectionConfig | { readonly problem: string }>;
  /** Name of the connection that previews of runs on a connection go to: itself, where it names no other. */
  previewPlace(argument: { readonly name: string }): Promise<string>;
  /** Refuses a plan that is not the last one of its page: `stamp` is that of the one that is shown. */
  prepare(argument: {
    readonly page: string;
    readonly stamp: number;
    readonly connection: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly options: PageOptions;
    readonly concurrency: number;
    readonly stopAtFirstFailure: boolean;
    /** Where units are given to one, which is asked about them first; absent: none is given away. */
    readonly scheduler?: SchedulerConfig | undefined;
  }): Promise<PreparedAnswer | WorldAnswer>;
  /** A stored run takes the place of the page's plan: its units and their SQL are shown as they were then. */
  adopt(argument: { readonly page: string; readonly document: string }): Promise<PlanGrid>;
  /** Adds an embedded database to `backfill.yaml` and gives its name. */
  addEmbedded(argument: null): Promise<string>;
  /** Adds a PostgreSQL server to `backfill.yaml`; its password stays out of the file. */
  addPostgres(argument: PostgresAnswers): Promise<void>;
  /** Looks a scheduler up; a secret in it stays in memory. */
  scheduler(argument: { readonly name: string }): Promise<SchedulerConfig | { readonly problem: string }>;
  /** Adds an Airflow to `backfill.yaml`; its password or token stays out of the file. */
  addScheduler(argument: { readonly name: string; readonly url: string; readonly user?: string }): Promise<void>;
  /** Whether a scheduler is well, and has the DAGs of the workspace. */
  checkScheduler(argument: { readonly scheduler: SchedulerConfig }): Promise<
    | {
        readonly kind: 'checked';
        readonly title: string;
        /** What is not well, each with what to do. */
        readonly said: readonly string[];
        readonly well: boolean;
      }
    | WorldAnswer
  >;
  /** What stands against giving units of the page's plan to a scheduler, and what else goes on there. */
  askScheduler(argument: {
    readonly page: string;
    readonly connection: string;
    readonly settings: Readonly<Record<string, string>>;
    readonly scheduler: SchedulerConfig;
    /** Units that would be side by side. */
    readonly concurrency: number;
  }): Promise<
    | { readonly kind: 'asked'; readonly findings: readonly PlanFinding[]; readonly notes: readonly string[] }
    | WorldAnswer
  >;
  /** What OpenLineage events of its Airflow say of a task; `undefined` where `backfill.yaml` names none. Throws where they cannot be read. */
  lineage(argument: {
    readonly task: string;
    readonly scheduler: string | undefined;
  }): Promise<TaskLineage | undefined>;
  /** The selected interval of a task as the scheduler of its page has it. */
  carriedAt(argument: { readonly task: string; readonly now: number }): Promise<CarriedUnit | undefined>;
  /** The log of a task's last try, as a document. */
  taskLog(
    argument: Omit<CarriedUnit, 'scheduler'> & { readonly scheduler: SchedulerConfig },
  ): Promise<{ readonly kind: 'log'; readonly text: string } | WorldAnswer>;
  /** The run or preview as a file to hand on. */
  report(argument: {
    readonly page: string;
    readonly format: ReportFormat;
    readonly target: string;
    readonly run: string | undefined;
    readonly preview: boolean;
    readonly results: readonly (RunUnit | UnitRecord)[];
  }): Promise<{ readonly name: string; readonly text: string }>;
  /** What running units of the page's plan twice has shown: findings say so as long as the code is what was run. */
  judge(argument: { readonly page: string; readonly proofs: readonly UnitProof[] }): Promise<readonly JudgedPlace[]>;
  codeHashes(argument: null): Promise<readonly (readonly [string, string])[]>;
  /** What ran before, for hovers. */
  remember(argument: {
    readonly versions: readonly (readonly [string, number, readonly SliceVersion[]])[];
  }): Promise<void>;
  /** The tasks that can be run from here, and where they stand. */
  taskPlaces(argument: null): Promise<readonly TaskPlace[]>;
  /** Where a task stands, for "Open Source". */
  place(argument: {
    readonly task: string;
  }): Promise<{ readonly file: string; readonly start: Position; readonly end: Position } | undefined>;
  tasks(argument: null): Promise<
    readonly {
      readonly task: string;
      /** Its pipeline, and its name there. */
      readonly dag: string;
      readonly name: string;
      readonly detail: string;
      readonly zone: string;
      /** Why it has no intervals, if so. */
      readonly noGrid: string | undefined;
    }[]
  >;
}

/** What the workspace thread tells on its own. */
export type WorkspaceEvent =
  /** Something that views depend on has changed: ask again. */
  | { readonly kind: 'changed' }
  | { readonly kind: 'log'; readonly message: string }
  /** A large workspace is read, piece by piece: so many of its Python files are. `changed` follows. */
  | { readonly kind: 'reading'; readonly done: number; readonly total: number };
