/** Rows as the driver gives them: every value as text (or null), so that nothing is rounded on the way. */
export interface ResultSet {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | null)[])[];
  /** Rows affected, where the engine says so. */
  readonly rowCount: number | undefined;
}

/** One connection with at most one transaction. One statement per call, over the extended protocol. */
export interface Session {
  /** Throws {@link WarehouseError}. Values are bound as text; the engine decides their types. */
  query(text: string, values?: readonly (string | null)[]): Promise<ResultSet>;
  /** Asks the server to stop the running statement; `confirmed` once the server said so. Harmless when idle. */
  cancel(): Promise<{ readonly confirmed: boolean }>;
  /** Never throws; a broken connection closes too. */
  close(): Promise<void>;
  /** Its end on a server; none where the engine runs in this process. */
  readonly backend?: Backend | undefined;
}

/** The server process behind a session. */
export interface Backend {
  readonly process: number;
  /** The process is gone and the network does not say so: what runs on the session fails as on a broken connection. */
  giveUp(): void;
}

export interface WarehouseDescription {
  readonly engine: 'postgres' | 'pglite';
  readonly serverVersion: string;
  /** What is shown wherever this target is named: never a secret. */
  readonly target: string;
  readonly protected: boolean;
}

/** A database that the product can run units on. Opened by `warehouses/open.ts`, lazily. */
export interface Warehouse {
  readonly description: WarehouseDescription;
  /** 1 for an engine with a single session. */
  readonly maxSessions: number;
  /** Leases live in the ledger (`server`), or the engine itself is held exclusively by this process (`exclusive`). */
  readonly leases: 'server' | 'exclusive';
  connect(purpose: 'unit' | 'heartbeat' | 'ledger'): Promise<Session>;
  close(): Promise<void>;
  /** Set where the connection is a lake's: this database then has the claims, fences and records of its units only. */
  readonly lake?: Lake | undefined;
  /** By the names of their connections, lakes whose units have their claims and records here; the connection's own one too. */
  readonly lakes?: ReadonlyMap<string, LakeBeside> | undefined;
}

/** A lake that is reached when a unit asks for it. */
export interface LakeBeside {
  /** The same one each time. Throws {@link WarehouseError}. */
  open(): Promise<Lake>;
}

/** An engine whose tables are files: no transactions and no locks. What keeps its units apart is in the warehouse that it hangs on. */
export interface Lake {
  readonly serverVersion: string;
  /**
   * A session of its own, whose statements take no bound values: for statements of ours, or as the server gives it for those of a
   * task, whose settings and temporary views are not shared.
   */
  connect(purpose: 'own' | 'task'): Promise<Session>;
}
