import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Json } from '@chatd/protocol';
import type { Logger } from 'pino';
import { type Bus, BusClosed, newStats, type RequestOptions, type Subscription } from './bus.ts';
import { GapListeners } from './gap-listeners.ts';
import { BrokerConnection } from './broker-connection.ts';
import { Outbox } from './outbox.ts';
import { newSender, PacketWriter } from './packet.ts';
import { PacketReader } from './packet-reader.ts';
import { type BusReply, PendingRequests } from './pending-requests.ts';
import type { OpenSession } from './session.ts';
import { LocalHandlers } from './local-handlers.ts';
import { within } from './within.ts';

export interface BrokerBusOptions {
  readonly open: OpenSession;
  readonly log: Logger;
  readonly pingMs?: number;
  /** Min time between two batches, unless a batch is full. */
  readonly lingerMs?: number;
  /** Max bytes that wait to be sent. */
  readonly outboxBytes?: number;
  readonly gapEveryMs?: number;
}

const BATCH_BYTES = 256 * 1024;
const OUTBOX_BYTES = 8 * 1024 * 1024;
const PING_MS = 5000;
const GAP_EVERY_MS = 1000;
const LAST_WORDS_MS = 1000;
/** Min time between two batches while no process listens. */
const UNHEARD_LINGER_MS = 25;
const PAUSE_AFTER_FAILURE_MS = 500;

type Ask = { readonly id: string; readonly from: string; readonly payload: Json };
type Reply = { readonly id: string; readonly answer: BusReply };

/**
 * A bus over a broker. Subscribers of this process get messages directly. Each subject has a channel for messages and one
 * for requests, so that the broker sends a process only what it listens to. Replies come to a channel of the process.
 */
export class BrokerBus implements Bus {
  readonly stats = newStats();
  readonly #log: Logger;
  readonly #lingerMs: number;
  readonly #handlers: LocalHandlers;
  readonly #requests = new PendingRequests();
  readonly #gaps: GapListeners;
  readonly #sender = newSender();
  readonly #reader = new PacketReader(this.#sender);
  readonly #outbox: Outbox;
  readonly #connection: BrokerConnection;
  #sending = false;
  #drained: Promise<void> = Promise.resolve();
  #connectedBefore = false;
  /** Logged once per connection. */
  #dropping = false;
  #closed = false;

  /** Rejects if the broker cannot be reached now. Later losses are retried without limit. */
  static async open(options: BrokerBusOptions): Promise<BrokerBus> {
    const bus = new BrokerBus(options);
    // First, so that missing permissions are found now.
    const listening = bus.#connection.listen(inboxOf(bus.#sender));
    await bus.#connection.connect();
    await listening;
    return bus;
  }

  private constructor(options: BrokerBusOptions) {
    this.#log = options.log;
    this.#lingerMs = options.lingerMs ?? 0;
    this.#handlers = new LocalHandlers(options.log);
    this.#gaps = new GapListeners(options.gapEveryMs ?? GAP_EVERY_MS, options.log);
    this.#outbox = new Outbox(options.outboxBytes ?? OUTBOX_BYTES, new PacketWriter(this.#sender));
    this.#connection = new BrokerConnection({
      open: options.open,
      pingMs: options.pingMs ?? PING_MS,
      log: options.log,
      onPacket: (channel, text) => this.#read(channel, text),
      onConnect: () => this.#connected(),
    });
  }

  publish(subject: string, payload: Json): void {
    if (this.#closed) return;
    this.stats.published += 1;
    this.#handlers.post(subject, payload);
    this.#send(`say.${subject}`, payload);
  }

  async subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#handlers.subscribe(subject, handler);
    return await this.#listening(`say.${subject}`, end);
  }

  async request(subject: string, payload: Json, options: RequestOptions): Promise<Json> {
    if (this.#closed) throw new BusClosed();
    return await this.#requests.ask(subject, options, (id) => {
      if (this.#handlers.answers(subject)) {
        void this.#answer(subject, payload, (answer) => this.#requests.settle(id, answer));
      } else {
        this.#send(`ask.${subject}`, { id, from: this.#sender, payload } satisfies Ask);
      }
    });
  }

  async answer(
    subject: string,
    handler: (payload: Json) => Json | Promise<Json>,
  ): Promise<Subscription> {
    if (this.#closed) throw new BusClosed();
    const end = this.#handlers.answerWith(subject, handler);
    return await this.#listening(`ask.${subject}`, end);
  }

  onGap(listener: () => void): () => void {
    return this.#gaps.add(listener);
  }

  async close(): Promise<void> {
    if (!this.#closed) {
      this.#closed = true;
      this.#handlers.clear();
      this.#requests.giveUp();
      this.#gaps.close();
      if (this.#connection.session !== undefined) await within(LAST_WORDS_MS, this.#drained);
    }
    await this.#connection.close();
  }

  async #listening(channel: string, end: () => void): Promise<Subscription> {
    try {
      await this.#connection.listen(channel);
    } catch (error) {
      end();
      throw error;
    }
    let closed = false;
    return {
      close: async () => {
        end();
        if (closed) return;
        closed = true;
        await this.#connection.unlisten(channel);
      },
    };
  }

  #read(channel: string, text: string): void {
    try {
      const reading = this.#reader.read(channel, text);
      if ('gap' in reading) {
        this.#gaps.tell();
        return;
      }
      this.stats.received += reading.messages.length;
      const receive = this.#receiver(channel);
      for (const message of reading.messages) receive(message);
    } catch (error) {
      this.#log.warn({ err: error, channel }, 'cannot read a bus message');
    }
  }

  #receiver(channel: string): (message: Json) => void {
    const dot = channel.indexOf('.');
    const subject = channel.slice(dot + 1);
    switch (channel.slice(0, dot)) {
      case 'say':
        return (payload) => this.#handlers.deliver(subject, payload);
      case 'ask':
        return (message) => {
          const { id, from, payload } = message as Ask;
          void this.#answer(subject, payload, (answer) =>
            this.#send(inboxOf(from), { id, answer } satisfies Reply),
          );
        };
      default:
        return (message) => {
          const { id, answer } = message as Reply;
          this.#requests.settle(id, answer);
        };
    }
  }

  async #answer(subject: string, payload: Json, reply: (answer: BusReply) => void): Promise<void> {
    const answer = await this.#handlers.answer(subject, payload);
    if (answer !== undefined) reply(answer);
  }

  #send(channel: string, message: Json): void {
    if (this.#closed) return;
    try {
      this.#dropped(this.#outbox.put(channel, JSON.stringify(message)));
    } catch (error) {
      this.stats.dropped += 1;
      this.#log.error({ err: error, channel }, 'cannot encode a bus message');
    }
    this.#startSending();
  }

  #startSending(): void {
    if (this.#sending || this.#connection.session === undefined) return;
    this.#sending = true;
    this.#drained = this.#sendAll();
  }

  /** One batch at a time. Messages that are published meanwhile form the next one. */
  async #sendAll(): Promise<void> {
    // Messages of one turn of the event loop go together.
    await Promise.resolve();
    for (;;) {
      const session = this.#connection.session;
      if (session === undefined || this.#outbox.empty) break;
      const started = performance.now();
      const batch = this.#outbox.take(session.packetBytes, BATCH_BYTES);
      let heard = true;
      try {
        heard = await session.send(batch.packets);
      } catch (error) {
        this.#outbox.failed(batch);
        this.#dropped(batch.messages);
        // A broken connection shows here first.
        await nextTurn();
        if (session !== this.#connection.session) continue;
        this.#log.warn({ err: error }, 'cannot send bus messages');
        await sleep(PAUSE_AFTER_FAILURE_MS);
      }
      const linger = heard ? this.#lingerMs : Math.max(this.#lingerMs, UNHEARD_LINGER_MS);
      const rest = started + linger - performance.now();
      if (rest > 0 && !batch.full && !this.#closed) await sleep(rest);
    }
    this.#sending = false;
  }

  #dropped(messages: number): void {
    if (messages === 0) return;
    this.stats.dropped += messages;
    if (this.#dropping) return;
    this.#dropping = true;
    this.#log.warn('bus messages were dropped; other replicas read the database instead');
  }

  #connected(): void {
    this.#dropping = false;
    this.#reader.forget();
    this.#startSending();
    if (!this.#connectedBefore) {
      this.#connectedBefore = true;
      return;
    }
    this.stats.reconnects += 1;
    this.#log.info('reconnected to the bus');
    this.#gaps.tell();
  }
}

const inboxOf = (sender: string) => `inbox.${sender}`;
