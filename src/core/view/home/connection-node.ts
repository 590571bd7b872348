import { escapeMarkdown } from '../words/markdown.ts';
import type { HomeNode } from './home-node.ts';

/** How the ledger of a connection stands, where it has not told what it knows. */
export type SilentLedger =
  | { readonly kind: 'asking' }
  /** `wantsPassword`: the server refused the one that is stored, or misses one. */
  | { readonly kind: 'silent'; readonly message: string; readonly wantsPassword: boolean };

/** The line of a connection where a workspace has several, with what is below it in words. */
export const connectionNode = (connection: string, description: string): HomeNode => ({
  id: `connection ${connection}`,
  label: connection,
  description,
  tooltip: `**${escapeMarkdown(connection)}** · ${escapeMarkdown(description)}`,
  icon: { name: 'database' },
  traits: ['group'],
  opens: 'at-once',
  spoken: `connection ${connection}, ${description}`,
  units: [],
  connection,
});

/** A connection whose ledger has not answered, and why. */
export function silentNode(connection: string, ledger: SilentLedger): HomeNode {
  const said =
    ledger.kind === 'asking' ? 'asking …' : ledger.wantsPassword ? 'asks for a password' : firstLine(ledger.message);
  return {
    ...connectionNode(connection, said),
    // A line that can be opened is another one: an editor leaves one that it knows as it was.
    id: `silent ${connection}`,
    tooltip: `**${escapeMarkdown(connection)}** · ${escapeMarkdown(ledger.kind === 'asking' ? said : ledger.message)}`,
    icon:
      ledger.kind === 'asking'
        ? { name: 'loading~spin' }
        : ledger.wantsPassword
          ? { name: 'lock', color: 'charts.yellow' }
          : { name: 'debug-disconnect', color: 'charts.red' },
    traits: ledger.kind === 'asking' ? ['note'] : ledger.wantsPassword ? ['note', 'locked'] : ['note'],
    opens: 'never',
  };
}

/**
 * What stands at a view of the only ledger that a workspace has. Why it has not answered stands beside the view's name:
 * an editor that shows a message hides the buttons that help.
 */
export function ledgerHeading(
  ledger: ({ readonly connection: string } & (SilentLedger | { readonly kind: 'known' })) | undefined,
): { readonly message: string; readonly description: string } {
  if (ledger === undefined) return { message: '', description: '' };
  const { connection } = ledger;
  if (ledger.kind === 'asking') return { message: `Asking ${connection} …`, description: connection };
  const why = ledger.kind === 'silent' ? firstLine(ledger.message) : '';
  return { message: '', description: [connection, why].filter((part) => part !== '').join(' · ') };
}

const firstLine = (text: string): string => text.split('\n', 1)[0] ?? '';
