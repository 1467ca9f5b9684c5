import { type ClientBase, Pool, type PoolClient, Query, type QueryResult, types } from 'pg';
import type { Queryable, Statement } from './statement.ts';
import { Transaction } from './transaction.ts';
import { asUnavailable } from './unavailable.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly connections?: number;
  /** An error on an idle connection: the pool replaces it, the operator may want to know. */
  readonly onError?: (error: Error) => void;
}

/**
 * A process that freezes inside a transaction must not hold a chat's lock for long: the server ends such
 * sessions, and the transaction with them.
 */
const prepareSession = (client: ClientBase): unknown =>
  client.query(`SET idle_in_transaction_session_timeout = '10s'`);

/** bigint columns are versions, ids and micros: all far below 2^53. */
const numericInt8: typeof types.getTypeParser = (
  oid: Parameters<typeof types.getTypeParser>[0],
  format?: 'text' | 'binary',
) =>
  oid === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format);

/** A config object is copied property by property with its descriptors; a query of the driver's own is taken as it is. */
async function send(
  pool: Pool,
  { name, text }: Statement<unknown>,
  values: readonly unknown[],
): Promise<QueryResult> {
  const query = Object.assign(new Query(text, [...values]), { name });
  // The types know this overload of clients only, which answer with the query; a pool answers with its result.
  return await (pool.query(query) as unknown as Promise<QueryResult>);
}

export class Database implements Queryable {
  readonly #pool: Pool;

  constructor(options: DatabaseOptions) {
    this.#pool = new Pool({
      connectionString: options.url,
      max: options.connections ?? 20,
      application_name: 'chatd',
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 60_000,
      keepAlive: true,
      // Statements of one transaction that do not wait for each other share a round trip.
      pipeline: true,
      types: { getTypeParser: numericInt8 },
      onConnect: prepareSession,
    });
    this.#pool.on('error', (error) => options.onError?.(error));
    // A connection that breaks while it is in use rejects what it was used for; that must be all it does.
    this.#pool.on('connect', (client) => client.on('error', () => undefined));
  }

  async query<Row>(statement: Statement<Row>, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const { rows } = await send(this.#pool, statement, values);
      return rows as Row[];
    } catch (error) {
      throw asUnavailable(error);
    }
  }

  /** For the few who decide themselves when to commit; everybody else calls `transaction`. */
  async begin(): Promise<Transaction> {
    return new Transaction(await this.#connect());
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = await this.begin();
    try {
      const result = await work(tx);
      await tx.commit();
      return result;
    } catch (error) {
      await tx.rollback();
      throw error;
    }
  }

  get stats(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await this.#pool.end();
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}
