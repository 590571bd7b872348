import type { OptionsView } from '../../../protocol/assistant-state.ts';
import type { PageOptions, RunDefaults } from '../../host/workspace-api.ts';

/** What somebody has set in the editor; what is left out is as `backfill.yaml` says. */
export interface EditorSettings {
  readonly concurrency?: number | undefined;
  /** `null`: nothing is held for its size. */
  readonly shrinkPercent?: number | null | undefined;
  readonly earlyCutoff?: boolean | undefined;
  readonly samples?: number | undefined;
  readonly floatTolerance?: number | null | undefined;
}

/** More side by side than this gains nothing on one server. */
export const mostConcurrency = 32;

/** The options that a page begins with. Skipping may be switched off by the file and by the editor. */
export function firstOptions(byFile: RunDefaults, byEditor: EditorSettings): OptionsView {
  const { concurrency = byFile.concurrency, shrinkPercent = byFile.shrinkPercent, earlyCutoff = true } = byEditor;
  return {
    concurrency: Math.min(concurrency, mostConcurrency),
    maxConcurrency: mostConcurrency,
    compare: byFile.compare,
    shrinkPercent: shrinkPercent ?? undefined,
    stopAtFirstFailure: false,
    earlyCutoff: earlyCutoff && byFile.earlyCutoff,
  };
}

/** What a run is given: the options of the page, and what somebody has set in the editor beside them. */
export function pageOptions(
  { compare, shrinkPercent, earlyCutoff }: OptionsView,
  { samples, floatTolerance }: EditorSettings,
): PageOptions {
  return {
    compare,
    earlyCutoff,
    samples,
    floatTolerance: floatTolerance ?? undefined,
    holdShrinkPercent: shrinkPercent,
  };
}
