import { expect, test } from 'vitest';
import { type LineMark, marksToShow } from '../../../src/core/view/document/wait-for-cursor.ts';

const mark = (key: string, first: number, last = first, isUnread = false): LineMark => ({ key, first, last, isUnread });
const shown = (marks: readonly LineMark[], line: number | undefined, ...before: string[]) =>
  marksToShow(marks, line, new Set(before)).map(({ key }) => key);

test('nothing new is marked on the line that is typed on, and all of it when typing has come to rest', () => {
  const marks = [mark('here', 4), mark('around', 2, 6), mark('elsewhere', 9)];
  expect(shown(marks, 4)).toEqual(['elsewhere']);
  expect(shown(marks, undefined)).toEqual(['here', 'around', 'elsewhere']);
});

test('what was there before stays, so that a finding does not flicker while it is mended', () => {
  expect(shown([mark('here', 4)], 4, 'here')).toEqual(['here']);
});

test('what cannot be read for half a word waits wherever it stands', () => {
  expect(shown([mark('unread', 30, 30, true)], 4)).toEqual([]);
  expect(shown([mark('unread', 30, 30, true)], 4, 'unread')).toEqual(['unread']);
});
