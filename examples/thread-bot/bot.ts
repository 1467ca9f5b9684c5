import { ChatdProblem, type Client, dynamicTools } from '@chatd/client';
import type { Slack } from './slack.ts';
import { LABEL, Thread } from './thread.ts';
import { tools } from './tools.ts';

/** The fields of a Slack event that the bot uses. */
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

/** Maps each Slack thread to a chat. */
export class Bot {
  readonly #client: Client;
  readonly #slack: Slack;
  readonly #stopping = new AbortController();
  /** Active threads by chat id. */
  readonly #shown = new Map<string, Promise<void>>();
  /** Events are accepted one at a time per thread, so that a new thread gets only one chat. */
  readonly #accepting = new Map<string, Promise<void>>();

  constructor(client: Client, slack: Slack) {
    this.#client = client;
    this.#slack = slack;
  }

  /** Resumes the chats that an earlier process left unfinished. */
  async resume(): Promise<void> {
    for await (const chat of this.#client.chats.each({ label: `${LABEL.source}:slack` })) {
      if (chat.status !== 'waiting' || chat.has_unread) this.#show(chat.id);
    }
  }

  /** Resolves when the message is committed; acknowledge the event to Slack only then. */
  async accept(delivery: Delivery): Promise<void> {
    const { event } = delivery;
    const isForUs = event.type === 'app_mention' || event.channel_type === 'im';
    // Slack also delivers the bot's own messages.
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
    // A redelivered event repeats the same request, which chatd performs once.
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
      // The first delivery of this event created the chat.
      if (!(error instanceof ChatdProblem) || error.code !== 'idempotency_key_reused') throw error;
    });
    this.#show(known.id);
  }

  /** One view per chat at a time. A message to an idle chat opens a new view. */
  #show(chatId: string): void {
    const { signal } = this.#stopping;
    const before = this.#shown.get(chatId) ?? Promise.resolve();
    const shown = before
      .then(() => this.#client.chats.get(chatId))
      .then((chat) => new Thread(this.#client, this.#slack, chat).follow(signal))
      .catch((error: unknown) => {
        if (!signal.aborted) console.error(`Showing chat ${chatId} failed:`, error);
      })
      .finally(() => {
        if (this.#shown.get(chatId) === shown) this.#shown.delete(chatId);
      });
    this.#shown.set(chatId, shown);
  }
}
