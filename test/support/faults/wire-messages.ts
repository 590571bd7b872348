/** A message of PostgreSQL's wire protocol; `type` is empty for the one that begins a connection. */
export interface Message {
  readonly type: string;
  readonly body: Buffer;
}

export interface Group {
  readonly messages: readonly Message[];
  /** The same as it came. */
  readonly chunk: Buffer;
}

/** Ends what belongs together: a client's Sync or simple query, a server's ReadyForQuery. */
const ends = { client: new Set(['S', 'Q', 'X', 'p', '']), server: new Set(['Z', 'R', 'E']) } as const;

/**
 * Puts the bytes of one side together to groups of messages. A server's error ends a group as well: after a fatal one
 * nothing more comes.
 */
export function messageReader(side: 'client' | 'server'): (chunk: Buffer) => readonly Group[] {
  let rest: Buffer = Buffer.alloc(0);
  let begun = side === 'server';
  let open: { messages: Message[]; chunks: Buffer[] } = { messages: [], chunks: [] };
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    const groups: Group[] = [];
    for (;;) {
      const head = begun ? 1 : 0;
      if (rest.length < head + 4) return groups;
      const size = head + rest.readInt32BE(head);
      if (rest.length < size) return groups;
      const type = begun ? String.fromCharCode(rest[0] as number) : '';
      open.messages.push({ type, body: rest.subarray(head + 4, size) });
      open.chunks.push(rest.subarray(0, size));
      rest = rest.subarray(size);
      begun = true;
      if (!ends[side].has(type)) continue;
      groups.push({ messages: open.messages, chunk: Buffer.concat(open.chunks) });
      open = { messages: [], chunks: [] };
    }
  };
}
