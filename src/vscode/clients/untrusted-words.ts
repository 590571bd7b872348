/** Why nothing runs in a workspace that its owner does not trust. */
export const untrustedWords = 'This workspace is not trusted: it is read and checked, nothing is run.';
