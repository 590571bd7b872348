import type { Span } from '../../text/span.ts';

/** Thrown inside the renderer where a result would not be certain; `renderTemplate` turns it into data. */
export class Refusal extends Error {
  /** The tag that asked for it, once known. */
  at: Span | undefined;

  constructor(reason: string, at?: Span) {
    super(reason);
    this.at = at;
  }
}

/** Ends the rendering with a reason that a person can act on. */
export function refuse(reason: string, at?: Span): never {
  throw new Refusal(reason, at);
}
