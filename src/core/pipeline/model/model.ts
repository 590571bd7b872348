import type { DialectName } from '../../sql/model/dialect-name.ts';
import type { SqlReading } from '../../sql/model/statement.ts';
import type { BranchWay } from '../../template/language/template-blocks.ts';
import type { Hole, MaskedText } from '../../template/mask/masked-text.ts';
import type { SymbolicValue } from '../../template/names/symbolic-value.ts';
import type { TemplateEnvironment } from '../../template/names/template-environment.ts';
import type { MappedText } from '../../text/mapped-text.ts';
import type { Problem, SourceSpan } from '../../text/span.ts';
import type { Schedule, ScheduleAnchor } from '../../time/schedules/schedule.ts';
import type { CalendarOffset } from '../../time/zones/calendar.ts';
import type { Instant } from '../../time/zones/instant.ts';
import type { ZoneName } from '../../time/zones/zone-name.ts';
import type { Conditioned } from './condition.ts';
import type { DriverParameters } from './driver-parameters.ts';
import type { DeclaredDag } from './reader-options.ts';
import type { Sourced } from './sourced.ts';
import type { TableAccess, Unread } from './table-access.ts';
import type { TaskSession } from './task-session.ts';

/** Dotted task name, unique in the workspace: `dag_id.task_id`, or the path of a stand-alone SQL file. */
export type TaskId = string;

/** Of a text that is put together from calls: what they say beside it. */
export interface ComposedText {
  /** Columns by which the files of the target are laid out. */
  readonly partitionedBy: readonly string[];
}

/** The SQL text that a task runs, read: template, mask and statements share one set of offsets. */
export interface TaskSql extends Conditioned {
  readonly source: MappedText;
  readonly origin: 'inline' | 'file' | 'imported';
  readonly dialect: DialectName;
  readonly masked: MaskedText;
  readonly reading: SqlReading;
  /** The same text as runs have it that take another branch of it. */
  readonly otherWays?: readonly (BranchWay & Pick<TaskSql, 'masked' | 'reading'>)[];
  /** Holes of the surrounding Python string (f-string) and placeholders of the driver; template holes are in `masked.holes`, which has all. */
  readonly pythonHoles: readonly Hole[];
  /** What its DAG adds to Jinja for it; absent where that is nothing. */
  readonly environment?: TemplateEnvironment;
  /**
   * For SQL that Python code sends: texts with one number share a connection and its transaction, others do not.
   * Absent where the operator sends all its SQL over one connection.
   */
  readonly session?: number;
  /** How often Python has committed in that session before it sends this; absent where it has not. */
  readonly commits?: number;
  /** Python sends it for each of some rows that only the run knows. */
  readonly byRow?: true;
  /** The call of Python that sends it. */
  readonly sentBy?: SourceSpan;
  /** What its driver puts in place of `%s` and `%(name)s`; absent where the operator hands nothing on. */
  readonly parameters?: DriverParameters;
  /** The zone of its connection's session, where the configuration says it. */
  readonly sessionZone?: ZoneName;
  /** What calls of a library come to, in words of the reader: it stands so in no file, and nothing of it can be edited or sent. */
  readonly composed?: ComposedText;
  /** What an INSERT OVERWRITE that names no partition replaces, where Python says it: the table, or the partitions that get rows. */
  readonly overwrites?: 'static' | 'dynamic' | 'unknown';
}

/** What a routine does when a task calls it; known where a text of the workspace makes it, or a database was asked. */
export interface CalledRoutine {
  /** Where it is called: an offset into the text of `sql[sqlIndex]`. */
  readonly sqlIndex: number;
  readonly at: number;
  /** As the call has it. */
  readonly name: string;
  /** False: it may read and write more than its text says. */
  readonly isRead: boolean;
  /** Its body, with what the call gives for its parameters. */
  readonly sql: TaskSql;
}

/** A keyword argument or call that a rule may underline: the whole `name=value`, and what the value is known to be. */
export interface Argument {
  readonly name: string;
  readonly at: SourceSpan;
  readonly valueAt: SourceSpan;
  readonly value: SymbolicValue;
}

/** A call that reads or sets a Variable of the scheduler, which one run can leave for the next. */
export interface VariableUse {
  readonly name: string;
  readonly does: 'get' | 'set';
  /** The whole call. */
  readonly at: SourceSpan;
}

/** Who can run a task: SQL that the product runs itself, the scheduler, or nobody from here, with the reason. */
export type Executor =
  | {
      readonly kind: 'warehouse';
      readonly connection: string | undefined;
      /** The database in place of the connection's own; a template. */
      readonly database?: string | undefined;
    }
  | { readonly kind: 'airflow'; readonly reason: string }
  | { readonly kind: 'none'; readonly reason: string };

/** A parameter called `ds`, `context["data_interval_start"]`, `dag_run.logical_date`. */
export interface TimeTaken {
  /** As Airflow's context has it. */
  readonly name: string;
  /** The parameter, or the whole expression. */
  readonly at: SourceSpan;
}

export interface Task {
  readonly id: TaskId;
  /** Name inside its pipeline. */
  readonly name: string;
  /** The whole call (or file). */
  readonly at: SourceSpan;
  /** The `task_id` value, or the first line of a stand-alone file: where a lens stands. */
  readonly nameAt: SourceSpan;
  /** Operator class as written, e.g. `SQLExecuteQueryOperator`; `sql-file` for a stand-alone file. */
  readonly operator: string;
  readonly sql: readonly TaskSql[];
  readonly routines?: readonly CalledRoutine[];
  /** Reads and writes by other means than SQL text, in the order of the code. */
  readonly accesses: readonly TableAccess[];
  /** Assets (datasets) that it says it produces and needs, by URI or name. */
  readonly outlets: readonly Sourced<string>[];
  readonly inlets: readonly Sourced<string>[];
  /** What of it could not be read; empty when all of it was. */
  readonly unread: readonly Unread[];
  readonly executor: Executor;
  /** The database that it runs in, where that is known: a table of another one is another table, whatever its name. */
  readonly place?: string;
  /** Absent: the session is its connection's own. */
  readonly session?: TaskSession;
  readonly retries: Sourced<number> | undefined;
  readonly triggerRule: Sourced<string> | undefined;
  readonly autocommit: Sourced<boolean> | undefined;
  readonly splitStatements: Sourced<boolean> | undefined;
  /** `params` of the task over those of its pipeline. */
  readonly params: Readonly<Record<string, unknown>>;
  readonly arguments: readonly Argument[];
  readonly dependsOnPast: boolean;
  /** Logical dates from and to which it has runs, both included, where it or its groups say so. */
  readonly dates?: { readonly first: Instant | undefined; readonly last: Instant | undefined };
  /** Where its Python takes the interval of the run, or what is beside it; in the order of the code. */
  readonly timesTaken?: readonly TimeTaken[];
  /** Its Python hands the context of the run on, so that whoever gets it may take the interval. */
  readonly passesContext?: true;
  /** Variables of the scheduler that its Python reads and sets, in the order of the code. */
  readonly variables?: readonly VariableUse[];
  /** Which of the tasks behind it run: one of those that follow it at once, or all or none. */
  readonly decides?: 'one-of' | 'whether';
  /** Not in the files as they are read: a real Airflow that was asked has it. */
  readonly onlyInAirflow?: true;
}

/** `>>`, `chain`, `set_upstream`, a sensor or a trigger: an edge without a read window. */
export interface Edge {
  readonly from: TaskId;
  readonly to: TaskId;
  readonly at: SourceSpan;
  readonly kind: 'order' | 'sensor' | 'trigger';
  /** The logical date of `to` moved by this is that of `from` (a sensor's delta, negated); absent: the same. */
  readonly shift?: CalendarOffset;
}

/** A clock call of the pipeline file itself (`datetime.now()` at parse or task time) and what it flows into. */
export interface ClockCall {
  readonly at: SourceSpan;
  readonly name: string;
  /** What it reaches: a task's SQL (with the task), the DAG's start date, a path; `none` when it only logs or times. */
  readonly flowsInto: 'sql' | 'start-date' | 'path' | 'argument' | 'none';
  readonly task: TaskId | undefined;
}

export type PipelineFact = 'schedule' | 'start-date' | 'end-date' | 'zone' | 'catchup' | 'tasks' | 'edges';

/** What a real Airflow said of a pipeline: everything else of it is confirmed. */
export interface AirflowWord {
  /** As installed, e.g. `3.1.0`. */
  readonly version: string;
  /** What was taken from Airflow, because the files say otherwise or nothing. */
  readonly corrected: readonly PipelineFact[];
}

export interface Pipeline {
  readonly id: string;
  /** Absent where the file gives the id; `true` where it is only known when the file runs, and `id` is a stand-in. */
  readonly hasStandInId?: true;
  readonly format: 'airflow' | 'sql-file' | 'spark-job';
  readonly file: string;
  /** The `DAG(…)` call, the `@dag` decorator, or the whole file. */
  readonly at: SourceSpan;
  readonly schedule: Sourced<Schedule>;
  readonly anchor: ScheduleAnchor;
  readonly startDateAt: SourceSpan | undefined;
  readonly zone: ZoneName;
  readonly catchup: Sourced<boolean>;
  readonly maxActiveRuns: Sourced<number> | undefined;
  readonly airflowVersion: 2 | 3;
  /** Absent where no Airflow was asked, or it could not load the file. */
  readonly airflow?: AirflowWord;
  readonly tasks: readonly Task[];
  readonly edges: readonly Edge[];
  readonly clockCalls: readonly ClockCall[];
  /** Why its Airflow cannot load the file, so that no run of it is ever made: `the DAG of Airflow 3 takes no …`. */
  readonly unloadable?: string;
  /** What a person says its templates get, over what holds for all DAGs. */
  readonly given?: Pick<DeclaredDag, 'variables' | 'params'>;
}

/** What a reader understood of one file. Never an exception; what could not be read is a problem with its range. */
export interface FileReading {
  readonly file: string;
  readonly pipelines: readonly Pipeline[];
  readonly problems: readonly Problem[];
  /** Other workspace files whose text the reading used (`.sql`, imported modules); a change there re-reads this file. */
  readonly dependsOn: readonly string[];
}

/** One file of the workspace. `path` is relative to its root, with `/`. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
}

/** Files by path; how a reader reaches `.sql` files and modules without doing I/O. */
export interface FileSet {
  read(path: string): string | undefined;
  paths(): readonly string[];
}
