import { html, nothing, type TemplateResult } from 'lit';
import type { OptionsView } from '../../src/protocol/assistant-state.ts';
import { calendar, calendarLegend } from '../components/calendar/calendar.ts';
import { glyph } from '../components/glyph.ts';
import { enterPopup } from '../page-keys.ts';
import { optionsForm } from './options-form.ts';
import { isFixed, type PageContext } from './page-context.ts';

/** The calendar at the left, the same range as text at the right. Its height is the same in every state. */
export function rangeView(context: PageContext): TemplateResult {
  const { state } = context;
  const fixed = isFixed(state);
  // What is chosen stands for another run: an undo goes by the intervals of the run that it takes back.
  const isUndo = state.plan?.purpose.kind === 'undo';
  return html`
    <section aria-label="Range">
      <div class="head"><h2>Intervals of ${state.calendar?.name ?? state.name}</h2>${calendarLegend(context)}</div>
      <div class="range">
        ${calendar(context)}
        <div class="type">
          ${fixed ? html`<div class="dates quiet">${stands(context)}</div>` : fields(context)}
          <p class="said" role="status">${isUndo ? nothing : html`<b>${state.choose.count}</b>${state.choose.count === '' ? '' : ', '}${state.choose.summary}`}</p>
          ${fixed ? nothing : presets(context)}
          ${isUndo ? nothing : options(context, fixed)}
        </div>
      </div>
    </section>
  `;
}

function stands({ state }: PageContext): string {
  if (state.plan?.purpose.kind === 'undo') return 'The intervals of the run, as it was.';
  return state.status.live ? 'The range stands while this goes on.' : 'Each interval of this task alone.';
}

const typedIn = (event: Event): string => (event.target as HTMLInputElement).value;

function fields({ state, ask }: PageContext): TemplateResult {
  const { choose, zone } = state;
  return html`
    <div class="dates">
      <span aria-hidden="true">From</span>
      <vscode-text-field class="date" size="12" .value=${choose.from}
        @change=${(event: Event) => ask({ type: 'set-range', from: typedIn(event) })}>From, included, in ${zone}</vscode-text-field>
      <span aria-hidden="true">up to</span>
      <vscode-text-field class="date" size="12" .value=${choose.to}
        @change=${(event: Event) => ask({ type: 'set-range', to: typedIn(event) })}>Up to, not included, in ${zone}</vscode-text-field>
    </div>
  `;
}

function presets({ state, ask, remember }: PageContext): TemplateResult {
  const { choose } = state;
  return html`
    <div class="chips" role="group" aria-label="Ranges">
      ${choose.presets.map(
        ({ label, from, to, only }) => html`<button class="chip"
          aria-pressed=${from === choose.from && to === choose.to && only?.join() === choose.only?.join()}
          @click=${() => {
            remember({ back: 0 });
            ask({ type: 'set-range', from, to, only });
          }}>${label}</button>`,
      )}
    </div>
  `;
}

function options(context: PageContext, fixed: boolean): TemplateResult {
  const { state, memory, remember } = context;
  const words = optionsInWords(state.choose.options);
  if (fixed) return html`<p class="opts quiet">${words}</p>`;
  const isOpen = memory.popup === 'options';
  return html`
    <div class="opts-place">
      <button class="opts" id="opts" aria-haspopup="dialog" aria-expanded=${isOpen}
        @click=${(event: MouseEvent) => {
          remember({ popup: isOpen ? undefined : 'options' });
          enterPopup(event);
        }}>${words}${glyph('down')}</button>
      ${isOpen ? optionsForm(context) : nothing}
    </div>
  `;
}

/** Only what is on, and what is not as usual. */
function optionsInWords({ concurrency, compare, shrinkPercent, stopAtFirstFailure, earlyCutoff }: OptionsView): string {
  return [
    concurrency === 1 ? 'one at a time' : `${concurrency} at a time`,
    ...(shrinkPercent === undefined ? [] : [`hold if rows shrink > ${shrinkPercent} %`]),
    ...(earlyCutoff ? ['skip unchanged inputs'] : []),
    ...(stopAtFirstFailure ? ['stop at first failure'] : []),
    ...(compare === 'checksums' ? ['compare checksums only'] : compare === 'none' ? ['compare row counts only'] : []),
  ].join(' · ');
}
