import type { Call, Interpreter, Value } from '../../python/values/value.ts';
import { opaqueQuery } from './frames/frame-query.ts';
import { tableWriter, writerFor } from './frames/writer.ts';
import { readerValue } from './sources/reader.ts';
import { session } from './sources/session.ts';

const writing =
  /^(?:mode|format|option|options|partitionBy|bucketBy|sortBy|saveAsTable|insertInto|jdbc|save|parquet|orc)$/;

/** `spark` by its name, where nobody knows what it is: an argument, a name that a notebook has by itself. */
const namedSession = /(?:^|\.)_?spark(?:_?session)?(?:\.read)?\.\w+$/i;

/** Calls of a session or a frame that came from somewhere else. */
export function foreignSparkCall(name: string, call: Call, self: Value, run: Interpreter): Value | undefined {
  if (self.kind === 'bound-method' && self.name === 'write' && writing.test(name))
    return send(writerFor(rows(call, run)), name, call, run);
  if (name === 'writeTo' && self.kind !== 'host') return tableWriter(rows(call, run), call);
  if (!namedSession.test(call.callee)) return undefined;
  if (self.kind === 'bound-method' && self.name === 'read') return send(readerValue(false), name, call, run);
  return self.kind === 'unknown' && (name === 'sql' || name === 'table') ? send(session, name, call, run) : undefined;
}

const rows = (call: Call, run: Interpreter) => opaqueQuery('what the frame holds is not known', call.at, run);

function send(receiver: Value, name: string, call: Call, run: Interpreter): Value | undefined {
  const method = receiver.kind === 'host' ? receiver.host.attribute?.(name, call.at, run) : undefined;
  return method?.kind === 'host' ? method.host.call?.(call, run) : undefined;
}
