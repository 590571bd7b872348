import type { DeclaredFacts } from '../../../src/core/lineage/facts/declared-facts.ts';
import type { DeclaredSources } from '../../../src/core/lineage/facts/declared-sources.ts';
import { sliceInWords, windowInWords } from '../../../src/core/lineage/facts/window-words.ts';
import type { WorkspaceFacts } from '../../../src/core/lineage/facts/workspace-facts.ts';
import { buildWorkspaceFacts } from '../../../src/core/lineage/workspace/build-workspace-facts.ts';
import { makeTaskSql } from '../../../src/core/pipeline/model/make-task-sql.ts';
import type { Edge, Pipeline, Task } from '../../../src/core/pipeline/model/model.ts';
import type { DialectName } from '../../../src/core/sql/model/dialect-name.ts';
import { wholeFile } from '../../../src/core/text/mapped-text.ts';
import type { Schedule } from '../../../src/core/time/schedules/schedule.ts';
import { instant } from '../../../src/core/time/zones/instant.ts';

export interface TaskText {
  readonly sql?: string;
  readonly operator?: string;
  readonly executor?: Task['executor'];
  readonly dependsOnPast?: boolean;
  readonly params?: Task['params'];
  readonly accesses?: Task['accesses'];
  /** Assets by URI or name. */
  readonly outlets?: readonly string[];
  readonly inlets?: readonly string[];
  readonly unread?: Task['unread'];
}

export interface PipelineText {
  readonly schedule?: string | Schedule;
  readonly zone?: string;
  readonly format?: Pipeline['format'];
  readonly dialect?: DialectName;
  /** The zone that the connection of its tasks is said to have. */
  readonly session?: string;
  readonly start?: string;
  readonly tasks: Readonly<Record<string, string | TaskText>>;
  /** `a >> b`; for tasks of other pipelines `other.a >> b`. */
  readonly edges?: readonly (string | (Pick<Edge, 'kind' | 'shift'> & { readonly edge: string }))[];
}

/** A workspace as the readers would give it, from SQL texts alone. */
export function workspace(
  texts: Readonly<Record<string, PipelineText>>,
  declared: DeclaredFacts = new Map(),
  sources?: DeclaredSources,
): WorkspaceFacts {
  const files = new Map<string, string>();
  const pipelines = Object.entries(texts).map(([id, text]) => pipelineOf(id, text, files));
  const reading = {
    files: pipelines.map((pipeline) => ({ file: pipeline.file, pipelines: [pipeline], problems: [], dependsOn: [] })),
    text: (file: string) => files.get(file),
  };
  return buildWorkspaceFacts(reading, declared, sources);
}

function pipelineOf(id: string, text: PipelineText, files: Map<string, string>): Pipeline {
  const zone = text.zone ?? 'UTC';
  const file = `dags/${id}.py`;
  const whole = { file, start: 0, end: 0 };
  const schedule: Schedule =
    typeof text.schedule === 'object'
      ? text.schedule
      : { kind: 'cron', expression: text.schedule ?? '@daily', zone, intervals: 'tick-to-tick' };
  const tasks = Object.entries(text.tasks).map(([name, value]): Task => {
    const one = typeof value === 'string' ? { sql: value } : value;
    const path = `dags/sql/${id}.${name}.sql`;
    if (one.sql !== undefined) files.set(path, one.sql);
    return {
      id: `${id}.${name}`,
      name,
      at: whole,
      nameAt: whole,
      operator: one.operator ?? 'SQLExecuteQueryOperator',
      sql:
        one.sql === undefined
          ? []
          : [
              makeTaskSql(wholeFile(path, one.sql), [], text.dialect ?? 'postgres', 'file', {
                sessionZone: text.session,
              }),
            ],
      executor: one.executor ?? { kind: 'warehouse', connection: 'dw' },
      retries: undefined,
      triggerRule: undefined,
      autocommit: undefined,
      splitStatements: undefined,
      params: one.params ?? {},
      arguments: [],
      accesses: one.accesses ?? [],
      outlets: (one.outlets ?? []).map((asset) => ({ value: asset, at: whole })),
      inlets: (one.inlets ?? []).map((asset) => ({ value: asset, at: whole })),
      unread: one.unread ?? [],
      dependsOnPast: one.dependsOnPast ?? false,
    };
  });
  const edges = (text.edges ?? []).map((value): Edge => {
    const edge = typeof value === 'string' ? value : value.edge;
    const [from = '', to = ''] = edge
      .split('>>')
      .map((side) => (side.includes('.') ? side.trim() : `${id}.${side.trim()}`));
    const kind = typeof value === 'string' ? 'order' : value.kind;
    const shift = typeof value === 'string' || value.shift === undefined ? {} : { shift: value.shift };
    return { from, to, at: whole, kind, ...shift };
  });
  return {
    id,
    format: text.format ?? 'airflow',
    file,
    at: whole,
    schedule: { value: schedule, at: undefined },
    anchor: { startDate: instant(Date.parse(text.start ?? '2024-01-01T00:00:00Z')), endDate: undefined, catchup: true },
    startDateAt: undefined,
    zone,
    catchup: { value: true, at: undefined },
    maxActiveRuns: undefined,
    airflowVersion: 2,
    tasks,
    edges,
    clockCalls: [],
  };
}

/** `table window` of each read of a task. */
export const readsOf = (facts: WorkspaceFacts, id: string): readonly string[] =>
  (facts.facts.get(id)?.reads ?? []).map(({ table, window }) =>
    window.kind === 'range'
      ? `${table}.${window.column} ${windowInWords(window)}`
      : `${table} ${windowInWords(window)}`,
  );

/** `mode table column slice` of each write of a task. */
export const writesOf = (facts: WorkspaceFacts, id: string): readonly string[] =>
  (facts.facts.get(id)?.writes ?? []).map(({ table, mode, slice }) =>
    [mode, table, ...(slice.kind === 'range' ? [slice.column] : []), sliceInWords(slice)].join(' '),
  );

/** Reads of one task `t` whose SQL is given, beside tables that other tasks cut by `ts` (`src`) and by `day` (`daily`). */
export function readsOfSql(sql: string, options: Omit<PipelineText, 'tasks'> = {}): readonly string[] {
  const facts = workspace({
    src: {
      tasks: {
        src: "delete from src where ts >= '{{ data_interval_start }}' and ts < '{{ data_interval_end }}'; insert into src select * from raw",
        daily: "delete from daily where day = '{{ ds }}'; insert into daily select * from raw",
      },
    },
    d: { ...options, tasks: { t: sql } },
  });
  return readsOf(facts, 'd.t');
}

/** Writes of one task whose SQL is given. */
export const writesOfSql = (sql: string, options: Omit<PipelineText, 'tasks'> = {}): readonly string[] =>
  writesOf(workspace({ d: { ...options, tasks: { t: sql } } }), 'd.t');
