import type { NewConnection } from './add-connection.ts';

/** Writes a connection into the workspace's `backfill.yaml`, whole or not at all. Throws in words for a person. */
export declare function writeConnection(root: string, name: string, connection: NewConnection): void;
/** The name, or the name with the first number that nobody has. */
export declare function freeName(name: string, taken: Iterable<string>): string;
