import type { PoolClient } from 'pg';
import { type ParamsOf, type Queryable, type Statement, valuesOf } from './statement.ts';
import { asUnavailable, DatabaseUnavailable } from './unavailable.ts';

/** Locking clauses do not count: they do no harm outside of a transaction. */
const WRITES = /\b(INSERT|(?<!\bFOR |\bKEY )UPDATE|DELETE|MERGE)\b/i;

/**
 * One transaction on one connection. BEGIN shares a round trip with a first statement that only reads, and COMMIT with
 * the last statement if the caller does not wait in between. A transition of a chat takes two round trips.
 */
export class Transaction implements Queryable {
  readonly #client: PoolClient;
  readonly #begun: Promise<unknown>;
  readonly #hooks: (() => void)[] = [];
  readonly #rollbackHooks: (() => void)[] = [];
  #isBegun = false;
  /** A write waits for the response to BEGIN, and so does every later statement. */
  #isHeld = false;
  #open = true;
  /**
   * The error that failed the transaction. PostgreSQL answers later statements with 25P02 and COMMIT with ROLLBACK;
   * neither names the cause, and their promises may settle first.
   */
  #failure: unknown;

  constructor(client: PoolClient, begin = 'BEGIN') {
    this.#client = client;
    this.#begun = this.#firstError(client.query(begin));
    this.#begun.then(
      () => (this.#isBegun = true),
      () => undefined,
    );
  }

  /** Rejects with the first error of the transaction, possibly of another statement. */
  async query<Params, Row>(
    statement: Statement<Params, Row>,
    ...params: ParamsOf<NoInfer<Params>>
  ): Promise<Row[]> {
    const { name, text } = statement;
    const values = valuesOf(statement, ...params);
    // If BEGIN failed on a connection that survives, PostgreSQL would commit the write on its own.
    this.#isHeld ||= !this.#isBegun && WRITES.test(text);
    if (this.#isHeld) await this.#begun;
    const answer = this.#firstError(this.#client.query({ name, text, values }));
    const [, { rows }] = await Promise.all([this.#begun, answer]);
    return rows as Row[];
  }

  /** Runs after the commit, so that no listener sees a state that was rolled back. */
  afterCommit(hook: () => void): void {
    this.#hooks.push(hook);
  }

  /** Runs if the transaction is rolled back, or if it is unknown whether it was committed. */
  afterRollback(hook: () => void): void {
    this.#rollbackHooks.push(hook);
  }

  async commit(): Promise<void> {
    if (this.#isHeld) await this.#begun;
    const { command } = await this.#firstError(this.#client.query('COMMIT'));
    // After a failed statement PostgreSQL answers COMMIT with ROLLBACK and no error.
    if (command !== 'COMMIT') {
      throw this.#failure ?? new Error('PostgreSQL rolled back the transaction.');
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
    for (const hook of this.#rollbackHooks) hook();
  }

  async #firstError<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      this.#failure ??= asUnavailable(error);
      throw this.#failure;
    }
  }

  #release(broken?: Error): void {
    if (!this.#open) return;
    this.#open = false;
    this.#client.release(broken);
  }
}
