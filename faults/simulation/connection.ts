import type { PoolClient } from 'pg';
import type { Database } from '../../packages/server/src/store/database.ts';
import type { ParamsOf, Queryable, Statement } from '../../packages/server/src/store/statement.ts';
import { Transaction } from '../../packages/server/src/store/transaction.ts';
import { type Postgres, type Session, unavailable } from './postgres.ts';
import { fireTriggers } from './statements/row-triggers.ts';
import type { Process, World } from './world.ts';

/** How messages between a process and the database travel. */
export interface Network {
  latencyMs(): number;
  /** `request`: the connection breaks before the server has it. `response`: it breaks afterward. */
  loss(): 'request' | 'response' | undefined;
}

interface Answer {
  readonly rows: unknown[];
  readonly command: string;
}

/** PostgreSQL ends a transaction of a process that sends nothing for so long. */
const IDLE_IN_TRANSACTION_MS = 10_000;

/**
 * One connection. The server works on its messages in order, and also on those that have arrived when it breaks. After
 * that, it rolls back what is not committed.
 */
class Connection {
  readonly #world: World;
  readonly #postgres: Postgres;
  readonly #network: Network;
  readonly #process: Process;
  readonly #pending = new Set<(error: Error) => void>();
  #session: Session | undefined;
  #last: Promise<unknown> = Promise.resolve();
  /** Messages and answers arrive in order. */
  #arrivesAt = 0;
  #answersAt = 0;
  #isCut = false;
  #isBroken = false;
  #stopIdleTimer: () => void = () => undefined;

  constructor(world: World, postgres: Postgres, network: Network) {
    this.#world = world;
    this.#postgres = postgres;
    this.#network = network;
    this.#process = world.current;
  }

  get isBroken(): boolean {
    return this.#isBroken;
  }

  send(work: (connection: this) => Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      if (this.#isBroken) {
        reject(unavailable('08006'));
        return;
      }
      const fail = (error: Error) => {
        this.#pending.delete(fail);
        reject(error);
      };
      this.#pending.add(fail);
      if (this.#isCut) return;
      const loss = this.#network.loss();
      if (loss === 'request') return this.#cut();
      const { now } = this.#world;
      this.#arrivesAt = Math.max(this.#arrivesAt, now + this.#network.latencyMs());
      // The server works even if the process has died.
      this.#world.after(this.#arrivesAt - now, () => this.#arrived(work, resolve, fail), SERVER);
      if (loss === 'response') this.#world.after(this.#arrivesAt - now, () => this.#cut());
    });
  }

  #arrived(
    work: (connection: this) => Promise<Answer>,
    resolve: (answer: Answer) => void,
    fail: (error: Error) => void,
  ): void {
    this.#stopIdleTimer();
    const before = this.#last;
    const answer = async () => {
      await before;
      let deliver: () => void;
      try {
        const done = await work(this);
        deliver = () => {
          this.#pending.delete(fail);
          resolve(done);
        };
      } catch (error) {
        deliver = () => fail(error as Error);
      }
      this.#watchIdle();
      if (this.#isGone) this.#session?.rollback();
      const { now } = this.#world;
      this.#answersAt = Math.max(this.#answersAt, now + this.#network.latencyMs());
      const receive = () => {
        if (!this.#isBroken) deliver();
      };
      this.#world.after(this.#answersAt - now, receive, this.#process);
    };
    this.#last = answer();
  }

  /** The server notices when it has nothing left to do. */
  get #isGone(): boolean {
    return this.#isBroken || this.#process.isDead;
  }

  /** Nothing arrives anymore. The client learns it a moment later. */
  #cut(): void {
    this.#isCut = true;
    this.#world.after(this.#network.latencyMs(), () => this.break(), this.#process);
  }

  break(): void {
    if (this.#isBroken) return;
    this.#isBroken = true;
    for (const fail of this.#pending) fail(unavailable('08006'));
    void this.#last.then(() => this.#session?.rollback());
  }

  begin(): Session {
    this.#session = this.#postgres.begin();
    return this.#session;
  }

  get session(): Session {
    if (this.#session === undefined) throw new Error('There is no transaction.');
    return this.#session;
  }

  #watchIdle(): void {
    const session = this.#session;
    if (session === undefined || session.hasEnded) return;
    const end = () => session.terminate(unavailable('25P03'));
    this.#stopIdleTimer = this.#world.after(IDLE_IN_TRANSACTION_MS, end, SERVER);
    // A process that has died closes its connections at once.
    if (this.#process.isDead) end();
  }
}

const SERVER: Process = {
  name: 'PostgreSQL',
  isDead: false,
  held: undefined,
  clockErrorMs: 0,
  atDeath: new Set(),
};

/** The database of one process, with connections that share its fate. */
export class SimulatedDatabase implements Queryable {
  readonly reserved: Queryable = this;
  readonly reads: Queryable = this;
  readonly #world: World;
  readonly #postgres: Postgres;
  readonly #network: Network;

  constructor(world: World, postgres: Postgres, network: Network) {
    this.#world = world;
    this.#postgres = postgres;
    this.#network = network;
  }

  /** Without the parts of the class that only the pool needs. */
  asDatabase(): Database {
    return this as unknown as Database;
  }

  async query<Params, Row>(
    statement: Statement<Params, Row>,
    ...[params]: ParamsOf<NoInfer<Params>>
  ): Promise<Row[]> {
    const { run } = this.#postgres.statement(statement.name);
    const { rows } = await this.#connect().send(async (connection) => {
      const session = connection.begin();
      try {
        const rows = await run(session, (params ?? {}) as never);
        await fireTriggers(session);
        session.throwIfFailed();
        session.commit();
        return { rows, command: '' };
      } catch (error) {
        session.rollback();
        throw error;
      }
    });
    return rows as Row[];
  }

  async begin(): Promise<Transaction> {
    return new Transaction(new SimulatedClient(this.#connect()) as unknown as PoolClient);
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

  readTransaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    return this.transaction(work);
  }

  async close(): Promise<void> {
    // Connections are closed after each use.
  }

  #connect(): Connection {
    return new Connection(this.#world, this.#postgres, this.#network);
  }
}

/** A client of the pool, as `Transaction` uses it. */
class SimulatedClient {
  readonly #connection: Connection;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  query(
    query: string | { readonly name: string; readonly values: readonly unknown[] },
  ): Promise<Answer> {
    return this.#connection.send(async (connection) => {
      if (typeof query === 'string') return control(connection, query);
      const { session } = connection;
      session.throwIfFailed();
      try {
        const { parameters, run } = session.postgres.statement(query.name);
        const params: Record<string, unknown> = {};
        for (const [index, name] of parameters.entries()) params[name] = query.values[index];
        const rows = await run(session, params as never);
        await fireTriggers(session);
        session.throwIfFailed();
        return { rows, command: '' };
      } catch (error) {
        // Later statements of the transaction fail, and COMMIT rolls back.
        session.fail(error as Error);
        throw error;
      }
    });
  }

  release(): void {
    this.#connection.break();
  }
}

async function control(connection: Connection, command: string): Promise<Answer> {
  if (command.startsWith('BEGIN')) {
    connection.begin();
    return { rows: [], command: 'BEGIN' };
  }
  if (command === 'COMMIT') {
    return { rows: [], command: connection.session.commit() ? 'COMMIT' : 'ROLLBACK' };
  }
  connection.session.rollback();
  return { rows: [], command: 'ROLLBACK' };
}
