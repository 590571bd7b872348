import type { MaskedText } from './masked-text.ts';

/** Text that is SQL through and through, for the lexer. */
export const plainText = (text: string): MaskedText => ({ text, holes: [], tags: [], problem: undefined });
