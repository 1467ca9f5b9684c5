import {
  type AwaitedCall,
  type ChatEvent,
  type ChatStatus,
  type Message,
  type Part,
  QUEUE_LIMIT,
  type QueuedMessage,
} from '@chatd/protocol';
import type { ProblemKind } from '../oracle/problem.ts';

interface Preview {
  readonly episode: string;
  seq: number;
  text: string;
  /** The history has moved past these parts; only their preview_reset is missing. */
  ended: boolean;
}

/** The state of a chat as a client sees it, and violations of the stream protocol. */
export class View {
  readonly messages: Message[] = [];
  /** Arrival time by message id. */
  readonly seenAt = new Map<number, number>();
  /** Events that were repeated, out of order, or after a gap. */
  readonly violations: { readonly kind: ProblemKind; readonly what: string }[] = [];
  status: ChatStatus | undefined;
  cursor: string | undefined;
  /** The error of the current status. */
  error: string | undefined;
  /** Calls that wait for a client or a user. */
  awaited: readonly AwaitedCall[] = [];
  queue: readonly QueuedMessage[] = [];
  events = 0;
  previewResets = 0;
  retries = 0;
  #preview: Preview | undefined;
  /** A turn began since the last status. */
  #turnBegan = false;

  get lastMessage(): Message | undefined {
    return this.messages.at(-1);
  }

  /** The live text currently shown. */
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
        if (this.#preview === undefined)
          this.#violation('doubled', 'preview_reset without live parts');
        this.#preview = undefined;
        this.previewResets += 1;
        break;
      case 'history_reset':
        // A preview_reset for the live parts follows.
        this.messages.length = 0;
        this.#turnBegan = true;
        if (this.#preview !== undefined) this.#preview.ended = true;
        break;
      case 'status':
        // A turn that passed unseen may leave the same status.
        if (event.status === this.status && !this.#turnBegan)
          this.#violation('doubled', `status ${event.status} repeated`);
        this.#turnBegan = false;
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
          this.#violation('wrong', `${this.queue.length} messages in the queue exceed the limit`);
        }
        break;
      case 'viewers':
      case 'ping':
        break;
      default:
        event satisfies never;
    }
  }

  #violation(kind: ProblemKind, what: string): void {
    this.violations.push({ kind, what });
  }

  #message(message: Message, at: number): void {
    const last = this.lastMessage?.id ?? 0;
    if (message.id <= last) {
      this.#violation('doubled', `message ${message.id} arrived after ${last}`);
      return;
    }
    this.messages.push(message);
    this.#turnBegan ||= message.role === 'user';
    this.seenAt.set(message.id, at);
    // The model repeats itself exactly, so the live text must be a prefix of the committed text.
    if (message.role !== 'assistant' || this.#preview === undefined || this.#preview.ended) return;
    this.#preview.ended = true;
    const shown = this.#preview.text;
    if (!textOf(message).startsWith(shown)) {
      this.#violation(
        'wrong',
        `shown: ${JSON.stringify(shown)}, committed: ${JSON.stringify(textOf(message))}`,
      );
    }
  }

  #part(event: Extract<ChatEvent, { type: 'message_part' }>): void {
    const episode = `${event.history_version}/${event.attempt}`;
    if (this.#preview !== undefined && this.#preview.episode !== episode) {
      this.#violation(
        'lost',
        `parts of ${episode} follow those of ${this.#preview.episode} without a preview_reset`,
      );
      this.#preview = undefined;
    }
    this.#preview ??= { episode, seq: 0, text: '', ended: false };
    const from = event.from_seq ?? event.seq;
    if (from !== this.#preview.seq + 1) {
      const kind = from > this.#preview.seq ? 'lost' : 'doubled';
      this.#violation(kind, `part ${from} of ${episode} arrived after ${this.#preview.seq}`);
    }
    this.#preview.seq = event.seq;
    if (event.role === 'assistant') this.#preview.text += textIn(event.part);
  }
}

const textIn = (part: Part): string => (part.type === 'text' ? part.text : '');

export const textOf = (message: Pick<Message, 'content'>): string =>
  message.content.map(textIn).join('');
