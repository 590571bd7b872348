import { html, nothing, type TemplateResult } from 'lit';
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
      <span class="spring"></span>
      ${state.busy === undefined ? nothing : html`<span class="busy" role="status"><vscode-progress-ring></vscode-progress-ring>${state.busy}</span>`}
      ${actions({ state, ask })}
    </header>
  `;
}

function actions({ state, ask }: PageContext): TemplateResult {
  const copy = html`<vscode-button appearance="secondary" @click=${() => ask({ type: 'copy-command' })}>Copy as Command</vscode-button>`;
  if (state.step === 'choose') {
    return html`${copy}
      <vscode-button ?disabled=${!state.choose.valid || state.busy !== undefined} @click=${() => ask({ type: 'make-plan' })}>Show Plan</vscode-button>`;
  }
  const exports = html`
    <vscode-button appearance="secondary" @click=${() => ask({ type: 'export', format: 'markdown' })}>Export Markdown</vscode-button>
    <vscode-button appearance="secondary" @click=${() => ask({ type: 'export', format: 'json' })}>Export JSON</vscode-button>
  `;
  const live = state.run?.status === 'running' || state.run?.status === 'cancelling';
  if (state.step === 'run' && live) {
    return html`${copy}<vscode-button ?disabled=${state.run?.status === 'cancelling'} @click=${() => ask({ type: 'cancel' })}>
        ${state.run?.status === 'cancelling' ? 'Cancelling…' : 'Cancel'}</vscode-button>`;
  }
  const blocked = state.plan?.startable !== true || state.connection.name === undefined || state.busy !== undefined;
  const units = plural(state.plan?.units.length ?? 0, 'unit');
  const unfinished =
    state.run?.mode === 'run' &&
    (state.run.status === 'interrupted' || state.run.status === 'cancelled' || (state.run.counts.failed ?? 0) > 0);
  return html`
    ${copy} ${exports}
    <vscode-button appearance="secondary" @click=${() => ask({ type: 'back-to-choose' })}>Change</vscode-button>
    ${
      unfinished
        ? html`<vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'resume' })}>Resume</vscode-button>`
        : html`<vscode-button appearance="secondary" ?disabled=${blocked} @click=${() => ask({ type: 'start', mode: 'preview' })}>Preview Changes</vscode-button>
            <vscode-button ?disabled=${blocked} @click=${() => ask({ type: 'start', mode: 'run' })}>Run ${units}</vscode-button>`
    }
  `;
}
