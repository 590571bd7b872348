import { sameDefinition, viewDefinitions } from '../warehouse/catalog/view-definitions.ts';
import type { Session } from '../warehouse/port/ports.ts';
import type { SliceVersionRecord } from './stale-slices.ts';

/** Versions with the views that they were made through and that are not as they were then. Throws {@link WarehouseError}. */
export async function redefinedSince(
  session: Session,
  versions: readonly SliceVersionRecord[],
): Promise<readonly SliceVersionRecord[]> {
  const seen = versions.flatMap(({ inputs }) =>
    (inputs ?? []).flatMap(({ table, definition }) => (definition === undefined ? [] : [table])),
  );
  if (seen.length === 0) return versions;
  await session.query('begin read only');
  const views = await viewDefinitions(session, seen);
  await session.query('rollback');
  const now = new Map(views.map(({ view, definition }) => [view, definition]));
  return versions.map((version) => {
    const redefined = (version.inputs ?? []).flatMap(({ table, definition }) => {
      const current = now.get(table);
      if (definition === undefined || current === undefined) return [];
      return sameDefinition(current, definition) === false ? [table] : [];
    });
    return redefined.length === 0 ? version : { ...version, redefined };
  });
}
