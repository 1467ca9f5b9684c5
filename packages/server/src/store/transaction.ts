import type { PoolClient } from 'pg';
import type { Queryable, Statement } from './statement.ts';
import { asUnavailable, DatabaseUnavailable } from './unavailable.ts';

/**
 * One transaction on one connection. BEGIN travels with the first statement and, where the caller does not
 * wait in between, COMMIT with the last: a chat's transition costs two round trips.
 */
export class Transaction implements Queryable {
  readonly #client: PoolClient;
  readonly #begun: Promise<unknown>;
  readonly #hooks: (() => void)[] = [];
  #open = true;

  constructor(client: PoolClient) {
    this.#client = client;
    this.#begun = client.query('BEGIN');
    this.#begun.catch(() => undefined);
  }

  async query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const { name, text } = statement;
      const [, { rows }] = await Promise.all([
        this.#begun,
        this.#client.query({ name, text, values: [...values] }),
      ]);
      return rows as Row[];
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /** Runs once the transaction is durable, and never when it is not: nobody may see a rolled-back state. */
  afterCommit(hook: () => void): void {
    this.#hooks.push(hook);
  }

  async commit(): Promise<void> {
    try {
      const { command } = await this.#client.query('COMMIT');
      // After a failed statement PostgreSQL answers COMMIT with ROLLBACK, and with no error.
      if (command !== 'COMMIT') throw new Error('the transaction was rolled back');
    } catch (error) {
      throw asUnavailable(error);
    }
    this.#release();
    for (const hook of this.#hooks) hook();
  }

  async rollback(): Promise<void> {
    if (!this.#open) return;
    try {
      await this.#client.query('ROLLBACK');
      this.#release();
    } catch (error) {
      this.#release(error instanceof Error ? error : new DatabaseUnavailable('rollback failed'));
    }
  }

  #release(broken?: Error): void {
    if (!this.#open) return;
    this.#open = false;
    this.#client.release(broken);
  }
}
