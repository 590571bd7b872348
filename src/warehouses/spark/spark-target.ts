/** Where a lake and its ledger are, for the eye. */
export const sparkTarget = (url: string, ledger: string): string =>
  `spark ${url.replace(/\/?;.*$/, '')}, ledger ${ledger}`;
