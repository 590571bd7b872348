import { html, nothing, type TemplateResult } from 'lit';
import type { Chart, PlanView, Point } from '../../src/protocol/assistant-state.ts';
import { formatAmount, formatScale } from '../components/format.ts';
import type { TimeAxis } from '../components/grid/time-axis.ts';
import { percent, styled } from '../components/styled.ts';
import type { PageContext } from './page-context.ts';

/** What the slices of the selected task hold: before as a pale bar with a cap, after as a narrow solid one in front. */
export function chart(
  { state, ask, remember }: PageContext,
  plan: PlanView,
  axis: TimeAxis,
): TemplateResult | typeof nothing {
  const { chart: shown } = state;
  if (shown === undefined) return nothing;
  const { sides, totals } = shown;
  const points = shown.points.filter(({ index }) => plan.units[index] !== undefined && axis.isShown(plan.units[index]));
  const bars =
    axis.density === 'bucket' ? bucketed(points, plan, axis) : points.map((point) => placed(point, plan, axis));
  const scale = scaleOf(bars);
  const said = `${shown.measure} of ${shown.task}: ${totals === undefined ? shown.note : `${sides.before} ${formatAmount(totals.before)}`}${totals?.after === undefined || sides.after === undefined ? '' : `, ${sides.after} ${formatAmount(totals.after)}`}`;
  return html`
    <div class="row group chart-head" role="presentation">
      <div><h2>${shown.title}</h2></div>
      <div><span class="key" aria-hidden="true"><span><i class="was"></i>${sides.before}</span>${sides.after === undefined ? nothing : html`<span><i class="is"></i>${sides.after}</span>`}</span></div>
      <div></div>
    </div>
    <div class="row chart" role="presentation">
      <div>
        ${measure(shown, ask)} ${totals === undefined ? nothing : sums(shown, totals)}
      </div>
      <div class="track" role="img" aria-label=${said}>
        ${totals === undefined ? html`<p class="quiet none">${shown.note}</p>` : nothing}
        ${bars.map(
          (
            bar,
          ) => html`<div class="col ${bar.look} ${bar.index !== undefined && bar.index === state.selected?.index ? 'sel' : ''}" title=${titleOf(bar)}
            ${styled({ left: percent(bar.left), width: percent(bar.width) })}
            @click=${() => {
              if (bar.index === undefined) return;
              remember({ unit: bar.index });
              ask({ type: 'select-unit', index: bar.index });
            }}>
            ${column('was', bar.before, scale)} ${column('is', bar.after, scale)}
          </div>`,
        )}
      </div>
      <div class="scale" aria-hidden="true">${totals === undefined ? nothing : html`<span>${formatScale(scale.top)}</span><span>${formatScale(scale.bottom)}</span>`}</div>
    </div>
  `;
}

/** One measure is said; of several one is chosen. */
function measure({ task, measure: shown, measures }: Chart, ask: PageContext['ask']): TemplateResult {
  if (measures.length < 2) return html`<span class="measure">${shown}</span>`;
  return html`
    <vscode-dropdown class="measure" aria-label="Measure" .value=${shown}
      @change=${(event: Event) => ask({ type: 'set-measure', task, measure: (event.target as HTMLSelectElement).value })}>
      ${measures.map((one) => html`<vscode-option value=${one} ?selected=${one === shown}>${one}</vscode-option>`)}
    </vscode-dropdown>
  `;
}

function sums(
  { sides, note }: Chart,
  { before, after, difference: moved }: NonNullable<Chart['totals']>,
): TemplateResult {
  const line = (name: string, amount: string): TemplateResult =>
    html`<span class="sum quiet"><span>${name}</span><span>${amount}</span></span>`;
  const said = note === undefined ? nothing : line(note, '');
  if (after === undefined || moved === undefined) return html`${line(sides.before, formatAmount(before))} ${said}`;
  return html`${line(sides.before, formatAmount(before))} ${line(sides.after ?? 'after', formatAmount(after))}
    <span class="sum total">${difference(moved, before)}</span> ${said}`;
}

/** What the track stands for, from its foot to its head; zero is always on it. */
interface Scale {
  readonly bottom: number;
  readonly top: number;
}

function scaleOf(bars: readonly Bar[]): Scale {
  let [bottom, top] = [0, 0];
  for (const { before, after } of bars) {
    bottom = Math.min(bottom, before ?? 0, after ?? 0);
    top = Math.max(top, before ?? 0, after ?? 0);
  }
  return bottom === 0 && top === 0 ? { bottom, top: 1 } : { bottom, top };
}

function column(
  side: 'was' | 'is',
  value: number | undefined,
  { bottom, top }: Scale,
): TemplateResult | typeof nothing {
  if (value === undefined) return nothing;
  const share = (of: number): string => percent(of / (top - bottom));
  const at = { height: share(Math.abs(value)), bottom: share(Math.min(value, 0) - bottom) };
  return html`<span class="${side} ${value < 0 ? 'below' : ''}" ${styled(at)}></span>`;
}

interface Bar {
  readonly index: number | undefined;
  readonly label: string;
  readonly left: number;
  readonly width: number;
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly look: Point['look'];
}

function placed(point: Point, plan: PlanView, axis: TimeAxis): Bar {
  const unit = plan.units[point.index];
  if (unit === undefined) throw new Error(`the plan has no unit ${point.index}`);
  return { ...point, ...axis.place(unit), label: unit.label };
}

/** A column of the grid stands for several slices here too: by their mean. */
function bucketed(points: readonly Point[], plan: PlanView, axis: TimeAxis): readonly Bar[] {
  const groups = new Map<number, Point[]>();
  for (const point of points) {
    const start = Date.parse(plan.units[point.index]?.start ?? '');
    const group = Math.max(0, Math.floor((start - axis.from) / axis.bucket.ms));
    groups.set(group, [...(groups.get(group) ?? []), point]);
  }
  const whole = Math.max(axis.to - axis.from, 1);
  return [...groups].map(([group, members]) => {
    const mean = (of: (point: Point) => number | undefined): number | undefined => {
      const values = members.flatMap((point) => of(point) ?? []);
      return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value, 0) / values.length;
    };
    const from = group * axis.bucket.ms;
    return {
      index: undefined,
      label: `${plan.units[members[0]?.index ?? 0]?.label ?? ''} and ${members.length - 1} more, mean`,
      left: from / whole,
      width: Math.min(axis.bucket.ms, axis.to - axis.from - from) / whole,
      before: mean(({ before }) => before),
      after: mean(({ after }) => after),
      look:
        (['held', 'changed', 'same', 'open'] as const).find((look) => members.some((point) => point.look === look)) ??
        'open',
    };
  });
}

const titleOf = ({ label, before, after }: Bar): string => {
  const [was, is] = [before, after].map((amount) => (amount === undefined ? '—' : formatAmount(amount)));
  return after === undefined ? `${label}: ${was}` : `${label}: ${was} → ${is}`;
};

function difference(delta: number, before: number): TemplateResult {
  if (delta === 0) return html`<span>no change</span><span></span>`;
  const sign = delta > 0 ? '+' : '−';
  return html`<span>${before === 0 ? '' : shareOf(Math.abs(delta / before), sign)}</span><span>${sign}${formatAmount(Math.abs(delta))}</span>`;
}

/** A difference is never said to be none. */
const shareOf = (share: number, sign: string): string =>
  share < 0.0005 ? 'under 0.1 %' : `${sign}${(share * 100).toFixed(1)} %`;
