const task = {
  type: 'string',
  description: 'The task as dag_id.task_id, or the path of a SQL file, e.g. shop_daily.orders_clean',
};

const range = {
  from: { type: 'string', description: 'First day of the data, e.g. 2026-11-01, in the zone of the pipeline' },
  to: { type: 'string', description: 'Day after the last one, not included, e.g. 2026-12-01' },
};

/** Tools for language models, as package.json says them. Those that only read never ask; one that runs SQL always does. */
export const languageModelTools = [
  {
    name: 'backfill_check',
    displayName: 'Check pipelines for what a second run would change',
    toolReferenceName: 'backfillCheck',
    canBeReferencedInPrompt: true,
    icon: '$(checklist)',
    userDescription: 'What makes a second run of a scheduled task double, change or lose rows',
    modelDescription:
      'Reads the Airflow DAGs and SQL files of the workspace and lists, with file and line, what makes a second run of a task double, change or lose rows. Reads only.',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', description: 'A file or folder of the workspace; left out: all of it' } },
    },
  },
  {
    name: 'backfill_plan',
    displayName: 'Plan a backfill',
    toolReferenceName: 'backfillPlan',
    canBeReferencedInPrompt: true,
    icon: '$(list-tree)',
    userDescription: 'Which slices a rerun of a task makes anew, with everything downstream',
    modelDescription:
      'Plans a rerun of a task for a range of days with everything downstream: which intervals of which tasks, why, and what stands against it. Runs nothing and writes nothing.',
    inputSchema: { type: 'object', properties: { task, ...range }, required: ['task', 'from', 'to'] },
  },
  {
    name: 'backfill_stale',
    displayName: 'List stale slices',
    toolReferenceName: 'backfillStale',
    canBeReferencedInPrompt: true,
    icon: '$(history)',
    userDescription: 'Which slices are stale, held or failed, and why',
    modelDescription:
      'Asks the ledger in the connected database which slices are not what a run would now make, were held or failed, with the reason of each. Reads only.',
    inputSchema: { type: 'object', properties: { task } },
  },
  {
    name: 'backfill_diff',
    displayName: 'Show what a run changed',
    toolReferenceName: 'backfillDiff',
    canBeReferencedInPrompt: true,
    icon: '$(diff)',
    userDescription: 'What a run changed, by table and slice, in figures',
    modelDescription:
      'Tells what a run of the ledger changed: rows added, removed and changed by table and slice, columns, and what was held or failed. Figures only, no row of a table. Reads only.',
    inputSchema: {
      type: 'object',
      properties: { run: { type: 'string', description: 'Id of the run; left out: the last one' } },
    },
  },
  {
    name: 'backfill_preview',
    displayName: 'Preview a backfill',
    toolReferenceName: 'backfillPreview',
    canBeReferencedInPrompt: true,
    icon: '$(eye)',
    userDescription: 'Runs a rerun in a transaction that is rolled back, and tells what would change',
    modelDescription:
      'Runs the SQL of a planned rerun in a transaction that is rolled back, and tells in figures which slices would change. A person is asked before it starts; nothing is kept.',
    inputSchema: { type: 'object', properties: { task, ...range }, required: ['task', 'from', 'to'] },
  },
] as const;

export type ToolName = (typeof languageModelTools)[number]['name'];
