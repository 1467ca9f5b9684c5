import { type CallAnswer, type Client, runTools, type StreamedEvent } from '@chatd/client';
import { EditedMessage } from './edited-message.ts';
import type { Slack } from './slack.ts';
import { tools } from './tools.ts';

type Chat = CallAnswer<'getChat'>;
type Message = Extract<StreamedEvent, { type: 'message' }>['message'];

/** What the bot keeps, it keeps in the labels of the chat: it has no database of its own. */
export const LABEL = {
  /** `slack`: which chats are the bot's. */
  source: 'source',
  /** CHANNEL/TS of the thread. */
  thread: 'slack-thread',
  /** The last message of the chat that Slack has. */
  shown: 'slack-shown',
  /** MESSAGE/TS: the question that is being answered, and the message of Slack that grows. */
  reply: 'slack-reply',
} as const;

/** Shows a chat in its thread until it rests: every question of the thread gets one message, which grows. */
export class Thread {
  readonly #client: Client;
  readonly #slack: Slack;
  readonly #chatId: string;
  #labels: Record<string, string>;
  #question = 0;
  #last: number;
  #message: EditedMessage | undefined;
  /** What was committed, and what is being said. */
  #said = '';
  #live = '';

  constructor(client: Client, slack: Slack, chat: Chat) {
    this.#client = client;
    this.#slack = slack;
    this.#chatId = chat.id;
    this.#labels = { ...chat.labels };
    this.#last = Number(chat.labels[LABEL.shown] ?? 0);
  }

  async follow(signal: AbortSignal): Promise<void> {
    const serving = runTools(this.#client, this.#chatId, tools, { signal });
    try {
      const events = this.#client.chats.stream(this.#chatId, {
        afterId: this.#last || undefined,
        signal,
      });
      for await (const event of events) if (await this.#take(event)) break;
    } finally {
      await serving.stop();
    }
  }

  /** True when there is nothing more to come. */
  async #take(event: StreamedEvent): Promise<boolean> {
    if (event.type === 'message') await this.#takeMessage(event.message);
    else if (event.type === 'message_part' && event.role === 'assistant') {
      this.#live += textOf([event.part]);
    } else if (event.type === 'preview_reset') this.#live = '';
    else if (event.type === 'history_reset') this.#said = this.#live = '';
    else if (event.type === 'error') this.#said += `\n:warning: ${event.error.message}`;
    else if (event.type === 'action_required' && event.tool_calls.some(isForSomebody)) {
      this.#said += `\n_It waits for somebody:_ ${this.#client.url}/chats/${this.#chatId}\n`;
    }
    this.#message?.show(`${this.#said}${this.#live}`.trim() || '…');
    const over = event.type === 'error' || (event.type === 'status' && event.status === 'waiting');
    if (over) await this.#end();
    return over;
  }

  async #takeMessage({ id, role, content }: Message): Promise<void> {
    if (role === 'user') await this.#begin(id);
    if (role === 'assistant') this.#said += textOf(content);
    this.#live = '';
    this.#last = Math.max(this.#last, id);
  }

  /** A question: the one that a bot before this one had begun to answer has its message already. */
  async #begin(question: number): Promise<void> {
    await this.#message?.done();
    const [channel = '', thread = ''] = (this.#labels[LABEL.thread] ?? '').split('/');
    const [known, ts] = (this.#labels[LABEL.reply] ?? '').split('/');
    this.#question = question;
    this.#said = '';
    this.#message = new EditedMessage({
      slack: this.#slack,
      place: { channel, thread },
      id: known === String(question) ? ts : undefined,
      onPosted: (id) => this.#note({ [LABEL.reply]: `${this.#question}/${id}` }),
    });
  }

  async #end(): Promise<void> {
    await this.#message?.done();
    await this.#note({ [LABEL.shown]: String(this.#last) });
    if (this.#last > 0) await this.#client.chats.markRead(this.#chatId, { message_id: this.#last });
  }

  async #note(labels: Record<string, string>): Promise<void> {
    this.#labels = { ...this.#labels, ...labels };
    await this.#client.chats.update(this.#chatId, { labels: this.#labels });
  }
}

const isForSomebody = ({ kind }: { readonly kind: string }) => kind !== 'dynamic';

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
