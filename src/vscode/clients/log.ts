/** The extension's log channel, as much of it as its parts need. No secret and no row ever goes in. */
export interface Log {
  info(message: string): void;
  error(message: string): void;
  show(): void;
}
