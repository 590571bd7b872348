import type { AssistantEvent, NumberedRequest } from '../src/protocol/assistant-messages.ts';
import type { Request } from '../src/protocol/assistant-state.ts';

declare function acquireVsCodeApi(): {
  postMessage(message: NumberedRequest): void;
  setState(state: unknown): void;
};

/** The page's end of the channel. Each request is answered by the host; a refused one rejects with its message. */
export interface HostChannel {
  ask(request: Request): Promise<void>;
  /** Kept by VS Code across reloads and handed to the serializer, so that the host knows what to restore. */
  remember(page: { readonly task: string; readonly folder: string }): void;
}

/** What arrives besides answers. */
export type AssistantNews = Exclude<AssistantEvent, { type: 'answer' }>;

export function openHostChannel(onEvent: (event: AssistantNews) => void): HostChannel {
  const api = acquireVsCodeApi();
  const open = new Map<number, { resolve: () => void; reject: (error: Error) => void }>();
  let last = 0;
  window.addEventListener('message', (message: MessageEvent<AssistantEvent>) => {
    const event = message.data;
    if (event.type !== 'answer') {
      onEvent(event);
      return;
    }
    const asked = open.get(event.id);
    open.delete(event.id);
    if (event.error === undefined) asked?.resolve();
    else asked?.reject(new Error(event.error));
  });
  return {
    ask(request) {
      const id = ++last;
      return new Promise((resolve, reject) => {
        open.set(id, { resolve, reject });
        api.postMessage({ id, request });
      });
    },
    remember({ task, folder }) {
      api.setState({ task, folder });
    },
  };
}
