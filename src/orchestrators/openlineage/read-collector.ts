import { lineageReader, type TaskLineage } from '../../core/run/observed/lineage-events.ts';
import type { LineageCollector } from '../../core/scheduler/port/scheduler-config.ts';

const pageSize = 500;
/** The newest events say what a task writes now; a collector of years holds millions. */
const mostEvents = 20_000;
const timeoutMs = 30_000;

/**
 * What the events of a collector say of a task, by the API of Marquez: `GET /api/v1/events/lineage`, the newest first. Throws where
 * it does not answer as such. Its token goes to its own address and nowhere else.
 */
export async function readCollector(collector: LineageCollector, dag: string, task: string): Promise<TaskLineage> {
  const reader = lineageReader(dag, task);
  for (let offset = 0; ; offset += pageSize) {
    const { events, total } = await page(collector, offset);
    for (const event of events) reader.event(event);
    const read = offset + events.length;
    if (events.length < pageSize || read >= total) return reader.end();
    if (read >= mostEvents) return reader.end(Math.max(0, total - read));
  }
}

async function page(
  { url, token }: LineageCollector,
  offset: number,
): Promise<{ readonly events: readonly unknown[]; readonly total: number }> {
  const headers = { accept: 'application/json', ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  const signal = AbortSignal.timeout(timeoutMs);
  const asked = `${url}/api/v1/events/lineage?limit=${pageSize}&offset=${offset}&sortDirection=desc`;
  // A redirect would carry the token to wherever it leads.
  const answer = await fetch(asked, { headers, signal, redirect: 'manual' }).catch((error: unknown) => {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    const { code, message } = cause as { readonly code?: unknown; readonly message?: unknown };
    throw new Error(`it cannot be reached: ${String(code ?? message ?? cause)}`);
  });
  if (answer.status !== 200) {
    const who = answer.status === 401 || answer.status === 403 ? ': it wants another eventsToken' : '';
    throw new Error(`it answers GET /api/v1/events/lineage with ${answer.status}${who}`);
  }
  const body = (await answer.json().catch(() => undefined)) as
    | { readonly events?: unknown; readonly totalCount?: unknown }
    | undefined;
  if (!Array.isArray(body?.events)) throw new Error('what it answers is no list of events: is it a Marquez?');
  const { events, totalCount } = body;
  return { events, total: typeof totalCount === 'number' ? totalCount : Number.POSITIVE_INFINITY };
}
