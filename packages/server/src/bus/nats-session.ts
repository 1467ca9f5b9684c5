import { connect, type NatsConnection, type Subscription } from '@nats-io/transport-node';
import type { NatsAddress } from './nats-address.ts';
import type { PacketListener, Session } from './session.ts';

/** Far below the default limit of servers (1 MB), so that small messages do not wait behind a large packet. */
const PACKET_BYTES = 256 * 1024;
const OPEN_MS = 10_000;

export async function openNatsSession(
  address: NatsAddress,
  onPacket: PacketListener,
): Promise<Session> {
  const connection = await connect({
    ...address.connection,
    name: 'chatd bus',
    timeout: OPEN_MS,
    noEcho: true,
    // BrokerConnection replaces a broken connection and reports the gap.
    reconnect: false,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
  });
  return new NatsSession(connection, address.prefix, onPacket);
}

class NatsSession implements Session {
  readonly packetBytes: number;
  readonly ended: Promise<Error>;
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #onPacket: PacketListener;
  readonly #subscriptions = new Map<string, Subscription>();
  readonly #pings = new Set<PromiseWithResolvers<void>>();

  constructor(connection: NatsConnection, prefix: string, onPacket: PacketListener) {
    this.#connection = connection;
    this.#prefix = prefix;
    this.#onPacket = onPacket;
    this.packetBytes = Math.min(connection.info?.max_payload ?? PACKET_BYTES, PACKET_BYTES);
    this.ended = this.#end();
  }

  async send(packets: readonly { channel: string; text: string }[]): Promise<boolean> {
    for (const { channel, text } of packets) {
      this.#connection.publish(this.#subjectOf(channel), text);
    }
    await this.ping();
    return true;
  }

  async listen(channels: readonly string[]): Promise<void> {
    for (const channel of channels) {
      const subscription = this.#connection.subscribe(this.#subjectOf(channel), {
        callback: (error, message) => {
          if (error === null) this.#onPacket(channel, message.string());
        },
      });
      this.#subscriptions.set(channel, subscription);
    }
    await this.ping();
    // The server has now processed all subscriptions, or refused them.
    const refused = channels.find((channel) => this.#subscriptions.get(channel)?.isClosed());
    if (refused !== undefined) {
      throw new Error(
        `the NATS user has no permission to subscribe to ${this.#subjectOf(refused)}`,
      );
    }
  }

  async unlisten(channel: string): Promise<void> {
    this.#subscriptions.get(channel)?.unsubscribe();
    this.#subscriptions.delete(channel);
  }

  /** A round trip after everything that was sent before. The driver drops pings when the connection breaks. */
  async ping(): Promise<void> {
    const ping = Promise.withResolvers<void>();
    this.#pings.add(ping);
    this.#connection.flush().then(ping.resolve, ping.reject);
    try {
      await ping.promise;
    } finally {
      this.#pings.delete(ping);
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  destroy(): void {
    void this.#connection.close();
  }

  async #end(): Promise<Error> {
    const reason = (await this.#connection.closed()) ?? new Error('the connection was closed');
    for (const ping of this.#pings) ping.reject(reason);
    return reason;
  }

  #subjectOf(channel: string): string {
    return `${this.#prefix}.${channel}`.split('.').map(asToken).join('.');
  }
}

/** NATS tokens must not be empty or contain white space or wildcards. */
function asToken(text: string): string {
  const token = encodeURIComponent(text.toWellFormed()).replaceAll('*', '%2A');
  return token === '' ? '%' : token;
}
