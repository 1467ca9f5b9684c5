import { client } from '../api/client.ts';

interface LiveStreamOptions {
  readonly chatId: string;
  /** The number of newest messages to start with. */
  readonly tail: number;
  readonly onEvent: (event: unknown) => void;
  /** The stream has ended, and a retry does not help. */
  readonly onEnd: (reason: unknown) => void;
}

/** Events of a chat over HTTP, for pages that authenticate with a token. */
export class LiveStream {
  readonly #closing = new AbortController();

  constructor(options: LiveStreamOptions) {
    void this.#follow(options);
  }

  close(): void {
    this.#closing.abort();
  }

  async #follow({ chatId, tail, onEvent, onEnd }: LiveStreamOptions): Promise<void> {
    const { signal } = this.#closing;
    try {
      for await (const event of client.chats.stream(chatId, { tail, signal })) onEvent(event);
    } catch (error) {
      if (!signal.aborted) onEnd(error);
    }
  }
}
