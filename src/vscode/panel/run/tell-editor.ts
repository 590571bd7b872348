import { taskOfUnit } from '../../../core/plan/model/unit-id.ts';
import type { RunUnit } from '../../../core/run/unit/run-result.ts';
import { unitRows } from '../../../core/view/page/outcome/unit-rows.ts';
import type { SliceVersion } from '../../../core/view/words/slice-version.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';

/** Lets lenses and hovers say what a run made of its intervals. `at`: milliseconds since the epoch. */
export function tellEditor(client: WorkspaceClient, units: readonly RunUnit[], at: number): void {
  const versions = units.flatMap((unit): readonly (readonly [string, number, readonly SliceVersion[]])[] => {
    const { state } = unit;
    if (state !== 'changed' && state !== 'unchanged' && state !== 'held' && state !== 'failed') return [];
    const start = Date.parse(unit.unit.slice(unit.unit.lastIndexOf('@') + 1));
    const slices = unit.slices.map((slice): SliceVersion => {
      const { added, removed, changed } = unitRows([slice]) ?? {};
      const isCounted = added !== undefined && removed !== undefined;
      return {
        table: slice.table,
        state,
        rows: slice.after?.rows,
        rowChecksum: slice.after?.rowChecksum,
        differing: isCounted ? added + removed + (changed ?? 0) : undefined,
        at,
      };
    });
    const none: SliceVersion = {
      table: taskOfUnit(unit.unit),
      state,
      rows: undefined,
      rowChecksum: undefined,
      differing: undefined,
      at,
    };
    return [[taskOfUnit(unit.unit), start, slices.length === 0 ? [none] : slices]];
  });
  if (versions.length === 0) return;
  client.call('remember', { versions }).then(
    () => client.touch(),
    () => {},
  );
}
