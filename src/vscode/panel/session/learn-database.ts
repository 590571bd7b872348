import type { SessionServices } from '../facts/session-services.ts';

/** A plan does not wait longer for its database than this. */
const patienceMs = 5000;

/**
 * Lets the workspace know what the database of a plan has beside the files: views and functions. Nobody is asked for a
 * password, and an embedded database, which serves one process, is left alone. Why it could not be asked, or `undefined`.
 */
export async function learnDatabase(
  { client, connections, startRunThread }: Pick<SessionServices, 'client' | 'connections' | 'startRunThread'>,
  name: string | undefined,
): Promise<string | undefined> {
  const connection = name === undefined ? undefined : await connections.resolve(client, name);
  if (name === undefined || connection === undefined || 'problem' in connection || connection.engine === 'pglite') {
    await client.call('learn', { database: undefined });
    return undefined;
  }
  const named = await client.call('named', { connection: name });
  const thread = startRunThread(ignore, ignore);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<{ readonly message: string }>((resolve) => {
    timer = setTimeout(() => resolve({ message: 'it did not answer in time' }), patienceMs);
  });
  try {
    const answer = await Promise.race([thread.call('definitions', { connection, named }), late]);
    const database = 'database' in answer ? answer.database : undefined;
    await client.call('learn', { database });
    return 'message' in answer ? answer.message : undefined;
  } catch (error) {
    await client.call('learn', { database: undefined });
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
    await thread.stop();
  }
}

const ignore = (): void => {};
