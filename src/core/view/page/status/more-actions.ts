import type { PageFacts } from './page-facts.ts';
import type { Phase } from './phase.ts';
import type { ActionView } from './status-view.ts';

const runNow: ActionView = { label: 'Run without preview…', request: { type: 'start', mode: 'run' } };
const preview: ActionView = { label: 'Preview again', request: { type: 'start', mode: 'preview' } };
const prove: ActionView = { label: 'Prove safe to run twice', request: { type: 'prove' } };
const undo: ActionView = { label: 'Undo run…', request: { type: 'undo' } };
const again: ActionView = { label: 'Run again', request: { type: 'start', mode: 'run' } };
const leave: ActionView = { label: 'Back to the range', request: { type: 'leave-undo' } };

const observe: ActionView = { label: 'What it was seen to write', request: { type: 'observe' } };
const lookBack: ActionView = { label: 'Look at its newest run', request: { type: 'observe', last: true } };

/** What can be done in a phase beside its one action, above what can always be. */
export function moreActions(phase: Phase, facts: PageFacts): readonly ActionView[] {
  const hasChanged = facts.states.includes('changed') && facts.run?.mode === 'run';
  const undoable = hasChanged ? [undo] : [];
  const { plan, task, observed } = facts;
  const isCarried =
    plan?.scheduler !== undefined && plan.rows.some((row) => row.task === task && row.engine !== undefined);
  const seen = !isCarried ? [] : observed === undefined ? [observe] : [lookBack];
  const rehearsals = plan?.previewable === false ? [] : [runNow, prove];
  switch (phase) {
    case 'planned':
      return [...rehearsals, ...seen];
    case 'outdated':
    case 'preview-stopped':
      return plan?.purpose.kind === 'undo' ? [leave] : rehearsals;
    case 'previewed':
      return plan?.purpose.kind === 'undo' ? [preview, leave] : [preview, prove];
    case 'undo-planned':
      return [{ ...preview, label: 'Preview the undo' }, leave];
    case 'proof-planned':
    case 'undone':
      return [leave];
    case 'proved':
      return [{ ...prove, label: 'Prove again' }, leave];
    case 'done':
      return [...undoable, again, ...seen];
    case 'held':
      return [{ label: 'Resume without held slices', request: { type: 'resume' } }, ...undoable];
    case 'halfway':
    case 'lost':
    case 'failed':
    case 'stopped':
      return undoable;
    default:
      return [];
  }
}

/** What can be done whatever the page is at. */
export const standingActions: readonly ActionView[] = [
  { label: 'Copy as command', request: { type: 'copy-command' } },
  { label: 'Export report…', request: { type: 'export' } },
  { label: 'Choose connection…', request: { type: 'choose-connection' } },
  { label: 'Show log', request: { type: 'show-log' } },
];
