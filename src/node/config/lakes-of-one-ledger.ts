import type { Config } from './config.ts';

/**
 * Lakes whose ledger another lake has as well, each with that one. A ledger knows tables by their names, so that those of two lakes
 * would share claims, figures and what is kept as before. Several names of one address are one lake.
 */
export function lakesOfOneLedger(connections: Config['connections']): readonly (readonly [string, string])[] {
  const first = new Map<string, { readonly name: string; readonly address: string | undefined }>();
  const found: (readonly [string, string])[] = [];
  for (const { name, engine, ledger, url } of connections.values()) {
    if (engine !== 'spark' || ledger === undefined) continue;
    const other = first.get(ledger);
    if (other === undefined) first.set(ledger, { name, address: url?.source });
    else if (other.address !== url?.source) found.push([name, other.name]);
  }
  return found;
}
