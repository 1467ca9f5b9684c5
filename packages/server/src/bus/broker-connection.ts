import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { BusClosed } from './bus.ts';
import type { OpenSession, PacketListener, Session } from './session.ts';
import { within } from './within.ts';

export interface BrokerConnectionOptions {
  readonly open: OpenSession;
  /** Interval and timeout of pings. */
  readonly pingMs: number;
  readonly log: Logger;
  readonly onPacket: PacketListener;
  /** Called after each connect, when all channels are listened to. */
  readonly onConnect: () => void;
}

const OPEN_MS = 10_000;
const GOODBYE_MS = 1000;
const SHORTEST_WAIT_MS = 100;
const LONGEST_WAIT_MS = 5000;

interface Listened {
  holders: number;
  /** The session that listens to the channel. */
  by: Session | undefined;
  ready: Promise<void>;
}

/** A connection to a broker. Reconnects whenever the session is lost or does not answer. */
export class BrokerConnection {
  readonly #options: BrokerConnectionOptions;
  readonly #closing = new AbortController();
  readonly #listened = new Map<string, Listened>();
  #session: Session | undefined;
  #up = Promise.withResolvers<Session>();
  #keeping: Promise<void> = Promise.resolve();

  constructor(options: BrokerConnectionOptions) {
    this.#options = options;
    this.#up.promise.catch(() => undefined);
  }

  /** Rejects if the broker cannot be reached now. Later losses are retried without limit. */
  async connect(): Promise<void> {
    this.#keeping = this.#keep(await this.#establish());
  }

  /** Undefined while disconnected. */
  get session(): Session | undefined {
    return this.#session;
  }

  /** Resolves when messages of the channel arrive. Also restored after each reconnect. */
  async listen(channel: string): Promise<void> {
    const known = this.#listened.get(channel);
    if (known !== undefined) {
      known.holders += 1;
      return await known.ready;
    }
    const listened: Listened = { holders: 1, by: undefined, ready: Promise.resolve() };
    this.#listened.set(channel, listened);
    listened.ready = this.#listenTo(channel, listened);
    await listened.ready;
  }

  async unlisten(channel: string): Promise<void> {
    const known = this.#listened.get(channel);
    if (known === undefined) return;
    known.holders -= 1;
    if (known.holders > 0) return;
    this.#listened.delete(channel);
    // A session that breaks meanwhile no longer listens.
    await this.#session?.unlisten(channel).catch(() => undefined);
  }

  async close(): Promise<void> {
    this.#closing.abort(new BusClosed());
    const session = this.#session;
    if (session !== undefined) {
      await within(GOODBYE_MS, session.close()).catch(() => undefined);
      session.destroy();
    }
    await within(GOODBYE_MS, this.#keeping);
    this.#up.reject(new BusClosed());
  }

  async #listenTo(channel: string, listened: Listened): Promise<void> {
    for (;;) {
      const session = this.#session ?? (await this.#up.promise);
      if (listened.by === session) return;
      try {
        await session.listen([channel]);
        listened.by = session;
        return;
      } catch {
        // The next session listens to all channels.
        this.#drop(session);
      }
    }
  }

  async #keep(first: Session): Promise<void> {
    let session: Session | undefined = first;
    while (session !== undefined) {
      const reason = await this.#use(session);
      this.#drop(session);
      if (this.#closing.signal.aborted) return;
      this.#options.log.warn({ err: reason }, 'lost the connection to the bus; reconnecting');
      session = await this.#reestablish();
    }
  }

  /** Resolves when the session ends, with the reason. */
  async #use(session: Session): Promise<Error> {
    this.#session = session;
    this.#up.resolve(session);
    this.#options.onConnect();
    const over = new AbortController();
    try {
      return await Promise.race([session.ended, this.#silence(session, over.signal)]);
    } finally {
      over.abort();
    }
  }

  #drop(session: Session): void {
    if (this.#session === session) {
      this.#session = undefined;
      this.#up = Promise.withResolvers();
      this.#up.promise.catch(() => undefined);
    }
    session.destroy();
  }

  /** Resolves when the broker does not answer a ping: a broken connection may raise no error. */
  async #silence(session: Session, signal: AbortSignal): Promise<Error> {
    const { pingMs } = this.#options;
    for (;;) {
      await sleep(pingMs, undefined, { signal });
      const ping = session.ping().catch(() => session.ended);
      if (await within(pingMs, ping)) continue;
      // The answer may have arrived while this process was too busy to read it.
      await nextTurn();
      if (!(await within(0, ping)))
        return new Error(`the broker did not answer a ping within ${pingMs} ms`);
    }
  }

  async #reestablish(): Promise<Session | undefined> {
    const { signal } = this.#closing;
    let said: string | undefined;
    for (let wait = SHORTEST_WAIT_MS; !signal.aborted; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
      try {
        const session = await this.#establish();
        if (!signal.aborted) return session;
        session.destroy();
      } catch (error) {
        if (String(error) !== said) {
          this.#options.log.warn({ err: error }, 'cannot connect to the bus; retrying');
        }
        said = String(error);
      }
      // Jitter, so that replicas do not reconnect at the same time.
      await sleep(wait * (0.5 + Math.random()), undefined, { signal }).catch(() => undefined);
    }
    return undefined;
  }

  async #establish(): Promise<Session> {
    const session = await this.#options.open(this.#options.onPacket);
    try {
      if (await within(OPEN_MS, this.#listenToAll(session))) return session;
      throw new Error(`listening took more than ${OPEN_MS} ms`);
    } catch (error) {
      session.destroy();
      throw error;
    }
  }

  async #listenToAll(session: Session): Promise<void> {
    const all = [...this.#listened];
    if (all.length === 0) return;
    await session.listen(all.map(([channel]) => channel));
    for (const [, listened] of all) listened.by = session;
  }
}
