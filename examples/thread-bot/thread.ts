import { type CallAnswer, type Client, runTools, type StreamedEvent } from '@chatd/client';
import { EditedMessage } from './edited-message.ts';
import type { Slack } from './slack.ts';
import { tools } from './tools.ts';

type Chat = CallAnswer<'getChat'>;
type Message = Extract<StreamedEvent, { type: 'message' }>['message'];

/** The bot has no database. It stores its state in the labels of the chat. */
export const LABEL = {
  /** `slack` for chats of this bot. */
  source: 'source',
  /** CHANNEL/TS of the thread. */
  thread: 'slack-thread',
  /** Id of the last message posted to Slack. */
  shown: 'slack-shown',
  /** MESSAGE/TS: the user message being answered, and the Slack message with the answer. */
  reply: 'slack-reply',
} as const;

/** Shows a chat in its thread until the chat is idle. Each user message gets one Slack message, edited while the model writes. */
export class Thread {
  readonly #client: Client;
  readonly #slack: Slack;
  readonly #chatId: string;
  #labels: Record<string, string>;
  #question = 0;
  #last: number;
  #message: EditedMessage | undefined;
  /** Committed text, and the preview. */
  #committed = '';
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

  /** Returns true when the turn has ended. */
  async #take(event: StreamedEvent): Promise<boolean> {
    if (event.type === 'message') await this.#takeMessage(event.message);
    else if (event.type === 'message_part' && event.role === 'assistant') {
      this.#live += textOf([event.part]);
    } else if (event.type === 'preview_reset') this.#live = '';
    else if (event.type === 'history_reset') this.#committed = this.#live = '';
    else if (event.type === 'error') this.#committed += `\n:warning: ${event.error.message}`;
    else if (event.type === 'action_required' && event.tool_calls.some(needsPerson)) {
      this.#committed += `\n_Waiting for an approval or an answer:_ ${this.#client.url}/chats/${this.#chatId}\n`;
    }
    this.#message?.show(`${this.#committed}${this.#live}`.trim() || '…');
    const over = event.type === 'error' || (event.type === 'status' && event.status === 'waiting');
    if (over) await this.#end();
    return over;
  }

  async #takeMessage({ id, role, content }: Message): Promise<void> {
    if (role === 'user') await this.#begin(id);
    if (role === 'assistant') this.#committed += textOf(content);
    this.#live = '';
    this.#last = Math.max(this.#last, id);
  }

  /** If an earlier process began to answer this message, its Slack message is reused. */
  async #begin(question: number): Promise<void> {
    await this.#message?.done();
    const [channel = '', threadTs = ''] = (this.#labels[LABEL.thread] ?? '').split('/');
    const [known, ts] = (this.#labels[LABEL.reply] ?? '').split('/');
    this.#question = question;
    this.#committed = '';
    this.#message = new EditedMessage({
      slack: this.#slack,
      thread: { channel, ts: threadTs },
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

const needsPerson = ({ kind }: { readonly kind: string }) => kind !== 'dynamic';

function textOf(parts: readonly { readonly type: string; readonly text?: string }[]): string {
  return parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
}
