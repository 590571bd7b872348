import type { DatabaseDefinitions } from '../../pipeline/model/database-definitions.ts';
import type { Pipeline, Task, TaskId } from '../../pipeline/model/model.ts';
import type { Problem, SourceSpan } from '../../text/span.ts';
import type { DeclaredSources } from './declared-sources.ts';
import type { TaskFacts } from './facts.ts';

/** A table as the workspace knows it: from its DDL, its writers and its readers. */
export interface TableFacts {
  /** Lower case, as most often written. */
  readonly name: string;
  /** Empty when no DDL of the workspace creates it. */
  readonly columns: readonly {
    readonly name: string;
    readonly type: string;
    readonly notNull: boolean;
    /** The table gives it a value where none is written: a number of its own, a default, an expression. */
    readonly isFilled?: true;
    /** What the table gives it is another value for each row: a number that counts up, a random one. */
    readonly isNumbered?: true;
  }[];
  /** Primary key first, then unique constraints and indexes. */
  readonly keys: readonly (readonly string[])[];
  /** Columns by which its definition keeps rows apart, in order. */
  readonly partitionedBy: readonly string[];
  readonly createdAt: SourceSpan | undefined;
  readonly writers: readonly TaskId[];
  readonly readers: readonly TaskId[];
}

/** The workspace joined up: what each task reads and writes, and which tables connect them. */
export interface WorkspaceFacts {
  readonly pipelines: readonly Pipeline[];
  readonly tasks: ReadonlyMap<TaskId, { readonly task: Task; readonly pipeline: Pipeline }>;
  readonly facts: ReadonlyMap<TaskId, TaskFacts>;
  readonly tables: ReadonlyMap<string, TableFacts>;
  readonly sources: DeclaredSources;
  readonly problems: readonly Problem[];
  /** What the database has beside the files; absent where none was asked. */
  readonly database?: DatabaseDefinitions;
  text(file: string): string | undefined;
}
