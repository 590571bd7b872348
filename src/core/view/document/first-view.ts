import type { DocumentView } from './document-view.ts';
import { type DocumentViewInput, makeDocumentView } from './make-document-view.ts';

/**
 * What an editor shows of a file that was read alone: tasks and their intervals. What the other files decide is left open:
 * what is downstream, slices, findings and what is not known come when these are read.
 */
export function firstView(
  input: Pick<DocumentViewInput, 'file' | 'facts' | 'choice' | 'now' | 'shownIn' | 'scheduler'>,
): DocumentView {
  const nowhere = { place: () => '', declare: () => '' };
  const view = makeDocumentView({
    ...input,
    findings: [],
    problems: [],
    links: nowhere,
    variables: {},
    params: {},
    children: new Map(),
    versions: () => [],
  });
  return {
    ...view,
    tasks: view.tasks.map((task) => ({ ...task, downstream: undefined })),
    hints: [],
    hovers: [],
    unknowns: [],
  };
}
