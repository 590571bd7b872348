import { connectionNode, silentNode } from '../../../core/view/home/connection-node.ts';
import type { WorkspaceClient } from '../../clients/workspace-client.ts';
import { type HomeItem, homeItem } from './home-item.ts';
import type { LedgerKnowledge } from './home-knowledge.ts';
import type { ConnectionLedger } from './ledger-answers.ts';

/**
 * The lines of ledgers: those of the only one by themselves, else below the line of their connection, which also says
 * why one has not answered. `itemsOf`: the lines of a ledger and, in words, what they are.
 */
export function ledgerItems(
  knowledge: LedgerKnowledge,
  client: WorkspaceClient,
  itemsOf: (ledger: Extract<ConnectionLedger, { kind: 'known' }>) => {
    readonly said: string;
    readonly items: readonly HomeItem[];
  },
): readonly HomeItem[] {
  if (knowledge.kind !== 'asked') return [];
  const { ledgers } = knowledge;
  return ledgers.flatMap((ledger) => {
    const { connection } = ledger;
    const known = ledger.kind === 'known' ? itemsOf(ledger) : undefined;
    if (ledgers.length === 1) return known?.items ?? [];
    if (ledger.kind !== 'known') return [homeItem(silentNode(connection, ledger), client, connection)];
    const node = connectionNode(connection, known?.said ?? '');
    const items = known?.items ?? [];
    return [
      homeItem(
        items.length === 0 ? { ...node, id: `empty ${connection}`, opens: 'never', traits: ['note'] } : node,
        client,
        connection,
        items,
      ),
    ];
  });
}
