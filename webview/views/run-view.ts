import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { PlanView, RunView } from '../../src/protocol/assistant-state.ts';
import { formatCount, formatEstimate, formatPace, plural } from '../components/format.ts';
import { stateWords } from '../components/state-word.ts';
import type { PageContext } from './page-context.ts';
import { gridAndDetails } from './plan-view.ts';

const doneStates: readonly UnitState[] = ['changed', 'unchanged', 'skipped', 'done', 'held', 'failed', 'unknown'];
const countedStates: readonly UnitState[] = [...doneStates, 'blocked', 'cancelled'];

/** The same grid, live: how far it is, how fast, and what came out. */
export function runView(context: PageContext, plan: PlanView, run: RunView): TemplateResult {
  const done = doneStates.reduce((sum, state) => sum + (run.counts[state] ?? 0), 0);
  const words = stateWords(run.mode);
  const live = run.status === 'running' || run.status === 'cancelling';
  return html`
    <div class="line" role="status">
      <strong>${formatCount(done)} of ${plural(plan.units.length, 'unit')}</strong>
      ${countedStates.map((state) => {
        const count = run.counts[state] ?? 0;
        return count === 0 ? nothing : html`<span class="count ${state}">${formatCount(count)} ${words[state]}</span>`;
      })}
      <span class="spring"></span>
      ${live && run.unitsPerMinute !== undefined ? html`<span class="quiet">${formatPace(run.unitsPerMinute)}</span>` : nothing}
      ${live && run.secondsLeft !== undefined ? html`<span class="quiet">about ${formatEstimate(run.secondsLeft)} left</span>` : nothing}
    </div>
    <progress class="bar" max=${plan.units.length} value=${done} aria-label="Units done"></progress>
    <p class="summary">${run.mode === 'run' ? nothing : html`<span class="pill">${run.mode === 'prove' ? 'proof · nothing is kept' : 'preview · nothing is written'}</span> `}${run.summary}</p>
    ${run.notes.map((note) => html`<p class="quiet">${note}</p>`)}
    ${gridAndDetails(context, plan)}
  `;
}
