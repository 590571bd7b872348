import { isDeepStrictEqual } from 'node:util';
import type { WorkspaceClient } from './workspace-client.ts';

/** On what stands that which a ledger answered: other code makes other slices stale, another server has another ledger. */
export interface AnswerBasis {
  /** Of every connection that is asked, where it leads. */
  readonly connections: ReadonlyMap<string, string>;
  /** Of all tasks. */
  readonly code: string;
}

/** As the files are now. `names`: the connections that are asked. In memory only, as the settings of a connection are. */
export async function answerBasis(
  { call }: Pick<WorkspaceClient, 'call'>,
  names: readonly string[],
): Promise<AnswerBasis> {
  const settings = await Promise.all(names.map((name) => call('connection', { name })));
  return {
    connections: new Map(names.map((name, index) => [name, JSON.stringify(settings[index])])),
    code: JSON.stringify(await call('codeHashes', null)),
  };
}

export const isSameBasis = (one: AnswerBasis | undefined, other: AnswerBasis): boolean => isDeepStrictEqual(one, other);
