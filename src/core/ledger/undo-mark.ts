/** What stands in the ledger for the code of an undo, which has none of its own. */
export const undoMark = (run: string): string => `undo of ${run}`;

/** The run whose change was taken back; `undefined` for the hash of a task's code. */
export const undoneRun = (codeHash: string): string | undefined => /^undo of (.+)$/.exec(codeHash)?.[1];
