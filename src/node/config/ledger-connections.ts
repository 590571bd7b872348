import type { Config, ConnectionSpec } from './config.ts';

/**
 * Names of the connections that have a ledger of their own, the default one first. Where previews go in place of another
 * is a copy, whose ledger knows what the other one knew when it was made; of two names of one database one is enough.
 */
export function ledgerConnections({ connections, defaultConnection }: Config): readonly string[] {
  // The ledger of a lake is that of a database, or a file that the command line opens.
  const specs = [...connections.values()].filter(({ engine }) => engine !== 'spark');
  const copies = new Set(specs.map(({ preview }) => preview));
  const isFirst = ({ name }: ConnectionSpec): boolean => name === defaultConnection;
  const known = new Set<string>();
  return [...specs.filter(isFirst), ...specs.filter((spec) => !isFirst(spec) && !copies.has(spec.name))].flatMap(
    (spec) => {
      const database = databaseOf(spec);
      if (known.has(database)) return [];
      known.add(database);
      return [spec.name];
    },
  );
}

/** Equal for connections that are written alike, whoever comes and however. */
const databaseOf = ({ engine, host, port, database, service, directory }: ConnectionSpec): string =>
  JSON.stringify([engine, ...[host, port, database, service, directory].map((text) => text?.source ?? null)]);
