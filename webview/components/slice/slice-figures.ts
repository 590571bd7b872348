import { html, nothing, type TemplateResult } from 'lit';
import type { SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import type { SliceView, UnitDetail } from '../../../src/protocol/assistant-state.ts';
import { formatCount, shortChecksum } from '../format.ts';
import { percent, styled } from '../styled.ts';
import { rowSamples } from './row-samples.ts';

/** Both versions of one slice: counts, checksums, shares of rows, columns, sample rows. */
export function sliceFigures(slice: SliceView, [before, after]: UnitDetail['sides']): TemplateResult {
  const keys = checksums('keys', 'checksum of the key columns', slice.before?.keyChecksum, slice.after?.keyChecksum);
  return html`
    <section class="two l" aria-label="Changes of ${slice.table}">
      <table class="fig">
        <caption>${slice.table}${slice.from === undefined && slice.to === undefined ? ' · whole table' : ''}</caption>
        <thead><tr><th><span class="sr">figure</span></th><th scope="col">${before}</th><th scope="col">${after}</th><th><span class="sr">verdict</span></th></tr></thead>
        <tbody>
          <tr><th scope="row">rows</th><td>${counted(slice.before?.rows)}</td><td>${counted(slice.after?.rows)}</td><td>${rowVerdict(slice)}</td></tr>
          ${keys} ${checksums('contents', 'checksum of all columns that are compared', slice.before?.rowChecksum, slice.after?.rowChecksum)}
        </tbody>
      </table>
      ${slice.method === 'none' ? html`<p class="quiet">Rows were not compared.</p>` : html`${shares(slice)} ${columns(slice)}`}
    </section>
    ${rowSamples(slice)}
  `;
}

const counted = (count: number | undefined): string => (count === undefined ? '—' : formatCount(count));

function rowVerdict({ before, after }: SliceDiff): TemplateResult | typeof nothing {
  if (before === undefined || after === undefined) return nothing;
  const more = after.rows - before.rows;
  if (more === 0) return html`<span class="quiet">equal</span>`;
  return html`<span class=${more > 0 ? 'plus' : 'minus'}>${more > 0 ? '+' : '−'}${formatCount(Math.abs(more))}</span>`;
}

function checksums(
  name: string,
  title: string,
  before: string | undefined,
  after: string | undefined,
): TemplateResult | typeof nothing {
  if (!before && !after) return nothing;
  const text = (checksum: string | undefined) =>
    checksum ? html`<code title=${checksum}>${shortChecksum(checksum)}</code>` : '—';
  const verdict =
    !before || !after
      ? nothing
      : before === after
        ? html`<span class="quiet">equal</span>`
        : html`<span class="tilde">differs</span>`;
  return html`<tr><th scope="row" title=${title}>${name}</th><td>${text(before)}</td><td>${text(after)}</td><td>${verdict}</td></tr>`;
}

/** Changed, added, removed and equal rows as parts of one bar. */
function shares(slice: SliceDiff): TemplateResult | typeof nothing {
  const { added = 0, removed = 0, changed = 0, before, withinTolerance, method } = slice;
  if (slice.added === undefined && slice.removed === undefined && slice.changed === undefined) return nothing;
  const equal = before === undefined ? 0 : Math.max(0, before.rows - removed - changed);
  const whole = Math.max(1, added + removed + changed + equal);
  const part = (count: number, look: string): TemplateResult | typeof nothing =>
    count === 0 ? nothing : html`<i class=${look} ${styled({ width: percent(count / whole) })}></i>`;
  const word = (count: number, look: string, sign: string, what: string): TemplateResult | typeof nothing =>
    count === 0 ? nothing : html`<span class=${look}>${sign}${formatCount(count)} ${what}</span>`;
  return html`
    <div>
      <div class="split" aria-hidden="true">${part(changed, 'm')}${part(added, 'a')}${part(removed, 'r')}${part(equal, 'e')}</div>
      <div class="parts">
        ${word(changed, 'tilde', '~', 'changed')} ${word(added, 'plus', '+', 'added')} ${word(removed, 'minus', '−', 'removed')}
        ${word(equal, 'quiet', '', 'equal')}
        ${withinTolerance ? html`<span class="quiet">${formatCount(withinTolerance)} of them equal within tolerance</span>` : nothing}
        ${method === 'multiset' ? html`<span class="quiet">no usable key: a changed row counts as removed and added</span>` : nothing}
      </div>
    </div>
  `;
}

function columns({ columns: found, leftOut, before, after }: SliceDiff): TemplateResult | typeof nothing {
  if (found.length === 0 && leftOut.length === 0) return nothing;
  const rows = Math.max(before?.rows ?? 0, after?.rows ?? 0, 1);
  return html`
    <div>
      <h3 class="sub">Columns</h3>
      <div class="colbars">
        ${found.map(
          ({ column, rows: differing, withinTolerance }) =>
            html`<span>${column}</span><i aria-hidden="true"><u ${styled({ width: percent(Math.min(1, differing / rows)) })}></u></i>
              <span class="quiet">${formatCount(differing)} of ${formatCount(rows)}${withinTolerance ? ` · ${formatCount(withinTolerance)} within tolerance` : ''}</span>`,
        )}
        ${leftOut.map((column) => html`<span class="quiet">${column}</span><span class="quiet not">not compared</span><span></span>`)}
      </div>
    </div>
  `;
}
