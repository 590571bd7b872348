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
  const copy = html`<vscode-button appearance="secondary" @click=${() => ask({ type: 'copy-command' })}>Copy as Command</vscode-button>`;
  if (state.step === 'choose') {
    return html`${copy}
      <vscode-button ?disabled=${!state.choose.valid || state.busy !== undefined} @click=${() => ask({ type: 'make-plan' })}>Show Plan</vscode-button>`;
  }
  const { run } = state;
  const live = state.step === 'run' && (run?.status === 'running' || run?.status === 'cancelling');
  const blocked =
    live || state.plan?.startable !== true || state.connection.name === undefined || state.busy !== undefined;
  return html`
    ${copy}
    <vscode-button appearance="secondary" ?disabled=${live} @click=${() => ask({ type: 'export', format: 'markdown' })}>Export Markdown</vscode-button>
    <vscode-button appearance="secondary" ?disabled=${live} @click=${() => ask({ type: 'export', format: 'html' })}>Export HTML</vscode-button>
    <vscode-button appearance="secondary" ?disabled=${live} @click=${() => ask({ type: 'export', format: 'json' })}>Export JSON</vscode-button>
    <vscode-button appearance="secondary" ?disabled=${live} @click=${() => ask({ type: 'back-to-choose' })}>Change</vscode-button>
    <vscode-button appearance="secondary" ?disabled=${blocked || isUnfinished(run)} @click=${() => ask({ type: 'start', mode: 'preview' })}>Preview Changes</vscode-button>
    ${mainAction({ state, ask }, live, blocked)}
  `;
}

function mainAction({ state, ask }: PageContext, live: boolean, blocked: boolean): TemplateResult {
  if (live) {
    const cancelling = state.run?.status === 'cancelling';
    return html`<vscode-button ?disabled=${cancelling} @click=${() => ask({ type: 'cancel' })}>${cancelling ? 'Cancelling…' : 'Cancel'}</vscode-button>`;
  }
  if (isUnfinished(state.run)) {
    return html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'resume' })}>Resume</vscode-button>`;
  }
  const units = plural(state.plan?.units.length ?? 0, 'unit');
  return html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'start', mode: 'run' })}>Run ${units}</vscode-button>`;
}

/** A run that was cancelled or interrupted, or in which something failed, goes on where it stopped. */
const isUnfinished = (run: RunView | undefined): boolean =>
  run?.mode === 'run' && (run.status === 'interrupted' || run.status === 'cancelled' || (run.counts.failed ?? 0) > 0);
