import type { LedgerStore } from '../../core/ledger/ledger-store.ts';
import { sqlLedgerStore } from '../../core/ledger/sql-ledger-store.ts';
import { relationalExecutor } from '../../core/run/relational/relational-executor.ts';
import { resumeRun } from '../../core/run/resume-run.ts';
import { decodeRunDocument } from '../../core/run/run-document.ts';
import type { RunEvent } from '../../core/run/run-event.ts';
import { type RunPorts, runPlan } from '../../core/run/run-plan.ts';
import type { RunResult } from '../../core/run/run-result.ts';
import type { ConnectionConfig } from '../../core/warehouse/connection-config.ts';
import type { Warehouse } from '../../core/warehouse/ports.ts';
import { WarehouseError } from '../../core/warehouse/warehouse-error.ts';
import { systemClock } from '../../node/system-clock.ts';
import { openWarehouse } from '../../warehouses/open.ts';
import type { RunAnswer, RunApi } from './run-api.ts';

/** The run thread's functions. Each call opens the database and closes it again: nothing is held between runs. */
export function createRunApi(onEvent: (event: RunEvent) => void): RunApi {
  let cancelling: AbortController | undefined;

  const runOn = (
    connection: ConnectionConfig,
    createdBy: string,
    work: (ports: RunPorts & { readonly ledger: LedgerStore }) => Promise<RunResult>,
  ): Promise<RunAnswer> =>
    withLedger(connection, async (ledger, warehouse) => {
      cancelling = new AbortController();
      const env = { clock: systemClock, owner: createdBy };
      const ports = {
        executor: relationalExecutor(warehouse, env),
        ledger,
        clock: systemClock,
        signal: cancelling.signal,
        onEvent,
      };
      return { kind: 'ended' as const, result: await work(ports) };
    });

  return {
    start: ({ connection, mode, run, title, createdBy, document }) => {
      const decoded = decodeRunDocument(document);
      if (!decoded.ok) throw new Error(decoded.reason);
      const prepared = { run, title, createdBy, ...decoded.value };
      return runOn(connection, createdBy, (ports) =>
        runPlan(prepared, mode === 'preview' ? { ...ports, ledger: undefined } : ports),
      );
    },
    resume: ({ connection, run, createdBy, codeHashes }) =>
      runOn(connection, createdBy, (ports) =>
        resumeRun({ run, codeHashes: new Map(codeHashes), acceptHeld: false }, ports),
      ),
    async cancel() {
      cancelling?.abort();
    },
    history: ({ connection, limit }) =>
      withLedger(connection, async (ledger) => ({ runs: await ledger.listRuns(limit) })),
    stored: ({ connection, run }) =>
      withLedger(connection, async (ledger) => {
        const stored = await ledger.loadRun(run);
        if (stored === undefined) throw new Error(`there is no run ${run} in this database's ledger`);
        return { document: stored.document, title: stored.title, units: await ledger.units(run) };
      }),
  };
}

/** SQLSTATE of a password that is wrong or missing. */
const wrongPassword = '28P01';

/** What the world says (no server, a wrong password, no rights) is an answer; anything else is a bug and throws. */
async function withLedger<T>(
  connection: ConnectionConfig,
  work: (ledger: LedgerStore, warehouse: Warehouse) => Promise<T>,
): Promise<T | Extract<RunAnswer, { kind: 'world' }>> {
  try {
    const warehouse = await openWarehouse(connection);
    try {
      const ledger = sqlLedgerStore(warehouse);
      try {
        return await work(ledger, warehouse);
      } finally {
        await ledger.close();
      }
    } finally {
      await warehouse.close();
    }
  } catch (error) {
    if (!(error instanceof WarehouseError)) throw error;
    const { detail, kind, message } = error;
    const refused = detail.sqlState === wrongPassword ? 'password' : kind;
    return { kind: 'world', error: refused, message, remedy: detail.hint };
  }
}
