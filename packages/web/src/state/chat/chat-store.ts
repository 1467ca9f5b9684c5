import type {
  AwaitedCall,
  ChatError,
  ChatEvent,
  ChatStatus,
  Message,
  QueuedMessage,
  Retry,
} from '@chatd/protocol';
import { apiPath } from '../../api/client.ts';
import { Cell } from '../cell.ts';
import { LiveSocket } from '../live-socket.ts';
import { whyRefused } from '../why-refused.ts';
import { LiveParts } from './live-parts.ts';

/** How many of the last messages come first; older ones are asked for when somebody scrolls there. */
const TAIL = 200;

/**
 * One chat as its stream tells it. Each cell is one concern, so that a delta renders the part that it belongs to, and
 * nothing else.
 */
export class ChatStore {
  readonly chatId: string;
  /** Committed messages, by id. */
  readonly messages = new Cell<readonly Message[]>([]);
  /** What is being said right now, and is not committed yet. */
  readonly live = new LiveParts();
  readonly status = new Cell<ChatStatus>('waiting');
  readonly queue = new Cell<readonly QueuedMessage[]>([]);
  readonly awaited = new Cell<readonly AwaitedCall[]>([]);
  readonly retry = new Cell<Retry | null>(null);
  readonly error = new Cell<ChatError | null>(null);
  /** False until the state at the beginning of the stream is there. */
  readonly loaded = new Cell(false);
  readonly socket: LiveSocket;
  #cursor: string | undefined;

  constructor(chatId: string) {
    this.chatId = chatId;
    this.socket = new LiveSocket({
      path: () =>
        apiPath(
          `/chats/${chatId}/stream?${this.#cursor === undefined ? `tail=${TAIL}` : `after=${encodeURIComponent(this.#cursor)}`}`,
        ),
      onEvent: (event) => this.#hear(event as ChatEvent),
      whyRefused,
    });
  }

  close(): void {
    this.socket.close();
  }

  #hear(event: ChatEvent): void {
    this.#cursor = event.cursor;
    switch (event.type) {
      case 'message':
        this.messages.update((messages) => upsert(messages, event.message));
        break;
      case 'message_part':
        this.retry.set(null);
        this.live.add(event);
        break;
      case 'preview_reset':
        this.live.reset();
        break;
      case 'history_reset':
        this.messages.set([]);
        this.live.reset();
        break;
      case 'status':
        this.status.set(event.status);
        this.loaded.set(true);
        if (event.status !== 'requires_action') this.awaited.set([]);
        if (event.status !== 'running') this.retry.set(null);
        if (event.status !== 'error') this.error.set(null);
        break;
      case 'queue_update':
        this.queue.set(event.queued_messages);
        break;
      case 'action_required':
        this.awaited.set(event.tool_calls);
        break;
      case 'retry':
        this.retry.set(event);
        break;
      case 'error':
        this.error.set(event.error);
        break;
      case 'ping':
        break;
    }
  }
}

/** Messages come in order, so that this is an append but for corrections. */
function upsert(messages: readonly Message[], message: Message): readonly Message[] {
  const last = messages.at(-1);
  if (last === undefined || last.id < message.id) return [...messages, message];
  const at = messages.findIndex(({ id }) => id >= message.id);
  const replaces = messages[at]?.id === message.id;
  return messages.toSpliced(at, replaces ? 1 : 0, message);
}
