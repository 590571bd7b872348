import { html, nothing, type TemplateResult } from 'lit';
import type { UnitDetail, UnitView } from '../../src/protocol/assistant-state.ts';
import { formatDuration } from './format.ts';
import { type SliceSides, slicePanel } from './slice-panel.ts';
import type { StateWords } from './state-word.ts';

export interface UnitPanelProps {
  readonly unit: UnitView;
  readonly detail: UnitDetail;
  readonly words: StateWords;
  readonly sides: SliceSides;
  /** Lets the held unit through; `undefined` where it is not to be decided now. */
  readonly approve: (() => void) | undefined;
  /** Plans to put its slices back; `undefined` where nothing was written, or something still is. */
  readonly undo: (() => void) | undefined;
  openDiff(): void;
  openSource(): void;
  close(): void;
}

/** Everything about one unit: why it runs, what it did to its slices, and the SQL that it runs. */
export function unitPanel(props: UnitPanelProps): TemplateResult {
  const { unit, detail, words, sides, approve, undo, openDiff, openSource, close } = props;
  const comparable = detail.slices.some(({ samples }) => samples.length > 0);
  return html`
    <article class="unit" aria-label="${unit.task}, ${unit.label}">
      <header>
        <h2>${unit.task} · ${unit.label}</h2>
        <span class="pill ${detail.state}">${detail.state === 'planned' ? 'planned' : words[detail.state]}</span>
        ${detail.durationMs === undefined ? nothing : html`<span class="pill">${formatDuration(detail.durationMs)}</span>`}
        <div class="actions">
        ${approve === undefined ? nothing : html`<vscode-button @click=${approve}>Approve and Resume</vscode-button>`}
        ${undo === undefined ? nothing : html`<vscode-button appearance="secondary" @click=${undo}>Undo This Unit</vscode-button>`}
        ${comparable ? html`<vscode-button appearance="secondary" @click=${openDiff}>Open as Diff</vscode-button>` : nothing}
        <vscode-button appearance="secondary" @click=${openSource}>Open Source</vscode-button>
        <vscode-button appearance="icon" aria-label="Close details" @click=${close}>✕</vscode-button>
        </div>
      </header>
      <p class="quiet">Why: ${unit.reason}</p>
      ${detail.message === undefined ? nothing : html`<p class="message ${detail.state}">${detail.message}${detail.remedy === undefined ? nothing : html`<br />${detail.remedy}`}</p>`}
      ${detail.refusal === undefined ? nothing : html`<p class="message failed">${detail.refusal}</p>`}
      ${detail.notes.map((note) => html`<p class="quiet">${note}</p>`)}
      ${detail.slices.map((slice) => slicePanel(slice, sides))}
      ${
        detail.statements.length === 0
          ? nothing
          : html`<details class="sql" ?open=${detail.slices.length === 0}>
              <summary>Rendered SQL</summary>
              ${detail.statements.map((statement) => html`<pre><code>${statement}</code></pre>`)}
            </details>`
      }
    </article>
  `;
}
