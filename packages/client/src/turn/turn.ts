import type { AwaitedCall, ChatError, Message } from '@chatd/protocol';
import type { StreamedEvent } from '../stream/streams.ts';

/** Result of a turn. */
export interface TurnResult {
  /** Chat of the turn. */
  readonly chatId: string;
  /** `waiting` if the turn succeeded or was interrupted. */
  readonly status: 'waiting' | 'error';
  /** Text of the model's last message. */
  readonly text: string;
  /** Messages added after the user message. */
  readonly messages: readonly Message[];
  /** Why the turn failed. Undefined if it did not. */
  readonly error: ChatError | undefined;
}

/**
 * A turn, from a message until the chat is idle again. Iterate over it for its events, await `result()` for its result,
 * or do both.
 */
export interface Turn extends AsyncIterable<StreamedEvent, void, undefined> {
  /** Resolves when the turn is over. */
  result(): Promise<TurnResult>;
}

export interface TurnStart {
  readonly chatId: string;
  readonly events: AsyncGenerator<StreamedEvent, void, undefined>;
  /** Set if the message is queued: the turn starts when the message leaves the queue. */
  readonly queuedId: number | undefined;
}

export class FollowedTurn implements Turn {
  readonly #start: Promise<TurnStart>;
  readonly #messages = new Map<number, Message>();
  #events: AsyncGenerator<StreamedEvent, void, undefined> | undefined;
  #result: TurnResult | undefined;

  constructor(start: Promise<TurnStart>) {
    this.#start = start;
    // The consumer of the turn gets the error.
    start.catch(() => undefined);
  }

  [Symbol.asyncIterator](): AsyncGenerator<StreamedEvent, void, undefined> {
    this.#events ??= this.#follow();
    return this.#events;
  }

  async result(): Promise<TurnResult> {
    if (this.#result === undefined) {
      const events = this[Symbol.asyncIterator]();
      while ((await events.next()).done !== true);
    }
    if (this.#result === undefined)
      throw new Error('The iteration ended before the turn was over.');
    return this.#result;
  }

  async *#follow(): AsyncGenerator<StreamedEvent, void, undefined> {
    const { chatId, events, queuedId } = await this.#start;
    const watch = new TurnWatch(queuedId);
    for await (const event of events) {
      if (!watch.belongs(event)) continue;
      if (event.type === 'history_reset') this.#messages.clear();
      if (event.type === 'message') this.#messages.set(event.message.id, event.message);
      const over = watch.isOver(event);
      if (over !== undefined) {
        const messages = [...this.#messages.values()];
        this.#result = { chatId, messages, text: lastText(messages), ...over };
      }
      yield event;
      if (over !== undefined) return;
    }
  }
}

/** Detects the end of a turn and, for a queued message, its start. */
class TurnWatch {
  #queuedId: number | undefined;
  #failed = false;

  constructor(queuedId: number | undefined) {
    this.#queuedId = queuedId;
  }

  /** False for events before the turn of a queued message, and for that message itself. */
  belongs(event: StreamedEvent): boolean {
    if (this.#queuedId === undefined) return true;
    if (event.type === 'message' && event.message.queued_message_id === this.#queuedId) {
      this.#queuedId = undefined;
    } else if (event.type === 'status' && isAtRest(event.status)) {
      // The message was deleted from the queue, or its turn ended before the loaded messages.
      this.#queuedId = undefined;
      return true;
    }
    return false;
  }

  isOver(event: StreamedEvent): Pick<TurnResult, 'status' | 'error'> | undefined {
    if (event.type === 'status' && event.status === 'waiting') {
      return { status: 'waiting', error: undefined };
    }
    // The error event follows the status event.
    if (event.type === 'status') this.#failed = event.status === 'error';
    if (event.type === 'error' && this.#failed) return { status: 'error', error: event.error };
    return undefined;
  }
}

const isAtRest = (status: string) => status === 'waiting' || status === 'error';

function lastText(messages: readonly Message[]): string {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (text.length > 0) return text.join('');
  }
  return '';
}

/** Pending calls that a program must answer. */
export const dynamicCalls = (calls: readonly AwaitedCall[]): AwaitedCall[] =>
  calls.filter(({ kind }) => kind === 'dynamic');
