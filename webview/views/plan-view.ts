import { html, nothing, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';
import type { PlanView } from '../../src/protocol/assistant-state.ts';
import { legend } from '../components/legend.ts';
import { stateWords } from '../components/state-word.ts';
import { unitGrid } from '../components/unit-grid.ts';
import { unitPanel } from '../components/unit-panel.ts';
import type { PageContext } from './page-context.ts';

/** The frozen plan: every unit on the time line, widened ranges in words, and the unit that is looked at. */
export function planView({ state, ask }: PageContext, plan: PlanView): TemplateResult {
  return html`
    <div class="line"><strong>${plan.title}</strong></div>
    ${gridAndDetails({ state, ask }, plan)}
  `;
}

/** Grid, legend, notes and the selected unit: the same for a plan and for its run. */
export function gridAndDetails({ state, ask }: PageContext, plan: PlanView): TemplateResult {
  const { selected } = state;
  const unit = selected === undefined ? undefined : plan.units[selected.index];
  const run = state.step === 'run' ? state.run : undefined;
  const states = run?.states;
  const words = stateWords(run?.mode);
  const settled = run?.mode === 'run' && run.status !== 'running' && run.status !== 'cancelling';
  const act = (type: 'approve-held' | 'undo', wanted: UnitState): (() => void) | undefined =>
    settled && selected?.state === wanted ? () => ask({ type, index: selected.index }) : undefined;
  return html`
    ${unitGrid({ plan, states, words, selected: selected?.index, select: (index) => ask({ type: 'select-unit', index }) })}
    ${legend(
      states,
      words,
      plan.units.some(({ widened }) => widened),
    )}
    ${plan.notes.length === 0 ? nothing : html`<div class="note">${plan.notes.map((note) => html`<p>${note}</p>`)}</div>`}
    ${
      selected === undefined || unit === undefined
        ? html`<p class="quiet hint">Select a unit to see why it runs${states === undefined ? ' and its SQL' : ', its SQL and what changed'}.</p>`
        : unitPanel({
            unit,
            detail: selected,
            words,
            sides: run?.mode === 'prove' ? ['first run', 'second run'] : ['before', 'after'],
            approve: act('approve-held', 'held'),
            undo: act('undo', 'changed'),
            openDiff: () => ask({ type: 'open-diff', index: selected.index }),
            openSource: () => ask({ type: 'open-source', task: unit.task }),
            close: () => ask({ type: 'close-unit' }),
          })
    }
  `;
}
