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

const MESSAGES_KEPT = 50_000;
const NOTHING: KnownHistory = { version: 0, lastId: 0, messages: [] };

/**
 * Histories of chats that ran here recently, so that a turn reads only new messages. Messages are only appended, except
 * by edits, which change `reset_version`.
 */
export class HistoryCache {
  readonly #known = new Map<string, KnownHistory>();
  readonly #limit: number;
  #size = 0;

  constructor(limit = MESSAGES_KEPT) {
    this.#limit = limit;
  }

  /** The caller must be the runner of the chat. */
  async read(db: Queryable, chat: ChatRow): Promise<KnownHistory> {
    const known = this.#known.get(chat.id);
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
    const known = from === 0 ? NOTHING : this.#known.get(chatId);
    if (known?.version !== from) return;
    this.keep(chatId, {
      version: to,
      lastId: messages.at(-1)?.id ?? known.lastId,
      messages: [...known.messages, ...asHistory(known.messages, messages)],
    });
  }

  keep(chatId: string, history: KnownHistory): void {
    this.forget(chatId);
    this.#known.set(chatId, history);
    this.#size += history.messages.length;
    for (const oldest of this.#known.keys()) {
      if (this.#size <= this.#limit) break;
      this.forget(oldest);
    }
  }

  forget(chatId: string): void {
    this.#size -= this.#known.get(chatId)?.messages.length ?? 0;
    this.#known.delete(chatId);
  }
}
