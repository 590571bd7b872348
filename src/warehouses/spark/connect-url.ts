import { WarehouseError } from '../../core/warehouse/port/warehouse-error.ts';

/** Where a Spark Connect server listens, and as whom it is spoken to. */
export interface ConnectAddress {
  /** `host:port`. */
  readonly authority: string;
  readonly tls: boolean;
  readonly user: string | undefined;
}

const defaultPort = 15_002;

/**
 * A connection string of Spark Connect, `sc://host:port/;use_ssl=true;user_id=anna`. A token in it is refused: it has a place of its
 * own, where it does not stand in a file. Throws {@link WarehouseError}.
 */
export function parseConnectUrl(url: string): ConnectAddress {
  const match = /^sc:\/\/(?<host>\[[0-9a-f:.]+\]|[^:/;[\]\s]+)(?::(?<port>\d+))?(?:\/;?(?<parameters>[^/]*))?$/i.exec(
    url.trim(),
  );
  const { host, port = String(defaultPort), parameters = '' } = match?.groups ?? {};
  if (host === undefined) throw badUrl(`${url} is no address of Spark Connect`);
  if (Number(port) < 1 || Number(port) > 65_535)
    throw badUrl(`the port ${port} of ${url} is not a number from 1 to 65535`);
  const known = new Map<string, string>();
  for (const entry of parameters.split(';').filter((text) => text !== '')) {
    const [name = '', value] = entry.split(/=(.*)/s);
    if (name === 'token')
      throw badUrl(
        'the address holds a token',
        'Write it under token of the connection, where it names an environment variable.',
      );
    if (value === undefined || !['use_ssl', 'user_id', 'user_agent'].includes(name))
      throw badUrl(`the parameter ${name} of ${host}:${port} is not known here`);
    known.set(name, decodeURIComponent(value));
  }
  return { authority: `${host}:${port}`, tls: known.get('use_ssl') === 'true', user: known.get('user_id') };
}

const badUrl = (message: string, hint = 'Write it like sc://spark.example.com:15002 or sc://host:443/;use_ssl=true.') =>
  new WarehouseError('other', `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, false, { hint });
