import { html, nothing, type TemplateResult } from 'lit';
import type { Chart, PlanView, Point } from '../../src/protocol/assistant-state.ts';
import { formatCount, formatScale } from '../components/format.ts';
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
  const top = Math.max(1, ...bars.map(({ before, after }) => Math.max(before ?? 0, after ?? 0)));
  const delta = totals?.after === undefined ? undefined : totals.after - totals.before;
  const said = `${shown.measure} of ${shown.task}: ${totals === undefined ? shown.note : `${sides.before} ${formatCount(totals.before)}`}${totals?.after === undefined || sides.after === undefined ? '' : `, ${sides.after} ${formatCount(totals.after)}`}`;
  return html`
    <div class="row group chart-head" role="presentation">
      <div><h2>${shown.title}</h2></div>
      <div><span class="key" aria-hidden="true"><span><i class="was"></i>${sides.before}</span>${sides.after === undefined ? nothing : html`<span><i class="is"></i>${sides.after}</span>`}</span></div>
      <div></div>
    </div>
    <div class="row chart" role="presentation">
      <div>
        <span class="measure">${shown.measure}</span>
        ${totals === undefined ? nothing : sums(shown, totals, delta)}
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
            ${bar.before === undefined ? nothing : html`<span class="was" ${styled({ height: percent(bar.before / top) })}></span>`}
            ${bar.after === undefined ? nothing : html`<span class="is" ${styled({ height: percent(bar.after / top) })}></span>`}
          </div>`,
        )}
      </div>
      <div class="scale" aria-hidden="true">${totals === undefined ? nothing : html`<span>${formatScale(top)}</span><span>0</span>`}</div>
    </div>
  `;
}

function sums({ sides, note }: Chart, totals: NonNullable<Chart['totals']>, delta: number | undefined): TemplateResult {
  const line = (name: string, count: number): TemplateResult =>
    html`<span class="sum quiet"><span>${name}</span><span>${formatCount(count)}</span></span>`;
  if (totals.after === undefined || delta === undefined) {
    return html`${line(sides.before, totals.before)}<span class="sum quiet"><span>${note ?? ''}</span></span>`;
  }
  return html`${line(sides.before, totals.before)} ${line(sides.after ?? 'after', totals.after)}
    <span class="sum total">${difference(delta, totals.before)}</span>`;
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
  const [was, is] = [before, after].map((count) => (count === undefined ? '—' : formatCount(Math.round(count))));
  return after === undefined ? `${label}: ${was}` : `${label}: ${was} → ${is}`;
};

function difference(delta: number, before: number): TemplateResult {
  if (delta === 0) return html`<span>no change</span><span></span>`;
  const sign = delta > 0 ? '+' : '−';
  const share = before === 0 ? '' : `${sign}${((Math.abs(delta) / before) * 100).toFixed(1)} %`;
  return html`<span>${share}</span><span>${sign}${formatCount(Math.abs(delta))}</span>`;
}
