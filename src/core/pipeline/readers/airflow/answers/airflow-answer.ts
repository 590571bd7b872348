import type { Instant } from '../../../../time/zones/instant.ts';
import type { ZoneName } from '../../../../time/zones/zone-name.ts';

/** A timetable as Airflow serialises it: its class, and what it was made with. */
export interface SerializedTimetable {
  readonly type: string;
  readonly parts: Readonly<Record<string, unknown>>;
}

export interface SerializedTask {
  readonly id: string;
  /** Class name without its module. */
  readonly operator: string;
  /** `.expand(…)`: how many instances it has is decided at run time. */
  readonly mapped: boolean;
  readonly downstream: readonly string[];
}

/** A DAG as the scheduler of a real Airflow has it. */
export interface SerializedDag {
  readonly id: string;
  /** Of the workspace. */
  readonly file: string;
  readonly timetable: SerializedTimetable;
  readonly zone: ZoneName | undefined;
  readonly startDate: Instant | undefined;
  readonly endDate: Instant | undefined;
  readonly catchup: boolean;
  readonly tasks: readonly SerializedTask[];
}

/** What a real Airflow made of one file, good for as long as these texts stand. */
export interface FileAnswer {
  readonly version: string;
  readonly dags: readonly SerializedDag[];
  /** Why it cannot load the file, or a DAG of it, in its own words. */
  readonly errors: readonly string[];
  /** The file and what it uses, as they were when Airflow was asked; `undefined` for one that was not there. */
  readonly texts: ReadonlyMap<string, string | undefined>;
}

/** By file of the workspace. */
export type AirflowAnswers = ReadonlyMap<string, FileAnswer>;

/** What a real Airflow made of some files of the workspace. */
export interface AirflowAnswer {
  /** As installed, e.g. `3.1.0`. */
  readonly version: string;
  /** The files that it was asked for. */
  readonly files: readonly string[];
  readonly dags: readonly SerializedDag[];
  /** Files that it cannot load, or DAGs that it refuses, in its own words. */
  readonly errors: readonly { readonly file: string; readonly message: string }[];
}
