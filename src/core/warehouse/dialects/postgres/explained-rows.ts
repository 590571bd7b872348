import { namePart } from '../../../sql/model/name-parts.ts';
/** What a statement would read and write by the planner's estimate; tables as `schema.name`, partitions by themselves. */
export interface ExplainedRows {
  readonly reads: readonly { readonly table: string; readonly rows: number; readonly whole: boolean }[];
  readonly writes: readonly {
    readonly table: string;
    readonly operation: 'insert' | 'update' | 'delete';
    readonly rows: number;
  }[];
}

/** Nothing is run; VERBOSE names schemas. Rows of parallel plans would be those of one worker. */
export const explainSql = (statement: string): string => `explain (verbose, format json) ${statement}`;
export const explainSettings = { max_parallel_workers_per_gather: '0' } as const;

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Plan Rows': number;
  readonly 'Relation Name'?: string;
  readonly Schema?: string;
  readonly Operation?: string;
  readonly 'Parent Relationship'?: string;
  readonly Plans?: readonly PlanNode[];
}

/** Reads the answer of {@link explainSql}. */
export function explainedRows(json: string): ExplainedRows {
  const reads: ExplainedRows['reads'][number][] = [];
  const writes: ExplainedRows['writes'][number][] = [];
  const walk = (node: PlanNode, times: number, written: string | undefined): void => {
    const { Plans: children = [], 'Node Type': type, 'Relation Name': name, Schema: schema } = node;
    const table = name === undefined ? undefined : `${namePart(schema ?? '')}.${namePart(name)}`;
    if (type === 'ModifyTable') {
      const operation = (node.Operation ?? '').toLowerCase();
      const rows = children.reduce((sum, child) => sum + child['Plan Rows'], 0) * times;
      if (table !== undefined && (operation === 'insert' || operation === 'update' || operation === 'delete'))
        writes.push({ table, operation, rows });
      for (const child of children) walk(child, times, operation === 'insert' ? written : table);
      return;
    }
    // Rows that are only looked up to be deleted or updated are counted there.
    if (table !== undefined && table !== written)
      reads.push({ table, rows: node['Plan Rows'] * times, whole: type === 'Seq Scan' });
    const [outer] = children;
    for (const child of children) {
      const again = type === 'Nested Loop' && child['Parent Relationship'] === 'Inner' && outer !== undefined;
      walk(child, again ? times * Math.max(1, outer['Plan Rows']) : times, written);
    }
  };
  // What a rule does beside may be no plan: NOTIFY.
  for (const { Plan } of JSON.parse(json) as readonly { readonly Plan?: PlanNode }[])
    if (Plan !== undefined) walk(Plan, 1, undefined);
  return { reads, writes };
}
