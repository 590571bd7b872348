import { html, nothing, type TemplateResult } from 'lit';
import type { RowSample, SliceDiff } from '../../src/core/diff/slice-diff.ts';
import type { SliceView } from '../../src/protocol/assistant-state.ts';
import { formatCount, shortChecksum } from './format.ts';

/** What the two versions of a slice are called. */
export type SliceSides = readonly [string, string];

/** Both versions of one slice: counts, checksums, per-column changes and sample rows. */
export function slicePanel(slice: SliceView, [before, after]: SliceSides): TemplateResult {
  return html`
    <section class="slice" aria-label="Changes of ${slice.table}">
      <h3>${slice.table}${slice.from === undefined ? ' · whole table' : ''}</h3>
      <table class="figures">
        <thead><tr><th></th><th>${before}</th><th></th><th>${after}</th><th></th></tr></thead>
        <tbody>
          ${figureRow('rows', slice.before && formatCount(slice.before.rows), slice.after && formatCount(slice.after.rows), rowChange(slice))}
          ${checksumRow('key checksum', slice.before?.keyChecksum, slice.after?.keyChecksum)}
          ${checksumRow('row checksum', slice.before?.rowChecksum, slice.after?.rowChecksum)}
        </tbody>
      </table>
      ${slice.method === 'none' ? html`<p class="quiet">Rows were not compared.</p>` : changeBadges(slice)}
      ${slice.why === '' ? nothing : html`<p>Why it changed: ${slice.why}.</p>`}
      ${columnBars(slice)} ${sampleTable(slice)}
    </section>
  `;
}

function figureRow(
  name: string,
  before: string | undefined,
  after: string | undefined,
  verdict: TemplateResult | typeof nothing,
): TemplateResult {
  return html`<tr><th scope="row">${name}</th><td>${before ?? '—'}</td><td class="arrow">→</td><td>${after ?? '—'}</td><td>${verdict}</td></tr>`;
}

function rowChange({ before, after }: SliceDiff): TemplateResult | typeof nothing {
  if (before === undefined || after === undefined || before.rows === after.rows) return nothing;
  const more = after.rows - before.rows;
  return html`<span class=${more > 0 ? 'added' : 'removed'}>${more > 0 ? '+' : '−'}${formatCount(Math.abs(more))}</span>`;
}

function checksumRow(
  name: string,
  before: string | undefined,
  after: string | undefined,
): TemplateResult | typeof nothing {
  if (before === undefined && after === undefined) return nothing;
  const text = (checksum: string | undefined) =>
    checksum === undefined ? '—' : html`<code title=${checksum}>${shortChecksum(checksum)}</code>`;
  const verdict =
    before === undefined || after === undefined
      ? nothing
      : before === after
        ? html`<span class="equal">equal</span>`
        : html`<span class="differs">differs</span>`;
  return html`<tr><th scope="row">${name}</th><td>${text(before)}</td><td class="arrow">→</td><td>${text(after)}</td><td>${verdict}</td></tr>`;
}

function changeBadges(slice: SliceDiff): TemplateResult {
  const equal =
    slice.before === undefined || slice.removed === undefined || slice.changed === undefined
      ? undefined
      : slice.before.rows - slice.removed - slice.changed;
  const badge = (count: number | undefined, kind: string, text: string) =>
    count === undefined || count === 0 ? nothing : html`<span class="badge ${kind}">${text}</span>`;
  return html`
    <p class="badges">
      ${badge(slice.added, 'added', `+${formatCount(slice.added ?? 0)} added`)}
      ${badge(slice.removed, 'removed', `−${formatCount(slice.removed ?? 0)} removed`)}
      ${badge(slice.changed, 'changed', `${formatCount(slice.changed ?? 0)} changed`)}
      ${badge(slice.withinTolerance, 'quiet', `${formatCount(slice.withinTolerance ?? 0)} of them equal within tolerance`)}
      ${badge(equal, 'quiet', `${formatCount(equal ?? 0)} equal`)}
      ${slice.method === 'multiset' ? html`<span class="quiet">no usable key: a changed row counts as removed and added</span>` : nothing}
    </p>
  `;
}

function columnBars(slice: SliceDiff): TemplateResult | typeof nothing {
  if (slice.columns.length === 0 && slice.leftOut.length === 0) return nothing;
  const most = Math.max(...slice.columns.map(({ rows }) => rows), 1);
  return html`
    <div class="columns">
      ${slice.columns.map(
        ({ column, rows, withinTolerance }) =>
          html`<label>${column} ${formatCount(rows)}${withinTolerance ? html` <em>${formatCount(withinTolerance)} within tolerance</em>` : nothing}<meter min="0" max=${most} value=${rows}></meter></label>`,
      )}
      ${slice.leftOut.map((column) => html`<label class="quiet">${column} <em>left out</em></label>`)}
    </div>
  `;
}

function sampleTable(slice: SliceDiff): TemplateResult | typeof nothing {
  if (slice.samples.length === 0) return nothing;
  const columns = sampleColumns(slice);
  return html`
    <div class="samples">
      <table>
        <thead>
          <tr>
            ${slice.key.length > 0 ? html`<th>key: ${slice.key.join(', ')}</th>` : nothing}
            ${columns.map((column) => html`<th>${column}</th>`)}
            <th><span class="sr-only">what happened</span></th>
          </tr>
        </thead>
        <tbody>
          ${slice.samples.map(
            (sample) => html`
              <tr>
                ${slice.key.length > 0 ? html`<td class="key">${slice.key.map((column) => value(sample.key?.[column])).join(' · ')}</td>` : nothing}
                ${columns.map((column) => html`<td>${sampleCell(sample, column)}</td>`)}
                <td class=${sample.kind}>${sample.kind}</td>
              </tr>
            `,
          )}
        </tbody>
      </table>
    </div>
  `;
}

/** Columns that differ in a changed row; for added and removed rows alone, all but the key. */
function sampleColumns({ samples, key }: SliceDiff): readonly string[] {
  const all = [...new Set(samples.flatMap(({ before, after }) => Object.keys(before ?? after ?? {})))].filter(
    (column) => !key.includes(column),
  );
  const differing = all.filter((column) =>
    samples.some(({ kind, before, after }) => kind === 'changed' && before?.[column] !== after?.[column]),
  );
  return differing.length > 0 ? differing : all.slice(0, 8);
}

function sampleCell({ kind, before, after }: RowSample, column: string): TemplateResult {
  if (kind !== 'changed') return html`<span class=${kind}>${value((before ?? after)?.[column])}</span>`;
  if (before?.[column] === after?.[column]) return html`${value(after?.[column])}`;
  return html`<span class="removed">${value(before?.[column])}</span> <span class="added">${value(after?.[column])}</span>`;
}

const value = (text: string | null | undefined): string => (text === undefined ? '' : text === null ? 'NULL' : text);
