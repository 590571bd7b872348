import type { RunSummary } from '../../../core/ledger/ledger-store.ts';
import type { SliceState } from '../../../core/ledger/slice-states.ts';
import type { SilentLedger } from '../../../core/view/home/connection-node.ts';

interface AnsweredLedger {
  readonly kind: 'known';
  readonly states: readonly SliceState[];
  readonly runs: readonly RunSummary[];
}

/** What the side bar knows of the ledger of one connection. */
export type ConnectionLedger = { readonly connection: string } & (SilentLedger | AnsweredLedger);

/** The last answers of a folder's ledgers, by connection: they stand until there are newer ones. */
export interface LedgerAnswers {
  of(connection: string): ConnectionLedger | undefined;
  /** Whether the last answer was that a password is missing or wrong. */
  isLocked(connection: string): boolean;
  /**
   * A question begins, and what it is answered is put down. `isAloud`: a person is there to be asked for the password.
   * Then the answer is newer than any that came while they typed.
   */
  question(connection: string, isAloud: boolean): (answer: ConnectionLedger) => void;
  /** What stands, and what is still asked, was said of another server: this connection has other settings now. */
  forget(connection: string): void;
}

export function ledgerAnswers(): LedgerAnswers {
  const found = new Map<string, ConnectionLedger>();
  /** Of each connection, the number of the question whose answer stands. */
  const answered = new Map<string, number>();
  let questions = 0;
  const isLocked = (connection: string): boolean => asksForPassword(found.get(connection));
  return {
    of: (connection) => found.get(connection),
    isLocked,
    question(connection, isAloud) {
      const begun = ++questions;
      return (answer) => {
        const number = isAloud ? ++questions : begun;
        if (number < (answered.get(connection) ?? 0)) return;
        // That a password was wrong is more than a question without anybody to ask can tell: that one is wanted.
        if (!isAloud && asksForPassword(answer) && isLocked(connection)) return;
        answered.set(connection, number);
        found.set(connection, answer);
      };
    },
    forget(connection) {
      answered.set(connection, ++questions);
      found.delete(connection);
    },
  };
}

const asksForPassword = (ledger: ConnectionLedger | undefined): boolean =>
  ledger?.kind === 'silent' && ledger.wantsPassword;
