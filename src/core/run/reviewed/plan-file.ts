import type { PlanFinding } from '../../plan/model/plan.ts';

/**
 * A plan as it is written to be reviewed: what would run, and all that this rests on, so that whoever runs it can tell
 * whether it still does. No secret can get in: of SQL there are hashes only. Instants are ISO 8601 in UTC, ranges without
 * their end; what is not known is left out.
 */
export interface PlanFile {
  /** One line for people and for the history. */
  readonly title: string;
  readonly asked: AskedFor;
  /** The clock that it was made with: intervals that had ended then. */
  readonly now: string;
  readonly connection: string;
  /** The database as it is shown everywhere. */
  readonly target: string;
  /** Of the server, in which contents can be compared; missing where the database was not looked at. */
  readonly server?: string | undefined;
  /** What decides in `backfill.yaml`, by the names that it has there. */
  readonly settings: Readonly<Record<string, string>>;
  readonly files: readonly { readonly file: string; readonly hash: string }[];
  readonly tasks: readonly PlannedTask[];
  readonly tables: readonly PlannedTable[];
  /** Missing where no rows come through views, or an older program made the plan. */
  readonly views?: readonly PlannedView[] | undefined;
  /** In the order in which they run. */
  readonly units: readonly PlannedUnit[];
  readonly findings: readonly {
    readonly code: string;
    readonly severity: PlanFinding['severity'];
    readonly message: string;
  }[];
}

/** A plan file that was read back whole. */
export interface ReviewedPlan {
  /** As it was named by who runs it. */
  readonly name: string;
  readonly file: PlanFile;
  readonly seal: string;
}

/** What `backfill plan` was asked. */
export interface AskedFor {
  readonly tasks: readonly string[];
  /** Of data, or where `logical` is set the first and the last logical date, both included. */
  readonly from: string;
  readonly to: string;
  readonly logical?: true | undefined;
  /** Of that range only these. */
  readonly units?: readonly string[] | undefined;
  readonly downstream?: true | undefined;
  readonly without?: readonly string[] | undefined;
  readonly expandUnbounded?: true | undefined;
  readonly allowAppend?: true | undefined;
  readonly allowExpired?: true | undefined;
  readonly order?: 'newest' | undefined;
}

export interface PlannedTask {
  readonly task: string;
  readonly units: number;
  readonly why: string;
  /** Hash of the code that it would run, and the files that it stands in. */
  readonly code: string;
  readonly files: readonly string[];
}

/** A table that the plan writes or reads. */
export interface PlannedTable {
  readonly table: string;
  /** As the database has them, `name type`; missing where there is no such table, or it may not be read. */
  readonly columns?: readonly string[] | undefined;
}

/** A view that rows come through. */
export interface PlannedView {
  readonly view: string;
  /** A hash. */
  readonly definition: string;
}

export interface PlannedUnit {
  readonly unit: string;
  /** End of its data interval. */
  readonly end: string;
  /** Units, or `first..last` of the units of one task. */
  readonly waitsFor: readonly string[];
  /** Hash of the statements, conditions and inputs that it would run with; missing where it is not run from here. */
  readonly sql?: string | undefined;
  readonly slices: readonly PlannedSlice[];
}

export interface PlannedSlice {
  readonly table: string;
  readonly column?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly mode: string;
  /** What it held when the plan was made. Missing where that was not looked at: a whole table changes with every run of its schedule. */
  readonly rows?: number | undefined;
  readonly content?: string | undefined;
}
