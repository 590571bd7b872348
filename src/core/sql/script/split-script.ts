import { split, type TokenRange } from '../lex/split.ts';
import type { Token } from '../lex/token.ts';
import type { DialectName } from '../model/dialect-name.ts';
import { isTransact } from './is-transact.ts';
import { splitTransact } from './split-transact.ts';

/** The statements of a script or of the body of a routine; `whole` is the script that it stands in. */
export const splitScript = (
  tokens: readonly Token[],
  dialect: DialectName,
  blocks?: boolean,
  whole: readonly Token[] = tokens,
): readonly TokenRange[] => (isTransact(whole, dialect) ? splitTransact(tokens) : split(tokens, dialect, blocks));
