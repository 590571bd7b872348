/** A run of a ledger, as the side bar hands it to a command. */
export interface RunReference {
  /** Of its folder. */
  readonly uri: string;
  /** Task of its first unit, whose page shows it. */
  readonly task: string;
  readonly run: string;
  readonly connection: string;
}

export const isRunReference = (argument: unknown): argument is RunReference =>
  typeof argument === 'object' &&
  argument !== null &&
  (['uri', 'task', 'run', 'connection'] as const).every(
    (name) => typeof (argument as Record<string, unknown>)[name] === 'string',
  );
