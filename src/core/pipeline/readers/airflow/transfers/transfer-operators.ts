import { amazonTransfers } from './amazon-transfers.ts';
import { databaseTransfers } from './database-transfers.ts';
import { googleTransfers } from './google-transfers.ts';
import { hiveTransfers } from './hive-transfers.ts';
import type { TransferOperator } from './transfer-operator.ts';

const families: readonly Readonly<Record<string, TransferOperator>>[] = [
  amazonTransfers,
  databaseTransfers,
  googleTransfers,
  hiveTransfers,
];

/** Operators and sensors whose arguments name the tables that they touch, by class name. */
export const transferOperators: ReadonlyMap<string, TransferOperator> = new Map(families.flatMap(Object.entries));
