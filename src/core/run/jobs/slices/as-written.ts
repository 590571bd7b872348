import type { WorkspaceFacts } from '../../../lineage/facts/workspace-facts.ts';
import { namesOfWorkspace } from '../../../lineage/workspace/names-of-workspace.ts';
import type { JobInput, UnitJob } from '../../unit/unit-job.ts';

/**
 * A unit of a lake with what it reads named as those name it who write it: Spark has the tables of a database under a catalog of its own
 * (`dw.shop.orders`), and the ledger knows them as the database does (`shop.orders`).
 */
export function asWritten(job: UnitJob, facts: WorkspaceFacts): UnitJob {
  const names = namesOfWorkspace(facts);
  const named = (input: JobInput): JobInput => {
    const table = names(input.table);
    for (const writer of facts.tables.get(table)?.writers ?? []) {
      const written = facts.facts.get(writer)?.writes.find((write) => names(write.table) === table)?.table;
      if (written !== undefined && input.table.toLowerCase().endsWith(`.${written.toLowerCase()}`))
        return { ...input, table: written };
    }
    return input;
  };
  return { ...job, inputs: job.inputs.map(named) };
}
