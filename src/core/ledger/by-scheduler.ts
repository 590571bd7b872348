import { scheduledCode } from '../warehouse/dialects/postgres/ledger/slice-functions-sql.ts';

/** Whether a version was made elsewhere, by its scheduler or as somebody told, with code and inputs that nobody recorded. */
export const byScheduler = ({ codeHash }: { readonly codeHash: string }): boolean => codeHash === scheduledCode;
