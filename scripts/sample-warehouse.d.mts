export function loadSampleTables(execute: (script: string) => Promise<unknown>): Promise<void>;
export function loadSampleWarehouse(workspace: string): Promise<void>;
