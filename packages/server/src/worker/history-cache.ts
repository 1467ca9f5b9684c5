import type { HistoryMessage } from '@chatd/loop';
import type { ChatRow } from '../chat/row.ts';
import type { AppendedMessages } from '../store/change.ts';
import { historyOfTurn } from '../store/queries/messages/history-of-turn.ts';
import type { Queryable } from '../store/statement.ts';
import { asHistory } from './history-rows.ts';

/** The history of a chat as of a version, oldest first. */
export interface KnownHistory {
  readonly version: number;
  readonly lastId: number;
  readonly messages: readonly HistoryMessage[];
}

/** Estimated, with the prompts that the loop derives from the messages. */
const BYTES_KEPT = 48 * 2 ** 20;
const NOTHING: KnownHistory = { version: 0, lastId: 0, messages: [] };

interface SizedHistory {
  readonly history: KnownHistory;
  /** In bytes, estimated. */
  readonly size: number;
}

/**
 * Histories of chats that ran here recently, so that a turn reads only new messages. Messages are only appended, except
 * by edits, which change `reset_version`.
 */
export class HistoryCache {
  readonly #known = new Map<string, SizedHistory>();
  readonly #limit: number;
  #size = 0;

  constructor(limit = BYTES_KEPT) {
    this.#limit = limit;
  }

  /** The caller must be the runner of the chat. */
  async read(db: Queryable, chat: ChatRow): Promise<KnownHistory> {
    const known = this.#known.get(chat.id)?.history;
    const usable = known !== undefined && chat.reset_version <= known.version ? known : undefined;
    if (usable?.version === chat.history_version) return usable;
    const rows = await db.query(historyOfTurn, { chat_id: chat.id, after_id: usable?.lastId ?? 0 });
    const messages = usable?.messages ?? [];
    return {
      version: chat.history_version,
      lastId: rows.at(-1)?.id ?? usable?.lastId ?? 0,
      messages: [...messages, ...asHistory(messages, rows)],
    };
  }

  /** Messages that this process appended to a known history, or that begin a new one, need not be read. */
  append(chatId: string, { from, to, messages }: AppendedMessages): void {
    const known = from === 0 ? NOTHING : this.#known.get(chatId)?.history;
    if (known?.version !== from) return;
    this.keep(chatId, {
      version: to,
      lastId: messages.at(-1)?.id ?? known.lastId,
      messages: [...known.messages, ...asHistory(known.messages, messages)],
    });
  }

  keep(chatId: string, history: KnownHistory): void {
    const size = sizeOf(history, this.#known.get(chatId));
    this.forget(chatId);
    this.#known.set(chatId, { history, size });
    this.#size += size;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= this.#limit) break;
      this.forget(oldest);
    }
  }

  forget(chatId: string): void {
    this.#size -= this.#known.get(chatId)?.size ?? 0;
    this.#known.delete(chatId);
  }
}

/** Objects of a message and of its form in prompts. */
const MESSAGE_BYTES = 600;
const VALUE_BYTES = 16;

/** Only messages that are new since `before` are counted. */
function sizeOf({ messages }: KnownHistory, before: SizedHistory | undefined): number {
  const earlier = before?.history.messages ?? [];
  const counted = earlier.length;
  const isLonger = counted > 0 && messages[counted - 1] === earlier[counted - 1];
  const added = isLonger ? messages.slice(counted) : messages;
  return added.reduce(
    (sum, { content }) => sum + MESSAGE_BYTES + bytesIn(content),
    isLonger ? (before?.size ?? 0) : 0,
  );
}

function bytesIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return VALUE_BYTES;
  let sum = VALUE_BYTES;
  for (const each of Object.values(value)) sum += bytesIn(each);
  return sum;
}
