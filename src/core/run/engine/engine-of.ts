import type { Warehouse } from '../../warehouse/port/ports.ts';
import { databaseEngine } from './database-engine.ts';
import { lakeEngine } from './lake-engine.ts';
import { mixedEngine } from './mixed-engine.ts';
import type { UnitEngine } from './unit-engine.ts';

/** One transaction a unit, where its tables are the database's own; partitions of files, where they are a lake's. */
export function engineOf(warehouse: Warehouse): UnitEngine {
  const { lake, lakes } = warehouse;
  const own = lake === undefined ? databaseEngine(warehouse) : lakeEngine(warehouse, async () => lake);
  return mixedEngine(warehouse, own, lakes ?? new Map());
}
