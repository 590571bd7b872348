import { html, nothing, type TemplateResult } from 'lit';
import type { RowSample, SliceDiff } from '../../../src/core/diff/slice-diff.ts';
import { formatCount } from '../format.ts';

/** Rows as a diff: a line of before, a line of after, the columns that differ first. */
export function rowSamples(slice: SliceDiff): TemplateResult | typeof nothing {
  const { samples, key, added = 0, removed = 0, changed = 0 } = slice;
  if (samples.length === 0) return nothing;
  const columns = sampleColumns(slice);
  const all = added + removed + changed;
  return html`
    <div>
      <h3 class="sub"><span>Rows</span><span class="quiet">${samples.length < all ? `first ${formatCount(samples.length)} of ${formatCount(all)}` : formatCount(samples.length)}</span></h3>
      <div class="rows" tabindex="0" role="region" aria-label="Sample rows of ${slice.table}">
        <table>
          <thead>
            <tr>
              <th scope="col" class="k">${key.length === 0 ? 'row' : key.join(', ')}</th>
              <th scope="col" class="sg"><span class="sr">before or after</span></th>
              ${columns.map((column) => html`<th scope="col">${column}</th>`)}
            </tr>
          </thead>
          <tbody>${samples.map((sample, index) => lines(sample, slice, columns, index))}</tbody>
        </table>
      </div>
    </div>
  `;
}

function lines(sample: RowSample, { key }: SliceDiff, columns: readonly string[], index: number): TemplateResult {
  const name = key.length === 0 ? String(index + 1) : key.map((column) => value(sample.key?.[column])).join(' · ');
  const { kind, before, after } = sample;
  if (kind === 'removed') return line(name, 'old', before, columns, undefined, 'first last');
  if (kind === 'added') return line(name, 'new', after, columns, undefined, 'first last');
  return html`${line(name, 'old', before, columns, after, 'first')}${line('', 'new', after, columns, before, 'last')}`;
}

/** `other`: the other version of a changed row, whose equal values are said once. */
function line(
  name: string,
  look: 'old' | 'new',
  row: RowSample['before'],
  columns: readonly string[],
  other: RowSample['before'],
  place: string,
): TemplateResult {
  return html`
    <tr class=${place}>
      <td class="k">${name}</td>
      <td class="sg ${look}">${look === 'old' ? '−' : '+'}</td>
      ${columns.map((column) => {
        const isSame = other !== undefined && other[column] === row?.[column];
        if (!isSame) return html`<td class=${look}>${value(row?.[column])}</td>`;
        return html`<td class="same">${look === 'old' ? value(row?.[column]) : ''}</td>`;
      })}
    </tr>
  `;
}

/** Columns that differ in a changed row come first. */
function sampleColumns({ samples, key }: SliceDiff): readonly string[] {
  const all = [...new Set(samples.flatMap(({ before, after }) => Object.keys(before ?? after ?? {})))].filter(
    (column) => !key.includes(column),
  );
  const differs = (column: string): boolean =>
    samples.some(({ kind, before, after }) => kind === 'changed' && before?.[column] !== after?.[column]);
  return [...all.filter(differs), ...all.filter((column) => !differs(column))];
}

const value = (text: string | null | undefined): string => (text === undefined ? '' : text === null ? 'NULL' : text);
