// The thread that holds the embedded engine. Plain JavaScript, because Node starts it as it is when run from source.
import { parentPort, workerData } from 'node:worker_threads';
import { PGlite, protocol } from '@electric-sql/pglite';

const { serialize } = protocol;

/**
 * One statement over the extended protocol, in one call of the engine: the driver's own `query` makes five. Values are
 * text both ways, and the engine says whether a transaction is open.
 */
async function run(db, text, values) {
  const message = Buffer.concat([
    serialize.parse({ text }),
    serialize.bind({ values }),
    serialize.describe({ type: 'P' }),
    serialize.execute({}),
    serialize.sync(),
  ]);
  const { messages } = await db.execProtocol(message, { throwOnError: false });
  const reply = { columns: [], rows: [], rowCount: undefined, inTransaction: false, error: undefined };
  for (const part of messages) {
    if (part.name === 'rowDescription') reply.columns = part.fields.map((field) => field.name);
    else if (part.name === 'dataRow') reply.rows.push(part.fields);
    else if (part.name === 'commandComplete') reply.rowCount = countOf(part.text);
    else if (part.name === 'readyForQuery') reply.inTransaction = part.status !== 'I';
    else if (part.name === 'error') reply.error ??= describe(part);
  }
  return reply;
}

/** `INSERT 0 5`, `DELETE 3`: the last number of the command's tag. */
function countOf(tag) {
  const count = /(\d+)$/.exec(tag)?.[1];
  return count === undefined ? undefined : Number(count);
}

function describe(error) {
  const { message, code, detail, hint, position } = error ?? {};
  return { message: String(message ?? error), code, detail, hint, position };
}

try {
  const db = await PGlite.create(workerData.directory);
  const { rows } = await run(db, 'show server_version', []);
  parentPort.on('message', async ({ id, text, values }) => {
    try {
      if (text === undefined) await db.close();
      parentPort.postMessage({ id, reply: text === undefined ? undefined : await run(db, text, values) });
    } catch (error) {
      parentPort.postMessage({ id, broken: describe(error) });
    }
  });
  parentPort.postMessage({ ready: rows[0][0] });
} catch (error) {
  parentPort.postMessage({ failed: describe(error) });
}
