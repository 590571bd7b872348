/** A table that OpenLineage events name for a task. */
export interface LineageTable {
  /** `schema.name` of a PostgreSQL, else as the events have it. */
  readonly table: string;
  /** Where it is, as the events say: `postgres://host:5432`, of a PostgreSQL with the database behind it. */
  readonly where: string;
  /** Runs that named it. */
  readonly runs: number;
}

/** What the events of a user's own Airflow say of a task: only runs that ended well count. */
export interface TaskLineage {
  readonly runs: number;
  readonly reads: readonly LineageTable[];
  readonly writes: readonly LineageTable[];
  /** Lines that hold no event. */
  readonly unread: number;
  /** Older events that were not looked at. */
  readonly older?: number | undefined;
}

type Json = Readonly<Record<string, unknown>>;

interface RunLineage {
  complete: boolean;
  readonly reads: Map<string, Named>;
  readonly writes: Map<string, Named>;
}

type Named = Pick<LineageTable, 'table' | 'where'>;

/**
 * Reads OpenLineage events one by one, or line by line as Airflow's file transport writes them, for one task: its own, and those of jobs that
 * name it as their parent (a Spark job that it starts). The events of one run are told together, whichever of them name tables.
 */
export function lineageReader(dag: string, task: string) {
  const name = `${dag}.${task}`;
  const runs = new Map<string, RunLineage>();
  let unread = 0;
  return {
    line(text: string): void {
      if (text.trim() !== '') this.event(parsed(text));
    },
    event(found: unknown): void {
      const event = objectOf(found);
      const type = event.eventType;
      if (typeof type !== 'string') {
        // What is said of a job or a table without a run is an event, and none of ours.
        if (event.job === undefined && event.dataset === undefined) unread++;
        return;
      }
      const run = ownRun(event, name);
      if (run === undefined) return;
      const known = runs.get(run.id) ?? { complete: false, reads: new Map(), writes: new Map() };
      runs.set(run.id, known);
      if (run.isOwn && type === 'COMPLETE') known.complete = true;
      for (const one of datasets(event.inputs)) known.reads.set(keyOf(one), one);
      for (const one of datasets(event.outputs)) known.writes.set(keyOf(one), one);
    },
    end(older = 0): TaskLineage {
      const good = [...runs.values()].filter(({ complete }) => complete);
      const told = (side: 'reads' | 'writes'): readonly LineageTable[] => {
        const found = new Map<string, LineageTable>();
        for (const run of good)
          for (const [key, one] of run[side]) found.set(key, { ...one, runs: (found.get(key)?.runs ?? 0) + 1 });
        return [...found.values()].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
      };
      return { runs: good.length, reads: told('reads'), writes: told('writes'), unread, ...(older > 0 && { older }) };
    },
  };
}

/** The run of the task that an event is about, its own or that of the job's parent. */
function ownRun(event: Json, name: string): { readonly id: string; readonly isOwn: boolean } | undefined {
  const run = objectOf(event.run);
  if (objectOf(event.job).name === name) return idOf(run, true);
  const parent = objectOf(objectOf(run.facets).parent);
  return objectOf(parent.job).name === name ? idOf(objectOf(parent.run), false) : undefined;
}

const idOf = ({ runId }: Json, isOwn: boolean) => (typeof runId === 'string' ? { id: runId, isOwn } : undefined);

function datasets(value: unknown): readonly Named[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const { namespace, name } = objectOf(entry);
    return typeof namespace === 'string' && typeof name === 'string' ? [namedTable(namespace, name)] : [];
  });
}

/** A PostgreSQL's are `database.schema.table`. */
function namedTable(namespace: string, name: string): Named {
  const [database, schema, table, ...more] = name.split('.');
  const isPostgres = /^(?:postgres|postgresql|redshift):/.test(namespace);
  if (!isPostgres || schema === undefined || table === undefined || more.length > 0)
    return { table: name, where: namespace };
  return { table: `${schema}.${table}`, where: `${namespace}/${database}` };
}

const keyOf = ({ table, where }: Named): string => `${table}\n${where}`;

const objectOf = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
