import { html, nothing, type TemplateResult } from 'lit';
import type { RunView } from '../../src/protocol/assistant-state.ts';
import { plural } from '../components/format.ts';
import type { PageContext } from './page-context.ts';

/** Task, target and zone on the left; what can be done next on the right. */
export function pageHeader({ state, ask }: PageContext): TemplateResult {
  const { name, target } = state.connection;
  return html`
    <header class="page-header">
      <h1>Backfill: ${state.task}</h1>
      <span class="pill" title=${target ?? ''}>${name === undefined ? 'no connection yet' : html`runs on <strong>${name}</strong> · ${target}`}</span>
      <span class="pill">zone <strong>${state.zone}</strong></span>
      <div class="actions">
        ${state.busy === undefined ? nothing : html`<span class="busy" role="status"><vscode-progress-ring></vscode-progress-ring>${state.busy}</span>`}
        ${actions({ state, ask })}
      </div>
    </header>
  `;
}

/** The same buttons in the same places while a plan stands and while it runs, so that nothing jumps under the pointer. */
function actions({ state, ask }: PageContext): TemplateResult {
  const copy = secondary('Copy as Command', false, () => ask({ type: 'copy-command' }));
  const noConnection = state.connection.name === undefined || state.busy !== undefined;
  if (state.step === 'choose') {
    return html`${copy}
      ${secondary('Prove', noConnection || !state.choose.valid, () => ask({ type: 'prove' }), proveTitle)}
      <vscode-button ?disabled=${!state.choose.valid || state.busy !== undefined} @click=${() => ask({ type: 'make-plan' })}>Show Plan</vscode-button>`;
  }
  const { run, plan } = state;
  const live = state.step === 'run' && (run?.status === 'running' || run?.status === 'cancelling');
  const blocked = live || plan?.startable !== true || noConnection;
  const kind = plan?.purpose.kind;
  return html`
    ${copy}
    ${kind === 'proof' ? nothing : secondary('Export Report…', live, () => ask({ type: 'export' }))}
    ${secondary('Change', live || state.busy !== undefined, () => ask({ type: 'back-to-choose' }))}
    ${kind === 'run' ? secondary('Prove', live || noConnection, () => ask({ type: 'prove' }), proveTitle) : nothing}
    ${kind === 'proof' ? nothing : secondary('Preview Changes', blocked || isUnfinished(run), () => ask({ type: 'start', mode: 'preview' }))}
    ${!live && wrote(run) ? secondary('Undo Run…', noConnection, () => ask({ type: 'undo' }), 'Plans to put the slices that this run changed back to their rows of before') : nothing}
    ${!live && isHeld(run) ? secondary('Approve Held', blocked, () => ask({ type: 'approve-held' }), 'Lets the held units through and goes on: what they would do was looked at and is right') : nothing}
    ${mainAction({ state, ask }, live, blocked)}
  `;
}

const proveTitle = 'Runs each interval of this task twice, compares, and keeps nothing';

const secondary = (name: string, disabled: boolean, press: () => void, title = ''): TemplateResult =>
  html`<vscode-button appearance="secondary" title=${title} ?disabled=${disabled} @click=${press}>${name}</vscode-button>`;

function mainAction({ state, ask }: PageContext, live: boolean, blocked: boolean): TemplateResult {
  const { run, plan } = state;
  if (live) {
    const cancelling = run?.status === 'cancelling';
    return html`<vscode-button ?disabled=${cancelling} @click=${() => ask({ type: 'cancel' })}>${cancelling ? 'Cancelling…' : 'Cancel'}</vscode-button>`;
  }
  if (isUnfinished(run)) {
    return html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'resume' })}>Resume</vscode-button>`;
  }
  const units = plural(plan?.units.length ?? 0, 'unit');
  switch (plan?.purpose.kind) {
    case 'proof':
      return html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'prove' })}>Prove ${units}</vscode-button>`;
    case 'undo': {
      // What was put back once is not there to be put back again.
      const done = run?.mode === 'run';
      return html`<vscode-button ?disabled=${blocked || done} @click=${() => ask({ type: 'start', mode: 'run' })}>Undo ${units}</vscode-button>`;
    }
    default:
      return html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'start', mode: 'run' })}>Run ${units}</vscode-button>`;
  }
}

const isHeld = (run: RunView | undefined): boolean => run?.mode === 'run' && (run.counts.held ?? 0) > 0;

const wrote = (run: RunView | undefined): boolean => run?.mode === 'run' && (run.counts.changed ?? 0) > 0;

/** A run that was cancelled or interrupted, or in which something failed or was held, goes on where it stopped. */
const isUnfinished = (run: RunView | undefined): boolean =>
  isHeld(run) ||
  (run?.mode === 'run' && (run.status === 'interrupted' || run.status === 'cancelled' || (run.counts.failed ?? 0) > 0));
