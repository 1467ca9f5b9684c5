import type { Pool } from 'pg';

/** A table of messages for programs without storage of their own. */
export class MessageTable<Message> {
  readonly #pool: Pool;

  private constructor(pool: Pool) {
    this.#pool = pool;
  }

  static async create<Message>(pool: Pool): Promise<MessageTable<Message>> {
    await pool.query(
      'CREATE TABLE IF NOT EXISTS messages (chat text, seq int, body jsonb, PRIMARY KEY (chat, seq))',
    );
    return new MessageTable(pool);
  }

  async load(chat: string): Promise<Message[]> {
    const { rows } = await this.#pool.query<{ body: Message }>(
      'SELECT body FROM messages WHERE chat = $1 ORDER BY seq',
      [chat],
    );
    return rows.map(({ body }) => body);
  }

  /** Inserts messages after the first `count` in one commit. Idempotent, because a durable workflow can repeat a step. */
  async append(chat: string, count: number, messages: readonly Message[]): Promise<void> {
    await this.#pool.query(
      `INSERT INTO messages
       SELECT $1, $2 + ordinality::int, value
         FROM jsonb_array_elements($3::jsonb) WITH ORDINALITY
       ON CONFLICT DO NOTHING`,
      [chat, count, JSON.stringify(messages)],
    );
  }
}
