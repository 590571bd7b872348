/** Asked-for cancellation, once and for good. A structural part of AbortSignal, so that core needs no DOM types. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener(type: 'abort', listener: () => void, options?: { once?: boolean }): void;
  removeEventListener(type: 'abort', listener: () => void): void;
}
