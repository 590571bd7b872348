import type { TaskFacts } from '../../lineage/facts/facts.ts';
import type { TableFacts, WorkspaceFacts } from '../../lineage/facts/workspace-facts.ts';
import type { Pipeline, TaskId } from '../../pipeline/model/model.ts';
import { keepSame, oncePer, sameItems } from '../../pipeline/workspace/memo.ts';
import { lastPart, type StatementView, sameTable, sourceText, tableKey } from '../source/statement-view.ts';
import { taskViews } from './task-views.ts';

/** What a table's definition says that rules may ask; its writers and readers change with every edit. */
export type LintTable = Pick<TableFacts, 'name' | 'columns' | 'keys' | 'partitionedBy'>;

/** What a rule may ask beyond the pipeline that it looks at, each by one name, so that it is known what it rests on. */
export type LintWorkspace = {
  readonly text: (file: string) => string | undefined;
  readonly facts: (task: TaskId) => TaskFacts | undefined;
  /** The table of the workspace that a name means. */
  readonly table: (key: string) => LintTable | undefined;
  /** Whether some task replaces slices of the table that is written exactly so. */
  readonly isSliced: (table: string) => boolean;
  /** Whether some file makes a stream of changes by this name. */
  readonly isStream: (key: string) => boolean;
  /** The engine that the table's definition names (ClickHouse, MySQL), as written. */
  readonly engineOf: (key: string) => string | undefined;
  /** CREATE VIEW statements of the workspace that read a table whose name ends with the same part. */
  readonly viewsOn: (key: string) => readonly StatementView[];
  /** A DAG of the workspace by its id. */
  readonly dag: (id: string) => Pipeline | undefined;
  /** DAGs of the workspace that start a DAG, by its id. */
  readonly startersOf: (dag: string) => readonly Pipeline[];
  /** Whether the Python of some task sets a Variable of the scheduler. */
  readonly setsVariable: (name: string) => boolean;
};

/** Makes what rules ask from the facts of a workspace; answers that mean the same as before are the same objects. */
export function createLintWorkspace(): (facts: WorkspaceFacts) => LintWorkspace {
  const createdViews = oncePer((pipeline: Pipeline) =>
    taskViews(pipeline).flatMap(({ statements }) =>
      statements.filter(({ statement }) => statement.kind === 'create_view'),
    ),
  );
  const createdStreams = oncePer((pipeline: Pipeline) =>
    taskViews(pipeline).flatMap(({ statements }) =>
      statements.flatMap((view) => {
        const name = view.statement.kind === 'other' ? streamMade(sourceText(view, view.statement)) : undefined;
        return name === undefined ? [] : [name];
      }),
    ),
  );
  const enginesNamed = oncePer((pipeline: Pipeline) =>
    taskViews(pipeline).flatMap(({ statements }) =>
      statements.flatMap((view) => {
        const { kind, target } = view.statement;
        if (target === undefined || (kind !== 'create_table' && kind !== 'create_table_as')) return [];
        const engine = /\bengine\s*=?\s*(\w+)/i.exec(sourceText(view, view.statement))?.[1];
        return engine === undefined ? [] : [{ table: tableKey(view, target), engine }];
      }),
    ),
  );
  const variablesSet = oncePer((pipeline: Pipeline) =>
    pipeline.tasks.flatMap(({ variables = [] }) => variables.flatMap((use) => (use.does === 'set' ? [use.name] : []))),
  );
  const started = oncePer((pipeline: Pipeline) =>
    pipeline.tasks.flatMap(({ operator, arguments: given }) =>
      operator === 'TriggerDagRunOperator'
        ? given.flatMap(({ name, value }) =>
            name === 'trigger_dag_id' && value.kind === 'literal' ? [String(value.value)] : [],
          )
        : [],
    ),
  );
  let starters: ReadonlyMap<string, readonly Pipeline[]> = new Map();
  let tables: ReadonlyMap<string, LintTable> = new Map();
  let views: ReadonlyMap<string, readonly StatementView[]> = new Map();
  return (facts) => {
    tables = keepSame(
      tables,
      facts.tables,
      (a, b) =>
        a.name === b.name && a.columns === b.columns && a.keys === b.keys && a.partitionedBy === b.partitionedBy,
    );
    const ending = grouped(tables.values(), ({ name }) => [lastPart(name)]);
    views = keepSame(
      views,
      grouped(facts.pipelines.flatMap(createdViews), (view) =>
        view.statement.reads.map((read) => lastPart(tableKey(view, read))),
      ),
      sameItems,
    );
    const engines = facts.pipelines.flatMap(enginesNamed);
    const streams = facts.pipelines.flatMap(createdStreams);
    starters = keepSame(starters, grouped(facts.pipelines, started), sameItems);
    const dags = new Map(facts.pipelines.map((pipeline) => [pipeline.id, pipeline]));
    const set = new Set(facts.pipelines.flatMap(variablesSet));
    const sliced = new Set<string>();
    for (const { writes } of facts.facts.values())
      for (const { slice, table } of writes) if (slice.kind === 'range') sliced.add(table);
    return {
      text: facts.text,
      facts: (task) => facts.facts.get(task),
      table: (key) => ending.get(lastPart(key))?.find(({ name }) => sameTable(name, key)),
      isSliced: (table) => sliced.has(table),
      isStream: (key) => streams.some((name) => sameTable(name, key)),
      engineOf: (key) => engines.find(({ table }) => sameTable(table, key))?.engine,
      viewsOn: (key) => views.get(lastPart(key)) ?? noViews,
      dag: (id) => dags.get(id),
      startersOf: (dag) => starters.get(dag) ?? noStarters,
      setsVariable: (name) => set.has(name),
    };
  };
}

const streamMade = (text: string): string | undefined =>
  /^\s*create\s+(?:or\s+replace\s+)?stream\s+(?:if\s+not\s+exists\s+)?([\w.$"]+)/i
    .exec(text)?.[1]
    ?.replaceAll('"', '')
    .toLowerCase();

const noViews: readonly StatementView[] = [];
const noStarters: readonly Pipeline[] = [];

/** Everything under each of its names, once, in order. */
function grouped<T>(all: Iterable<T>, namesOf: (one: T) => readonly string[]): ReadonlyMap<string, readonly T[]> {
  const found = new Map<string, T[]>();
  for (const one of all) {
    for (const name of new Set(namesOf(one))) {
      const known = found.get(name);
      if (known === undefined) found.set(name, [one]);
      else known.push(one);
    }
  }
  return found;
}
