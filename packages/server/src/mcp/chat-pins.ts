import type { Logger } from 'pino';
import { pinChat, unpinChat } from '../store/queries/runs/pins.ts';
import type { Queryable } from '../store/statement.ts';

/**
 * Pins a chat to this worker while the worker holds MCP sessions of the chat, whose state would be lost on another
 * worker. If a pin cannot be written, the turn continues without it.
 */
export class ChatPins {
  readonly #database: Queryable;
  readonly #workerId: string;
  readonly #log: Logger;
  readonly #sessions = new Map<string, number>();
  #writing: Promise<void> = Promise.resolve();

  constructor(options: { database: Queryable; workerId: string; log: Logger }) {
    this.#database = options.database;
    this.#workerId = options.workerId;
    this.#log = options.log;
  }

  opened(chatId: string): void {
    const count = (this.#sessions.get(chatId) ?? 0) + 1;
    this.#sessions.set(chatId, count);
    if (count === 1) this.#write(pinChat, chatId);
  }

  closed(chatId: string): void {
    const count = (this.#sessions.get(chatId) ?? 0) - 1;
    if (count > 0) {
      this.#sessions.set(chatId, count);
      return;
    }
    this.#sessions.delete(chatId);
    this.#write(unpinChat, chatId);
  }

  async close(): Promise<void> {
    await this.#writing;
  }

  /** In sequence, so that an older write never overtakes a newer one. */
  #write(statement: typeof pinChat, chatId: string): void {
    const write = () =>
      this.#database.query(statement, {
        chat_id: chatId,
        worker_id: this.#workerId,
      });
    this.#writing = this.#writing.then(write).then(nothing, (error: unknown) => {
      this.#log.debug({ err: error, chat_id: chatId }, 'pinning a chat failed');
    });
  }
}

const nothing = () => undefined;
