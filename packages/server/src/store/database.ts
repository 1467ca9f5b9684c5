import { type ClientBase, Pool, type PoolClient, type QueryResult, types } from 'pg';
import { PreparedQuery } from './prepared-query.ts';
import { asReadTimeout } from './read-timeout.ts';
import { type ParamsOf, type Queryable, type Statement } from './statement.ts';
import { Transaction } from './transaction.ts';
import { asUnavailable } from './unavailable.ts';

export interface DatabaseOptions {
  readonly url: string;
  readonly connections?: number;
  /** Statement timeout of API reads. Default: 10 seconds. */
  readonly readTimeoutMs?: number;
  /** Called for errors on idle connections, which the pool replaces. */
  readonly onError?: (error: Error) => void;
}

/** Additional connections of each process for heartbeats, leases and readiness checks. */
const RESERVED_CONNECTIONS = 2;
const READ_TIMEOUT_MS = 10_000;

/**
 * Ends the transaction of a frozen process, so that it does not hold the lock of a chat. Compiling a statement takes
 * longer than running it.
 */
const prepareSession = (client: ClientBase): unknown =>
  client.query(`SET idle_in_transaction_session_timeout = '10s'; SET jit = off`);

/** bigint columns hold versions, ids and micros, all far below 2^53. */
const numericInt8: typeof types.getTypeParser = (
  oid: Parameters<typeof types.getTypeParser>[0],
  format?: 'text' | 'binary',
) =>
  oid === types.builtins.INT8 && format !== 'binary' ? Number : types.getTypeParser(oid, format);

/** A pool with the session settings that all statements rely on. */
function openPool(
  { url, onError }: DatabaseOptions,
  { max, idleTimeoutMillis }: { readonly max: number; readonly idleTimeoutMillis: number },
): Pool {
  const pool = new Pool({
    connectionString: url,
    max,
    application_name: 'chatd',
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis,
    keepAlive: true,
    // Statements that do not wait for each other share a round trip.
    pipeline: true,
    types: { getTypeParser: numericInt8 },
    onConnect: prepareSession,
  });
  pool.on('error', (error) => onError?.(error));
  // A connection that breaks while in use rejects its query. The event must not crash the process.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

async function run<Params, Row>(
  pool: Pool,
  statement: Statement<Params, Row>,
  params: ParamsOf<Params>,
): Promise<Row[]> {
  const query = new PreparedQuery(statement, params);
  try {
    // The types know this overload for clients only, which return the query; a pool returns its result.
    const { rows } = await (pool.query(query) as unknown as Promise<QueryResult>);
    return rows as Row[];
  } catch (error) {
    throw asUnavailable(error);
  }
}

export class Database implements Queryable {
  readonly #pool: Pool;
  readonly #reservedPool: Pool;
  readonly #beginRead: string;

  /**
   * For heartbeats, leases and readiness checks only, so that a replica with no free ordinary connection keeps its
   * chats. Never closed when idle.
   */
  readonly reserved: Queryable;

  /** For API reads. Each statement runs in its own read-only transaction with a statement timeout. */
  readonly reads: Queryable;

  constructor(options: DatabaseOptions) {
    const { connections = 20, readTimeoutMs = READ_TIMEOUT_MS } = options;
    this.#pool = openPool(options, { max: connections, idleTimeoutMillis: 60_000 });
    const reserved = openPool(options, { max: RESERVED_CONNECTIONS, idleTimeoutMillis: 0 });
    this.#reservedPool = reserved;
    this.reserved = { query: (statement, ...params) => run(reserved, statement, params) };
    // SET LOCAL, since a transaction pooler shares sessions.
    this.#beginRead = `BEGIN READ ONLY; SET LOCAL statement_timeout = ${readTimeoutMs}`;
    this.reads = { query: (statement, ...params) => this.#readOnce(statement, params) };
  }

  async query<Params, Row>(
    statement: Statement<Params, Row>,
    ...params: ParamsOf<NoInfer<Params>>
  ): Promise<Row[]> {
    return await run(this.#pool, statement, params);
  }

  /** For callers that commit themselves. Others use `transaction`. */
  async begin(): Promise<Transaction> {
    return new Transaction(await this.#connect());
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return await inTransaction(await this.begin(), work);
  }

  /** Several API reads in one read-only transaction, each with the statement timeout. */
  async readTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    const tx = new Transaction(await this.#connect(), this.#beginRead);
    try {
      return await inTransaction(tx, work);
    } catch (error) {
      throw asReadTimeout(error);
    }
  }

  get stats(): { total: number; idle: number; waiting: number } {
    const { totalCount, idleCount, waitingCount } = this.#pool;
    return { total: totalCount, idle: idleCount, waiting: waitingCount };
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.end(), this.#reservedPool.end()]);
  }

  async #readOnce<Params, Row>(
    statement: Statement<Params, Row>,
    params: ParamsOf<Params>,
  ): Promise<Row[]> {
    const tx = new Transaction(await this.#connect(), this.#beginRead);
    // COMMIT is sent with the statement, in the same round trip.
    const rows = tx.query(statement, ...params);
    const committed = tx.commit();
    committed.catch(() => undefined);
    try {
      const found = await rows;
      await committed;
      return found;
    } catch (error) {
      await tx.rollback();
      throw asReadTimeout(error);
    }
  }

  async #connect(): Promise<PoolClient> {
    try {
      return await this.#pool.connect();
    } catch (error) {
      throw asUnavailable(error);
    }
  }
}

async function inTransaction<T>(
  tx: Transaction,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    const result = await work(tx);
    await tx.commit();
    return result;
  } catch (error) {
    await tx.rollback();
    throw error;
  }
}
