import type { RunSummary } from '../../ledger/ledger-store.ts';

const mark = (seal: string): string => `(plan ${seal.replace(/^sha256:/, '').slice(0, 12)})`;

/** The title of a run of a plan file, by which it is found again. */
export const markedTitle = (title: string, seal: string): string => `${title} ${mark(seal)}`;

/** The runs of a plan file, newest first, as they are listed. */
export const runsOfPlan = (runs: readonly RunSummary[], seal: string): readonly RunSummary[] =>
  runs.filter(({ title }) => title.endsWith(mark(seal)));
