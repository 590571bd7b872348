import { html, nothing, type TemplateResult } from 'lit';
import type { PlanView } from '../../src/protocol/assistant-state.ts';
import { formatCount, withWeekday } from '../components/format.ts';
import { unitPanel } from '../components/slice/unit-panel.ts';
import type { PageContext } from './page-context.ts';

/** The slice that is looked at; without one, why these slices run, or what has changed so far. */
export function sideView(context: PageContext): TemplateResult {
  const { plan, selected, changes } = context.state;
  const unit = selected === undefined ? undefined : plan?.units[selected.index];
  return html`
    <aside id="side" aria-label="Slice">
      ${
        plan === undefined
          ? nothing
          : selected !== undefined && unit !== undefined
            ? unitPanel(context, plan, unit, selected, details(context))
            : changes.length > 0
              ? changesSoFar(context, plan)
              : reasons(context, plan)
      }
    </aside>
  `;
}

function reasons(context: PageContext, plan: PlanView): TemplateResult {
  const { run } = context.state;
  return html`
    <div class="pad">
      <div class="uh">
        <div class="l1"><h2>Why these slices</h2></div>
        <div class="l2">Select a slice to see its SQL${run === undefined ? '' : ' and what changed'}.</div>
      </div>
      <ul class="list">
        ${plan.rows
          .filter(({ left }) => left === undefined)
          .map(
            ({ task, name, units, reason, engine }) => html`
              <li>
                <span><b title=${task}>${name}</b>${engine === undefined ? nothing : html` <span class="badge" title=${engine.note}>${engine.name}</span>`}</span>
                <span class="quiet">${formatCount(units.length)}</span>
                <p>${reason}${engine === undefined ? '' : ` ${engine.note}.`}</p>
              </li>
            `,
          )}
      </ul>
      ${details(context)}
    </div>
  `;
}

function changesSoFar(context: PageContext, plan: PlanView): TemplateResult {
  const names = new Map(plan.rows.map(({ task, name }) => [task, name]));
  return html`
    <div class="pad">
      <div class="uh">
        <div class="l1"><h2>Changes so far</h2></div>
        <div class="l2">Newest first. Select one to see its rows.</div>
      </div>
      <ul class="list">
        ${context.state.changes.map(({ index, rows }) => {
          const unit = plan.units[index];
          if (unit === undefined) return nothing;
          const differing = (rows?.added ?? 0) + (rows?.removed ?? 0) + (rows?.changed ?? 0);
          return html`<li>
            <button @click=${() => context.ask({ type: 'select-unit', index })}><b>${names.get(unit.task) ?? unit.task}</b> · ${withWeekday(unit.label)}</button>
            <span class="tilde">${differing === 0 ? '' : `~${formatCount(differing)}`}</span>
          </li>`;
        })}
      </ul>
      ${details(context)}
    </div>
  `;
}

/** Estimates, locks, dead rows, session, notes. */
function details({ state, ask }: PageContext): TemplateResult | typeof nothing {
  if (state.details.length === 0) return nothing;
  return html`
    <details class="more">
      <summary>Details</summary>
      <dl>
        ${state.details.map(
          ({ term, text, copy }) =>
            html`<dt>${term}</dt><dd>${text}${copy === undefined ? nothing : html` <button class="link" @click=${() => ask({ type: 'copy', text: copy })}>Copy</button>`}</dd>`,
        )}
      </dl>
    </details>
  `;
}
