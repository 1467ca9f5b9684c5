import type { ChatStreamOptions, Client, ConnectionState, StreamedEvent } from '../../src/index.ts';

/** A client that follows a chat and records its events. */
export class Viewer {
  readonly events: StreamedEvent[] = [];
  readonly states: ConnectionState[] = [];
  readonly ended: Promise<void>;
  readonly #stopping = new AbortController();
  readonly #waiting = new Set<() => void>();

  constructor(client: Client, chatId: string, options: ChatStreamOptions = {}) {
    const stream = client.chats.stream(chatId, {
      ...options,
      signal: this.#stopping.signal,
      onConnection: (state) => this.states.push(state),
    });
    this.ended = this.#follow(stream);
  }

  async #follow(stream: AsyncIterable<StreamedEvent>): Promise<void> {
    try {
      for await (const event of stream) {
        this.events.push(event);
        this.#look();
      }
    } finally {
      this.#look();
    }
  }

  #look(): void {
    for (const look of this.#waiting) look();
  }

  /** Resolves when the events so far satisfy the condition; rejects if the stream ends before. */
  async until(condition: (events: readonly StreamedEvent[]) => boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = () => {
      if (condition(this.events)) resolve();
    };
    this.#waiting.add(look);
    look();
    const early = this.ended.then(() => Promise.reject(new Error('the stream ended')));
    await Promise.race([promise, early]).finally(() => this.#waiting.delete(look));
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.ended;
  }
}

export const isStatus =
  (status: string) =>
  (events: readonly StreamedEvent[]): boolean => {
    const last = events.findLast((event) => event.type === 'status');
    return last?.type === 'status' && last.status === status;
  };

/** The live text since the last message. */
export function liveText(events: readonly StreamedEvent[]): string {
  let text = '';
  for (const event of events) {
    if (event.type === 'preview_reset' || event.type === 'message') text = '';
    if (event.type === 'message_part' && event.part.type === 'text') text += event.part.text;
  }
  return text;
}
