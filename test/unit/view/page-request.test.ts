import { expect, test } from 'vitest';
import { isPageRequest } from '../../../src/core/view/page/is-page-request.ts';
import type { PageRequest } from '../../../src/core/view/page/page-request.ts';

const requests: readonly PageRequest[] = [
  { type: 'ready' },
  { type: 'set-range', from: '2026-11-01' },
  { type: 'set-range', from: '2026-11-01', to: '2026-12-01', only: ['shop.clean@2026-11-01T00:00:00Z'] },
  { type: 'include-task', task: 'shop.clean', included: false },
  { type: 'use-connection', name: 'warehouse' },
  { type: 'set-concurrency', value: 4 },
  { type: 'set-compare', value: 'checksums' },
  { type: 'set-shrink-percent', value: 50 },
  { type: 'set-stop-at-first-failure', value: true },
  { type: 'set-scheduler', name: 'airflow', all: true },
  { type: 'set-measure', task: 'shop.clean', measure: 'row count' },
  { type: 'set-calendar', task: 'shop.clean', before: '2026-01-01' },
  { type: 'start', mode: 'preview' },
  { type: 'approve-held', index: 0 },
  { type: 'undo', index: 3 },
  { type: 'observe', last: true },
  { type: 'copy', text: 'VACUUM mart.clean;' },
];

test('what the page sends is taken', () => {
  expect(requests.filter((request) => !isPageRequest(request))).toEqual([]);
  for (const type of ['undo', 'observe', 'set-range'] as const) expect(isPageRequest({ type })).toBe(true);
  expect(isPageRequest({ type: 'set-shrink-percent', value: undefined })).toBe(true);
});

test.each([
  undefined,
  null,
  7,
  'ready',
  [],
  {},
  { type: 'no-such' },
  { type: 'constructor' },
  { type: '__proto__' },
  { type: ['ready'] },
])('%j is no request', (message) => expect(isPageRequest(message)).toBe(false));

test('a request with a field of another type, or one more, is refused', () => {
  for (const request of requests) {
    expect(isPageRequest({ ...request, more: 1 })).toBe(false);
    for (const field of Object.keys(request)) {
      // A number is typed: that it is none is said by whoever takes it.
      const isTyped = field === 'value' && typeof Object(request)[field] === 'number';
      for (const wrong of [{}, ['a', 1], ...(isTyped ? ['4'] : [null, Number.NaN])]) {
        expect([request.type, field, wrong, isPageRequest({ ...request, [field]: wrong })]).toEqual([
          request.type,
          field,
          wrong,
          false,
        ]);
      }
    }
  }
  expect(isPageRequest({ type: 'start', mode: 'prove' })).toBe(false);
  expect(isPageRequest({ type: 'select-unit', index: -1 })).toBe(false);
  expect(isPageRequest({ type: 'select-unit', index: 0.5 })).toBe(false);
  expect(isPageRequest({ type: 'approve-held' })).toBe(false);
});
