import type { Span } from '../../../../text/span.ts';

/** A part of a word: inside quotes, or outside. */
export interface ShellPiece extends Span {
  readonly quote: '"' | "'" | '';
}

export type ShellWord = readonly ShellPiece[];

/** The words of one simple command; `undefined` where there is more than that. Templates and variables stay as they are. */
export function shellWords(text: string, open: readonly Span[]): readonly ShellWord[] | undefined {
  const words: ShellPiece[][] = [];
  let word: ShellPiece[] | undefined;
  const begin = (): ShellPiece[] => {
    word ??= words[words.push([]) - 1];
    return word as ShellPiece[];
  };
  for (let at = 0; at < text.length; ) {
    const hole = open.find(({ start, end }) => start <= at && at < end);
    const character = text[at] ?? '';
    if (hole === undefined && (character === '"' || character === "'")) {
      const end = closingQuote(text, at, open);
      if (end === undefined) return undefined;
      begin().push({ start: at + 1, end, quote: character });
      at = end + 1;
    } else if (hole === undefined && /\s/.test(character)) {
      // A line break ends a command, so more than white space behind one is another command.
      if (character === '\n' && word !== undefined && text.slice(at).trim() !== '') return undefined;
      word = undefined;
      at += 1;
    } else if (hole === undefined && text.startsWith('\\\n', at)) at += 2;
    else if (hole === undefined && (/[|&;<>()`\\#]/.test(character) || text.startsWith('$(', at))) return undefined;
    else {
      const end = hole?.end ?? at + 1;
      const last = begin().at(-1);
      if (last?.quote === '' && last.end === at) begin()[begin().length - 1] = { ...last, end };
      else begin().push({ start: at, end, quote: '' });
      at = end;
    }
  }
  return words;
}

function closingQuote(text: string, from: number, open: readonly Span[]): number | undefined {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at++) {
    const hole = open.find(({ start, end }) => start <= at && at < end);
    if (hole !== undefined) at = hole.end - 1;
    else if (quote === '"' && text[at] === '\\') at += 1;
    else if (text[at] === quote) return at;
  }
  return undefined;
}
