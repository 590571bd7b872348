import { svg, type TemplateResult } from 'lit';
import type { UnitState } from '../../src/core/ledger/ledger-store.ts';

const strokes = {
  unchanged: ['M2.3 6.4 4.9 9 9.7 3.4'],
  changed: ['M1.8 7.1C3 4.4 4.6 4.7 6 6s3 1.6 4.2-1.1'],
  held: ['M6 2v4.8M6 9.6v.2'],
  cross: ['m3 3 6 6M9 3 3 9'],
  skipped: ['M2 8.4a4 4 0 0 1 7.2-2.2M9.8 3v3.4H6.4'],
  undo: ['M10 8.4a4 4 0 0 0-7.2-2.2M2.2 3v3.4h3.4'],
  blocked: ['M4.2 3.4v5.2M7.8 3.4v5.2'],
  running: ['M6 2a4 4 0 1 1-4 4'],
  dot: ['M6 6h.01'],
  play: ['M4.4 3.4 8.4 6 4.4 8.6z'],
  warning: ['M6 1.5 11 10.3H1zM6 4.8v2.4M6 8.7v.1'],
  error: ['M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6m-1.7 3.1 3.4 3.4m0-3.4L4.3 7.7'],
  info: ['M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6m0 4.2v3M6 3.5v.1'],
  ok: ['M6 1.2a4.8 4.8 0 1 0 0 9.6 4.8 4.8 0 0 0 0-9.6M3.8 6.2l1.6 1.6 2.9-3.4'],
  down: ['m3 4.6 3 3 3-3'],
  left: ['M7.5 3 4.5 6l3 3'],
  right: ['M4.5 3l3 3-3 3'],
  more: ['M2 6h.01M6 6h.01M10 6h.01'],
  database: ['M2 3c0-1.8 8-1.8 8 0v6c0 1.8-8 1.8-8 0zM2 3c0 1.8 8 1.8 8 0M2 6c0 1.8 8 1.8 8 0'],
} as const;

export type GlyphName = keyof typeof strokes;

/** A sign of twelve units square in the colour of its text. What it means is always said in words beside it. */
export const glyph = (name: GlyphName): TemplateResult =>
  svg`<svg class="g ${name}" viewBox="0 0 12 12" aria-hidden="true">${strokes[name].map((path) => svg`<path d=${path}></path>`)}</svg>`;

const ofState: Readonly<Record<UnitState | 'planned', GlyphName>> = {
  planned: 'dot',
  waiting: 'dot',
  running: 'running',
  changed: 'changed',
  unchanged: 'unchanged',
  skipped: 'skipped',
  done: 'play',
  held: 'held',
  failed: 'cross',
  blocked: 'blocked',
  cancelled: 'dot',
  unknown: 'cross',
};

export const stateGlyph = (state: UnitState | 'planned', isUndo = false): TemplateResult =>
  glyph(isUndo && (state === 'changed' || state === 'planned') ? 'undo' : ofState[state]);
