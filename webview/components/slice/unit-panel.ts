import { html, nothing, type TemplateResult } from 'lit';
import type { PlanView, UnitDetail, UnitView } from '../../../src/protocol/assistant-state.ts';
import type { PageContext } from '../../views/page-context.ts';
import { formatCount, formatDuration, withWeekday } from '../format.ts';
import { glyph, stateGlyph } from '../glyph.ts';
import { stateWords } from '../state-word.ts';
import { sliceFigures } from './slice-figures.ts';

/** Everything about one slice: its state and why, its figures, columns and rows, its SQL, and what can be done with it. */
export function unitPanel(
  context: PageContext,
  plan: PlanView,
  unit: UnitView,
  detail: UnitDetail,
  details: TemplateResult | typeof nothing,
): TemplateResult {
  const { state, ask } = context;
  const isUndo = plan.purpose.kind === 'undo';
  const words = stateWords(state.run?.mode, isUndo);
  const name = plan.rows.find(({ task }) => task === unit.task)?.name ?? unit.task;
  const duration = detail.durationMs === undefined ? undefined : formatDuration(detail.durationMs);
  return html`
    <article class="unit" aria-label="${unit.task}, ${unit.label}">
      <div class="pad">
        <div class="uh">
          <div class="l1">
            <h2 title="${unit.task} · ${unit.label}"><em>${name}</em> <span><i class="dot">· </i>${withWeekday(unit.label)}</span></h2>
            ${steps(context, detail.index)}
            <button class="icon" id="close" aria-label="Close slice (Escape)" title="Close (Esc)" @click=${() => ask({ type: 'close-unit' })}>${glyph('cross')}</button>
          </div>
          <div class="l2">
            <span class="state ${isUndo && detail.state === 'planned' ? 'changed' : detail.state}">${stateGlyph(detail.state, isUndo)}${words[detail.state]}</span>
            ${duration === undefined ? nothing : html`<span>· ${duration}</span>`}
            ${detail.doing === undefined ? nothing : html`<span>· ${detail.doing}</span>`}
            <span>· ${because(unit.reason)}</span>
          </div>
        </div>
        ${isUndo && detail.state === 'planned' ? html`<p class="why changed">Gets its rows of before the run.</p>` : nothing}
        ${why(detail)}
        <div class="two">
          ${detail.slices.map((slice) => sliceFigures(slice, detail.sides))}
        </div>
        ${detail.notes.map((note) => html`<p class="quiet">${note}</p>`)}
        ${statements(detail)}
        ${details}
      </div>
      <div class="foot">
        ${detail.actions.map(
          ({ label, request, accent }) =>
            html`<vscode-button class=${accent ? 'accent' : ''} appearance="secondary" @click=${() => ask(request)}>${label}</vscode-button>`,
        )}
      </div>
    </article>
  `;
}

/** `runs because you selected it`. */
const because = (reason: string): string =>
  reason === 'selected'
    ? 'runs because you selected it'
    : reason.startsWith('run ')
      ? reason
      : `runs because it ${reason}`;

/** To the slices before and after it that changed, were held or failed. */
function steps({ state, ask }: PageContext, index: number): TemplateResult | typeof nothing {
  const { stops } = state;
  if (stops.length === 0) return nothing;
  const at = stops.indexOf(index);
  const step = (by: number): void => {
    const next = stops[(Math.max(at, by > 0 ? -1 : 0) + by + stops.length) % stops.length];
    if (next !== undefined) ask({ type: 'select-unit', index: next });
  };
  return html`
    <button class="icon" id="prev" aria-label="Previous of the slices to look at (p)" title="Previous (p)" @click=${() => step(-1)}>${glyph('left')}</button>
    <span class="quiet at">${at < 0 ? '–' : formatCount(at + 1)} of ${formatCount(stops.length)}</span>
    <button class="icon" id="next" aria-label="Next of the slices to look at (n)" title="Next (n)" @click=${() => step(1)}>${glyph('right')}</button>
  `;
}

/** Why it changed, is held or failed; with what to do about it. */
function why({ state, message, remedy, refusal, slices }: UnitDetail): TemplateResult | typeof nothing {
  const causes = [...new Set(slices.map((slice) => slice.why).filter((text) => text !== ''))].join('; ');
  const look = state === 'held' || state === 'failed' || state === 'unknown' ? state : 'changed';
  return html`
    ${
      message === undefined
        ? nothing
        : html`<p class="why ${look}"><b>${message}</b>${remedy === undefined ? nothing : html`<br />${remedy}`}</p>`
    }
    ${refusal === undefined ? nothing : html`<p class="why failed">${refusal}</p>`}
    ${causes === '' ? nothing : html`<p class="why ${look}">${sentence(causes)}</p>`}
    ${state === 'skipped' && message === undefined ? html`<p class="quiet">Code, inputs and its own rows are as its last run left them, so it was not run.</p>` : nothing}
    ${state === 'unchanged' ? html`<p class="quiet">Every row is as before.</p>` : nothing}
  `;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function statements({ statements, slices }: UnitDetail): TemplateResult | typeof nothing {
  if (statements.length === 0) return nothing;
  return html`<details class="sql" ?open=${slices.length === 0}>
    <summary>Rendered SQL</summary>
    ${statements.map((statement) => html`<pre tabindex="0" role="region" aria-label="Rendered SQL"><code>${statement}</code></pre>`)}
  </details>`;
}
