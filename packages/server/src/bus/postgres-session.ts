import { createHash, randomBytes } from 'node:crypto';
import { Socket } from 'node:net';
import { Client, escapeIdentifier, type Notification } from 'pg';
import { BUS_LOCKS } from '../postgres/advisory-locks.ts';
import type { PacketListener, Session } from './session.ts';
import { within } from './within.ts';

/** NOTIFY takes up to 7,999. */
const PACKET_BYTES = 7000;
const OPEN_MS = 10_000;

/**
 * Both lists are joined by a character that neither contains, which is cheaper than arrays. Listeners of a channel hold
 * its lock in shared mode. If this session can take it exclusively, no other session listens and nothing is sent.
 */
const SEND = {
  name: 'chatd-bus-send',
  text: `SELECT count(pg_notify(channel, payload))
           FROM unnest(string_to_array($1, chr(1)), string_to_array($2, chr(1))) AS packet (channel, payload)
          WHERE NOT pg_try_advisory_xact_lock(${BUS_LOCKS}, hashtext(channel))`,
};
const SEPARATOR = '\u0001';

/**
 * A dedicated connection for LISTEN and NOTIFY. Commits do not wait for the disk, and a session that does not read is
 * ended, since it would fill the notification queue of the server.
 */
const PREPARE = `SET synchronous_commit = off; SET tcp_user_timeout = '30s'`;

/** Notifications do not arrive although queries work: a pooler shares the session that LISTEN needs. */
export class NotificationsLost extends Error {
  override readonly name = 'NotificationsLost';

  constructor() {
    super(
      'a notification to ourselves did not come back, as behind a pooler in transaction mode, ' +
        'which CHATD_DATABASE_DIRECT_URL must get around',
    );
  }
}

export async function openPostgresSession(options: {
  url: string;
  /** Timeout of a notification to this session. */
  echoMs: number;
  onPacket: PacketListener;
}): Promise<Session> {
  const { url, echoMs, onPacket } = options;
  const socket = new Socket();
  const client = new Client({
    connectionString: url,
    application_name: 'chatd bus',
    connectionTimeoutMillis: OPEN_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    // LISTEN does not wait for a batch that is being sent.
    pipeline: true,
    stream: () => socket,
  });
  const session = new PostgresSession(client, socket, onPacket);
  try {
    await client.connect();
    if (await within(echoMs, session.prepare())) return session;
    throw new NotificationsLost();
  } catch (error) {
    session.destroy();
    throw error;
  }
}

class PostgresSession implements Session {
  readonly packetBytes = PACKET_BYTES;
  readonly ended: Promise<Error>;
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #onPacket: PacketListener;
  readonly #channels = new Map<string, string>();
  readonly #echo = nameOf(`ping.${randomBytes(6).toString('hex')}`);
  #pings = 0;
  #pinged = Promise.withResolvers<void>();

  constructor(client: Client, socket: Socket, onPacket: PacketListener) {
    this.#client = client;
    this.#socket = socket;
    this.#onPacket = onPacket;
    let reason: Error | undefined;
    client.on('error', (error) => (reason ??= error));
    client.on('notification', (notification) => this.#notified(notification));
    this.ended = new Promise((resolve) => {
      client.once('end', () => resolve(reason ?? new Error('the connection was closed')));
    });
  }

  async prepare(): Promise<void> {
    await this.#client.query(`${PREPARE}; LISTEN ${escapeIdentifier(this.#echo)}`);
    await this.ping();
  }

  async send(packets: readonly { channel: string; text: string }[]): Promise<boolean> {
    const channels = packets.map(({ channel }) => nameOf(channel)).join(SEPARATOR);
    const texts = packets.map(({ text }) => text).join(SEPARATOR);
    const { rows } = await this.#client.query<{ count: string }>({
      ...SEND,
      values: [channels, texts],
    });
    return rows[0]?.count !== '0';
  }

  /** Takes the lock first, so that later senders find it taken. */
  async listen(channels: readonly string[]): Promise<void> {
    for (const channel of channels) this.#channels.set(nameOf(channel), channel);
    await this.#client.query(
      channels
        .map(nameOf)
        .map(
          (name) =>
            `SELECT pg_advisory_lock_shared(${BUS_LOCKS}, hashtext(${this.#client.escapeLiteral(name)}));
             LISTEN ${escapeIdentifier(name)}`,
        )
        .join(';'),
    );
  }

  async unlisten(channel: string): Promise<void> {
    const name = nameOf(channel);
    this.#channels.delete(name);
    await this.#client.query(
      `UNLISTEN ${escapeIdentifier(name)};
       SELECT pg_advisory_unlock_shared(${BUS_LOCKS}, hashtext(${this.#client.escapeLiteral(name)}))`,
    );
  }

  async ping(): Promise<void> {
    this.#pings += 1;
    this.#pinged = Promise.withResolvers();
    const { promise } = this.#pinged;
    await this.#client.query('SELECT pg_notify($1, $2)', [this.#echo, String(this.#pings)]);
    await promise;
  }

  async close(): Promise<void> {
    await this.#client.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  #notified({ channel: name, payload = '' }: Notification): void {
    if (name === this.#echo) {
      if (payload === String(this.#pings)) this.#pinged.resolve();
      return;
    }
    const channel = this.#channels.get(name);
    if (channel !== undefined) this.#onPacket(channel, payload);
  }
}

/** PostgreSQL limits channel names to 63 bytes. */
function nameOf(channel: string): string {
  const name = `chatd.${channel}`;
  if (/^[\x20-\x7e]{1,63}$/.test(name)) return name;
  return `chatd#${createHash('sha256').update(channel).digest('base64url')}`;
}
