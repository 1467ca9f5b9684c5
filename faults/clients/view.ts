import {
  type AwaitedCall,
  type ChatEvent,
  type ChatStatus,
  type Message,
  type Part,
  QUEUE_LIMIT,
  type QueuedMessage,
} from '@chatd/protocol';

interface Preview {
  readonly episode: string;
  seq: number;
  text: string;
  /** The message that the parts became, or others after it, have come: only the reset is missing. */
  over: boolean;
}

/** What a client knows of a chat after the events it got, and what of them it should not have got. */
export class View {
  readonly messages: Message[] = [];
  /** Message ids, and when they came. */
  readonly seenAt = new Map<number, number>();
  /** Events that were repeated, out of order, or after a hole. */
  readonly wrong: string[] = [];
  status: ChatStatus | undefined;
  cursor: string | undefined;
  /** The error that was told with the status. */
  error: string | undefined;
  /** Calls that the chat waits for somebody to answer. */
  awaited: readonly AwaitedCall[] = [];
  /** Messages that wait for their turn. */
  queue: readonly QueuedMessage[] = [];
  events = 0;
  previewResets = 0;
  retries = 0;
  #preview: Preview | undefined;

  get lastMessage(): Message | undefined {
    return this.messages.at(-1);
  }

  /** The live text that is on the screen. */
  get previewText(): string {
    return this.#preview?.text ?? '';
  }

  apply(event: ChatEvent, at: number): void {
    this.events += 1;
    this.cursor = event.cursor;
    switch (event.type) {
      case 'message':
        this.#message(event.message, at);
        break;
      case 'message_part':
        this.#part(event);
        break;
      case 'preview_reset':
        if (this.#preview === undefined) this.wrong.push('a preview_reset with nothing to reset');
        this.#preview = undefined;
        this.previewResets += 1;
        break;
      case 'history_reset':
        // What is live is withdrawn by a reset of its own.
        this.messages.length = 0;
        if (this.#preview !== undefined) this.#preview.over = true;
        break;
      case 'status':
        if (event.status === this.status) this.wrong.push(`status ${event.status} was repeated`);
        this.status = event.status;
        this.error = undefined;
        this.awaited = [];
        break;
      case 'error':
        this.error = event.error.message;
        break;
      case 'retry':
        this.retries += 1;
        break;
      case 'action_required':
        this.awaited = event.tool_calls;
        break;
      case 'queue_update':
        this.queue = event.queued_messages;
        if (this.queue.length > QUEUE_LIMIT) {
          this.wrong.push(`${this.queue.length} messages are in the queue`);
        }
        break;
      case 'ping':
        break;
      default:
        event satisfies never;
    }
  }

  #message(message: Message, at: number): void {
    const last = this.lastMessage?.id ?? 0;
    if (message.id <= last) {
      this.wrong.push(`message ${message.id} came after ${last}`);
      return;
    }
    this.messages.push(message);
    this.seenAt.set(message.id, at);
    // The model says the same whenever it is asked: whatever was shown must begin what is committed.
    if (message.role !== 'assistant' || this.#preview === undefined || this.#preview.over) return;
    this.#preview.over = true;
    const shown = this.#preview.text;
    if (!textOf(message).startsWith(shown)) {
      this.wrong.push(
        `shown: ${JSON.stringify(shown)}, committed: ${JSON.stringify(textOf(message))}`,
      );
    }
  }

  #part(event: Extract<ChatEvent, { type: 'message_part' }>): void {
    const episode = `${event.history_version}/${event.attempt}`;
    if (this.#preview !== undefined && this.#preview.episode !== episode) {
      this.wrong.push(
        `parts of ${episode} after those of ${this.#preview.episode} without a reset`,
      );
      this.#preview = undefined;
    }
    this.#preview ??= { episode, seq: 0, text: '', over: false };
    const from = event.from_seq ?? event.seq;
    if (from !== this.#preview.seq + 1) {
      this.wrong.push(`part ${from} of ${episode} came after ${this.#preview.seq}`);
    }
    this.#preview.seq = event.seq;
    if (event.role === 'assistant') this.#preview.text += textIn(event.part);
  }
}

const textIn = (part: Part): string => (part.type === 'text' ? part.text : '');

export const textOf = (message: Pick<Message, 'content'>): string =>
  message.content.map(textIn).join('');
