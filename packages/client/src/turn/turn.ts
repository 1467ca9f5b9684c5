import type { AwaitedCall, ChatError, Message } from '@chatd/protocol';
import type { StreamedEvent } from '../stream/streams.ts';

/** What became of a turn. */
export interface TurnResult {
  /** The chat that it was a turn of. */
  readonly chatId: string;
  /** `waiting` is a turn that ended well; one that was interrupted ends so, too. */
  readonly status: 'waiting' | 'error';
  /** What the model said last. */
  readonly text: string;
  /** What was added to the history since the message, that one left out. */
  readonly messages: readonly Message[];
  /** Why the turn failed, when it did. */
  readonly error: ChatError | undefined;
}

/**
 * What follows on a message until the chat rests again. Iterate over it to see what happens, await `result()` for
 * what became of it, or do both.
 */
export interface Turn extends AsyncIterable<StreamedEvent, void, undefined> {
  /** What became of it, once it is over. */
  result(): Promise<TurnResult>;
}

/** Where a turn begins: the chat, and how to recognise what came before. */
export interface TurnStart {
  readonly chatId: string;
  readonly events: AsyncGenerator<StreamedEvent, void, undefined>;
  /** The message waits in the queue: the turn begins when it leaves it. */
  readonly queuedId: number | undefined;
}

export class FollowedTurn implements Turn {
  readonly #start: Promise<TurnStart>;
  readonly #messages = new Map<number, Message>();
  #events: AsyncGenerator<StreamedEvent, void, undefined> | undefined;
  #result: TurnResult | undefined;

  constructor(start: Promise<TurnStart>) {
    this.#start = start;
    // Whoever takes the turn gets the error; nobody else has to.
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
    if (this.#result === undefined) throw new Error('The turn was left before it was over.');
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

/** Recognises the end of a turn, and, for a message that has to wait, its beginning. */
class TurnWatch {
  #queuedId: number | undefined;
  #failed = false;

  constructor(queuedId: number | undefined) {
    this.#queuedId = queuedId;
  }

  /** False for what happens before the message had its turn, and for the message. */
  belongs(event: StreamedEvent): boolean {
    if (this.#queuedId === undefined) return true;
    if (event.type === 'message' && event.message.queued_message_id === this.#queuedId) {
      this.#queuedId = undefined;
    } else if (event.type === 'status' && isAtRest(event.status)) {
      // It was taken out of the queue, or its turn is over and lies further back.
      this.#queuedId = undefined;
      return true;
    }
    return false;
  }

  isOver(event: StreamedEvent): Pick<TurnResult, 'status' | 'error'> | undefined {
    if (event.type === 'status' && event.status === 'waiting') {
      return { status: 'waiting', error: undefined };
    }
    // The error follows the status that it explains.
    if (event.type === 'status') this.#failed = event.status === 'error';
    if (event.type === 'error' && this.#failed) return { status: 'error', error: event.error };
    return undefined;
  }
}

const isAtRest = (status: string) => status === 'waiting' || status === 'error';

/** The text of the last message of the model that has any. */
function lastText(messages: readonly Message[]): string {
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role !== 'assistant') continue;
    const text = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    if (text.length > 0) return text.join('');
  }
  return '';
}

/** The calls of an `action_required` that wait for a program. */
export const dynamicCalls = (calls: readonly AwaitedCall[]): AwaitedCall[] =>
  calls.filter(({ kind }) => kind === 'dynamic');
