import type { Problem } from '../../core/text/span.ts';
import type { Workspace } from '../../node/load-workspace.ts';
import type { CheckScope } from './check-scope.ts';

/** Problems of the chosen files, of those below that no reader could read, and of the settings, which hold for all. */
export const problemsIn = (
  { problems, config }: Workspace,
  scope: CheckScope,
  chosen: ReadonlySet<string>,
): readonly Problem[] =>
  problems.filter(
    ({ at }) => at === undefined || chosen.has(at.file) || scope.isBelow(at.file) || at.file === config.file,
  );
