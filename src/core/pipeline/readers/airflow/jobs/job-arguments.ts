import { listOf, none } from '../../../python/values/make-value.ts';
import { derivedText, sliceText } from '../../../python/values/text-value.ts';
import type { Value } from '../../../python/values/value.ts';
import { renderedValue } from '../templates/rendered-value.ts';

/** What whoever runs a script gives it. */
export interface JobArguments {
  /** The words behind the name of the script; `undefined` where nobody of the workspace runs it, or they are not known. */
  readonly words: readonly Value[] | undefined;
  /** By name: the parameters of a notebook, the arguments of a Glue job without their dashes. */
  readonly named: ReadonlyMap<string, Value>;
  readonly environment: ReadonlyMap<string, Value>;
  /** Settings of its session, names in small letters. */
  readonly settings: ReadonlyMap<string, Value>;
}

export const noArguments: JobArguments = {
  words: undefined,
  named: new Map(),
  environment: new Map(),
  settings: new Map(),
};

/** An argument that only whoever runs the script knows. */
export const openArgument = (name: string): Value => ({
  kind: 'symbol',
  symbol: { kind: 'parameter', source: 'argument', name },
});

/** The value behind `--day`, or of `--day=…`; `undefined` where it is not given. */
export function optionValue(words: readonly Value[], names: readonly string[]): Value | undefined {
  for (const [index, word] of words.entries()) {
    if (word.kind !== 'text') continue;
    const { text } = word.mapped;
    if (names.includes(text)) return words[index + 1] ?? none;
    const name = names.find((one) => one.startsWith('--') && text.startsWith(`${one}=`));
    if (name !== undefined) return renderedValue(sliceText(word, name.length + 1, text.length));
  }
  return undefined;
}

/** Words that are no option and no value of one, in order. `flags` stand by themselves. */
export function positionalWords(words: readonly Value[], flags: ReadonlySet<string>): readonly Value[] {
  const found: Value[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    const text = word?.kind === 'text' ? word.mapped.text : '';
    if (/^-{1,2}[A-Za-z]/.test(text)) {
      if (!text.includes('=') && !flags.has(text)) at++;
    } else if (word !== undefined) found.push(word);
  }
  return found;
}

/** `sys.argv`: of a script that nobody runs as many words as it asks for. */
export function argumentVector({ words }: JobArguments, script: string, text: string): Value {
  const name = derivedText(script);
  if (words !== undefined) return listOf([name, ...words]);
  const asked = [...text.matchAll(/\bargv\s*\[\s*(\d+)\s*\]/g)].map(([, index]) => Number(index));
  const counted = [...text.matchAll(/len\(\s*sys\.argv\s*\)\s*(?:!=|<|==|>=)\s*(\d+)/g)].map(
    ([, count]) => Number(count) - 1,
  );
  const last = Math.min(Math.max(0, ...asked, ...counted), 50);
  const open = Array.from({ length: last }, (_, index) => openArgument(`sys.argv[${index + 1}]`));
  return listOf([name, ...open]);
}

/** A name as both sides of a command line write it. */
export const sameName = (name: string): string => name.replace(/^-+/, '').replaceAll('-', '_');

export const namedArgument = ({ named, words }: JobArguments, name: string): Value | undefined =>
  named.get(name) ?? (words === undefined ? undefined : optionValue(words, [`--${name}`, `-${name}`]));

export const isKnown = ({ words, named }: JobArguments): boolean => words !== undefined || named.size > 0;
