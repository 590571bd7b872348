import { scheduledCode } from '../warehouse/dialects/postgres/ledger/slice-functions-sql.ts';

/** Whether its scheduler made a version, with code and inputs that nobody recorded. */
export const byScheduler = ({ codeHash }: { readonly codeHash: string }): boolean => codeHash === scheduledCode;
