import { type PreviewEnd, tracesInWords } from '../../../core/run/unit/preview-end.ts';

/** What is said after a preview beside its result; `place`: the connection that it went to. */
export const previewNotes = (end: PreviewEnd, place: string, runsOn: string): readonly string[] => [
  ...(place === runsOn ? [] : [`Previewed on ${place}, not on ${runsOn}.`]),
  ...tracesInWords(end),
];
