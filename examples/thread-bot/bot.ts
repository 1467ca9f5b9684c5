import { ChatdProblem, type Client, dynamicTools } from '@chatd/client';
import type { Slack } from './slack.ts';
import { LABEL, Thread } from './thread.ts';
import { tools } from './tools.ts';

/** What Slack delivers, as much of it as matters here. */
export interface Delivery {
  readonly event_id: string;
  readonly event: {
    readonly type: string;
    readonly channel: string;
    readonly channel_type?: string;
    readonly text?: string;
    readonly ts: string;
    readonly thread_ts?: string;
    readonly bot_id?: string;
    readonly subtype?: string;
  };
}

/** One chat for each thread. */
export class Bot {
  readonly #client: Client;
  readonly #slack: Slack;
  readonly #stopping = new AbortController();
  /** Threads that are being shown, by chat. */
  readonly #shown = new Map<string, Promise<void>>();
  /** What is accepted, by thread: one after the other, so that a new thread gets one chat. */
  readonly #accepting = new Map<string, Promise<void>>();

  constructor(client: Client, slack: Slack) {
    this.#client = client;
    this.#slack = slack;
  }

  /** Goes on with what a bot before this one has left. */
  async resume(): Promise<void> {
    for await (const chat of this.#client.chats.each({ label: `${LABEL.source}:slack` })) {
      if (chat.status !== 'waiting' || chat.has_unread) this.#show(chat.id);
    }
  }

  /** Resolves when the message is committed: only then may Slack be told that it has arrived. */
  async accept(delivery: Delivery): Promise<void> {
    const { event } = delivery;
    const isForUs = event.type === 'app_mention' || event.channel_type === 'im';
    // Its own messages come back to it, too.
    if (!isForUs || event.bot_id !== undefined || event.subtype !== undefined) return;
    const thread = `${event.channel}/${event.thread_ts ?? event.ts}`;
    const before = this.#accepting.get(thread) ?? Promise.resolve();
    const accepted = before.catch(() => undefined).then(() => this.#send(thread, delivery));
    this.#accepting.set(thread, accepted);
    try {
      await accepted;
    } finally {
      if (this.#accepting.get(thread) === accepted) this.#accepting.delete(thread);
    }
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#shown.values());
  }

  async #send(thread: string, { event_id, event }: Delivery): Promise<void> {
    const content = (event.text ?? '').replaceAll(/<@\w+>/g, '').trim() || 'hello';
    // What Slack delivers again is the same request, and done once.
    const once = { idempotencyKey: event_id };
    const { chats } = await this.#client.chats.list({ label: `${LABEL.thread}:${thread}` });
    const [known] = chats;
    if (known === undefined) {
      const labels = { [LABEL.source]: 'slack', [LABEL.thread]: thread };
      const dynamic_tools = dynamicTools(tools);
      const made = await this.#client.chats.create({ content, labels, dynamic_tools }, once);
      this.#show(made.id);
      return;
    }
    await this.#client.chats.send(known.id, { content }, once).catch((error: unknown) => {
      // The first delivery of this event has made the chat.
      if (!(error instanceof ChatdProblem) || error.code !== 'idempotency_key_reused') throw error;
    });
    this.#show(known.id);
  }

  /** One view a chat; a message that comes while it rests opens another. */
  #show(chatId: string): void {
    const { signal } = this.#stopping;
    const before = this.#shown.get(chatId) ?? Promise.resolve();
    const shown = before
      .then(() => this.#client.chats.get(chatId))
      .then((chat) => new Thread(this.#client, this.#slack, chat).follow(signal))
      .catch((error: unknown) => {
        if (!signal.aborted) console.error(`the thread of chat ${chatId}:`, error);
      })
      .finally(() => {
        if (this.#shown.get(chatId) === shown) this.#shown.delete(chatId);
      });
    this.#shown.set(chatId, shown);
  }
}
