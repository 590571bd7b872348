import type { Session } from '../../warehouse/port/ports.ts';
import { lookAtSessions } from './look-at-sessions.ts';
import type { Watch } from './watch.ts';

/**
 * Who was connected and did something since a watch was taken, from looks at the sessions that are there. Short ones are missed
 * between two looks: how many, the server's own count of sessions tells.
 */
export class SeenClients {
  readonly #clients = new Set<string>();
  /** All that were seen, when each began; those of ours too, which write to the ledger only. */
  readonly #began = new Map<string, number>();
  #present: ReadonlySet<string> = new Set();
  #isSomebodyThere = false;

  constructor(
    private readonly session: Session,
    private readonly watch: Watch,
  ) {}

  async look(): Promise<void> {
    const there = await lookAtSessions(this.session, this.watch.since);
    this.#present = new Set(there.map(({ id }) => id));
    this.#isSomebodyThere = there.some(({ active, ours }) => active && !ours);
    for (const { id, began, active, ours, who } of there) {
      this.#began.set(id, began);
      if (active && !ours) this.#clients.add(who);
    }
    for (const [id, who] of Object.entries(this.watch.present)) if (!this.#present.has(id)) this.#clients.add(who);
  }

  get clients(): readonly string[] {
    return [...this.#clients];
  }

  /** At the last look somebody was connected who had done something: what it did is counted late while it stays. */
  get isSomebodyThere(): boolean {
    return this.#isSomebodyThere;
  }

  /** Sessions that began since then and have gone: the server has surely counted them, which it does late while they are there. */
  get gone(): number {
    return [...this.#began].filter(([id, began]) => !this.#present.has(id) && began >= this.watch.counted).length;
  }
}
