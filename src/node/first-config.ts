import type { TaskId } from '../core/pipeline/model/model.ts';
import type { PlannableTask } from '../core/plan/model/plan-request.ts';
import { draftDeclaration } from '../core/view/document/draft-declaration.ts';
import { declarationYaml } from './config/edit/add-declaration.ts';
import type { Workspace } from './load-workspace.ts';

/** Tasks whose drafts stand in a first file; `show --unknown` has the rest. */
const mostDrafts = 20;

/**
 * A first `backfill.yaml` from what was read, without a database being asked: a connection for each Airflow connection id
 * in use, and as comments what nobody has said of tasks that could run from here, those first that most others wait for.
 */
export function firstConfig({ facts, tasks }: Pick<Workspace, 'facts' | 'tasks'>): string {
  const isFolder = (id: TaskId): boolean => waitsForFolder(id, facts);
  const open = openTasks(tasks, (id) => (facts.facts.get(id)?.unknowns.length ?? 0) > 0, isFolder);
  const drafts = open.slice(0, mostDrafts).map((id) => draftDeclaration(id, facts));
  const more = open.length - drafts.length;
  const unscheduled = new Map(
    tasks.flatMap((task) => (isWithoutDates(task) ? [[pipelineOf(task.id, facts), datesToSay(task)]] : [])),
  );
  return [
    'version: 1\n',
    connections(tasks, facts),
    environment(facts),
    scheduler(tasks),
    unscheduled.size === 0
      ? ''
      : `# When DAGs run whose files do not say it, so that they can be planned:\n# dags:\n${[...unscheduled]
          .map(([id, dates]) => `#   ${id}: { ${dates} }\n`)
          .join('')}`,
    drafts.length === 0
      ? ''
      : `# What is not known of tasks, most useful first; fill it in and take the # away.${more > 0 ? ` ${more} more: backfill show --unknown` : ''}\n${commented(declarationYaml(drafts))}`,
  ]
    .filter((part) => part !== '')
    .join('\n');
}

/** Who carries out what cannot be run from here: nobody, before somebody says where it is. */
function scheduler(tasks: readonly PlannableTask[]): string {
  const count = tasks.filter(({ executor }) => executor.kind === 'airflow').length;
  if (count === 0) return '';
  return `# ${count === 1 ? 'One task is' : `${count} tasks are`} not run from here; your Airflow does it where this says which, and is asked with: backfill scheduler
# schedulers:
#   prod: { url: http://localhost:8080, user: admin, password: "\${env:AIRFLOW_PASSWORD}" }
`;
}

function connections(tasks: readonly PlannableTask[], facts: Workspace['facts']): string {
  const uses = new Map<string, number>();
  for (const { id: task, executor } of tasks) {
    const id = executor.kind === 'warehouse' ? executor.connection : namedConnection(task, facts);
    if (id !== undefined) uses.set(id, (uses.get(id) ?? 0) + 1);
  }
  if (uses.size === 0) return '# No task names a connection of Airflow.\n';
  const entries = [...uses]
    .sort(([, a], [, b]) => b - a)
    .map(([id, count]) => {
      const name = JSON.stringify(id);
      const variable = `${id.toUpperCase().replace(/[^A-Z0-9]+/g, '_')}_PASSWORD`;
      return `  ${/^[a-z][\w-]*$/i.test(id) ? id : name}:   # ${count} task${count === 1 ? '' : 's'}
    engine: postgres
    host: localhost
    port: 5432
    database: postgres   # the database that Airflow's ${id} leads to
    user: postgres
    # password: \${env:${variable}}
    airflowIds: [${name}]
`;
    });
  return `connections:\n${entries.join('')}`;
}

/** Environment variables that connections and SQL are made of, as the files themselves take them where nobody sets them. */
function environment({ tasks }: Workspace['facts']): string {
  const asked = new Map<string, string | undefined>();
  for (const { task } of tasks.values()) {
    const holes = task.sql.flatMap(({ pythonHoles }) => pythonHoles.map(({ value }) => value));
    for (const value of [...task.arguments.map((given) => given.value), ...holes])
      if (value?.kind === 'parameter' && value.source === 'env' && !/pass|secret|token|key/i.test(value.name))
        asked.set(value.name, asked.get(value.name) ?? value.fallback);
  }
  if (asked.size === 0) return '';
  const lines = [...asked].map(([name, fallback]) =>
    fallback === undefined ? `#   ${name}:\n` : `  ${name}: ${JSON.stringify(fallback)}\n`,
  );
  const head = [...asked.values()].some((fallback) => fallback !== undefined) ? '' : '# ';
  return `${head}environment:   # of the scheduler, as the files take it where it is not set\n${lines.join('')}`;
}

/** The connection of a task whose SQL is in a folder that nobody has said yet, or whose name is what an environment variable may hold. */
function namedConnection(task: TaskId, facts: Workspace['facts']): string | undefined {
  const given = facts.tasks.get(task)?.task.arguments.find(({ name }) => /(?:^|_)conn_id$/.test(name))?.value;
  if (given?.kind === 'parameter' && given.source === 'env') return given.fallback;
  if (!waitsForFolder(task, facts)) return undefined;
  return given?.kind === 'literal' && typeof given.value === 'string' ? given.value : undefined;
}

/** Nothing but the folder of its template files is unknown of it. */
function waitsForFolder(task: TaskId, { facts }: Workspace['facts']): boolean {
  const unknowns = facts.get(task)?.unknowns ?? [];
  return unknowns.length > 0 && unknowns.every(({ searchPath }) => searchPath !== undefined);
}

const isWithoutDates = ({ grid, executor, id }: PlannableTask): boolean =>
  grid === undefined && executor.kind === 'warehouse' && !id.endsWith('.sql');

/** What a DAG without dates wants to be told; the values are a start. */
const datesToSay = ({ noGrid = '' }: PlannableTask): string =>
  noGrid.includes('start date') ? 'start_date: 2026-01-01' : 'schedule: "@daily"';

const pipelineOf = (task: TaskId, { tasks }: Workspace['facts']): string => tasks.get(task)?.pipeline.id ?? task;

/** Tasks that could run from here but for what is unknown: those of which one line frees all, then by how many others read them or come after them. */
function openTasks(
  tasks: readonly PlannableTask[],
  isOpen: (id: TaskId) => boolean,
  isFolder: (id: TaskId) => boolean,
): readonly TaskId[] {
  const behind = new Map<TaskId, number>();
  for (const { id, reads, after } of tasks) {
    for (const parent of new Set([...reads, ...after].map((edge) => edge.parent))) {
      if (parent !== id) behind.set(parent, (behind.get(parent) ?? 0) + 1);
    }
  }
  return tasks
    .filter(({ id, executor }) => (executor.kind === 'warehouse' || isFolder(id)) && isOpen(id))
    .map(({ id }) => id)
    .sort((a, b) => Number(isFolder(b)) - Number(isFolder(a)) || (behind.get(b) ?? 0) - (behind.get(a) ?? 0));
}

const commented = (yaml: string): string =>
  yaml
    .trimEnd()
    .split('\n')
    .map((line) => `${`# ${line}`.trimEnd()}\n`)
    .join('');
