import { html, nothing, type TemplateResult } from 'lit';
import type { Totals } from '../../src/protocol/assistant-state.ts';
import { formatCount } from '../components/format.ts';
import { percent, styled } from '../components/styled.ts';
import type { PageContext } from './page-context.ts';

/** What became of each table: slices, rows, columns. */
export function totalsView({ state }: PageContext): TemplateResult | typeof nothing {
  const { totals, run, plan } = state;
  if (totals.length === 0) return nothing;
  const known = run !== undefined;
  const anyNow = totals.some(({ now }) => now !== undefined);
  const isUndo = plan?.purpose.kind === 'undo';
  const title = isUndo ? 'slices put back' : run?.mode === 'preview' ? 'slices that would change' : 'slices changed';
  return html`
    <section aria-label="Totals by table">
      <div class="head"><h2>By table</h2></div>
      <div class="tables" tabindex="0" role="group" aria-label="Table of totals">
        <table class="totals">
          <thead>
            <tr>
              <th scope="col">table</th>
              <th scope="col">${known ? title : 'slices'}</th>
              ${known || anyNow ? html`<th scope="col" class="num" colspan=${known ? 3 : 1}>rows</th>` : nothing}
              ${known ? html`<th scope="col">columns</th>` : nothing}
            </tr>
          </thead>
          <tbody>${totals.map((row) => (known ? after(row) : before(row, anyNow)))}</tbody>
        </table>
      </div>
    </section>
  `;
}

const before = ({ table, slices, now, untold }: Totals, anyNow: boolean): TemplateResult => html`
  <tr>
    <th scope="row">${table}</th>
    <td class="quiet">${formatCount(slices.of)}</td>
    ${anyNow ? html`<td class="num quiet" title=${untold ?? nothing}>${now === undefined ? 'not known' : `${formatCount(now)} now`}</td>` : nothing}
  </tr>
`;

function after({ table, slices, added, removed, changed, columns, notCompared }: Totals): TemplateResult {
  if (notCompared !== undefined) {
    return html`<tr><th scope="row">${table}</th><td class="quiet" colspan="5" title=${notCompared}>not compared</td></tr>`;
  }
  const most = Math.max(1, ...columns.map(({ rows }) => rows));
  return html`
    <tr>
      <th scope="row">${table}</th>
      <td>${slices.changed === 0 ? html`<span class="zero">0</span>` : html`<b>${formatCount(slices.changed)}</b>`}
        <span class="quiet">of ${formatCount(slices.of)}${slices.held === 0 ? '' : ` · ${formatCount(slices.held)} held`}</span></td>
      <td class="num">${figure(added, 'plus', '+')}</td>
      <td class="num">${figure(removed, 'minus', '−')}</td>
      <td class="num">${figure(changed, 'tilde', '~')}</td>
      <td>${columns
        .slice(0, 6)
        .map(
          ({ name, rows }) =>
            html`<span class="mini">${name}<i><u ${styled({ width: percent(rows / most) })}></u></i><span class="quiet">${formatCount(rows)}</span></span>`,
        )}</td>
    </tr>
  `;
}

const figure = (count: number, look: string, sign: string): TemplateResult =>
  html`<span class=${count === 0 ? 'zero' : look}>${sign}${formatCount(count)}</span>`;
