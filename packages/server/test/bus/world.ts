import type { Json } from '@chatd/protocol';
import { type Logger, pino } from 'pino';
import type { Bus } from '../../src/bus/bus.ts';

export interface OpenOptions {
  readonly log?: Logger;
  /** Interval of pings to the broker. Short where a connection is cut silently. */
  readonly pingMs?: number;
  /** Limit of the queue of unsent messages. */
  readonly outboxBytes?: number;
}

/** A deployment whose processes share one kind of bus. */
export interface BusHarness {
  /** Opens the bus of another process. */
  open(options?: OpenOptions): Promise<Bus>;
  close(): Promise<void>;
  /** There is only one process, so tests use one bus for both. */
  readonly oneProcess?: boolean;
}

/** A deployment whose broker can fail. */
export interface BrokerHarness extends BusHarness {
  /** Opens the bus of a process with its own connection to the broker, which can be cut. */
  openRemote(options?: OpenOptions): Promise<{ bus: Bus; proxy: BrokerProxy }>;
  stopServer(): Promise<void>;
  /** Error when no server runs. */
  readonly unreachable: RegExp;
  startServer(): Promise<void>;
}

export interface BrokerProxy {
  cut(): void;
  terminate(): void;
  refuse(): void;
  allow(): void;
  readonly connections: number;
  readonly refused: number;
}

export const silent = pino({ level: 'silent' });

export function recordingLog(): { log: Logger; records: { msg: string; level: number }[] } {
  const records: { msg: string; level: number }[] = [];
  const log = pino(
    { level: 'debug' },
    { write: (line: string) => records.push(JSON.parse(line) as { msg: string; level: number }) },
  );
  return { log, records };
}

/** Received messages. Waits have no time limit of their own. */
export class Mailbox {
  readonly messages: Json[] = [];
  readonly #waiting = new Set<() => void>();

  static async on(bus: Bus, subject: string): Promise<Mailbox> {
    const mailbox = new Mailbox();
    await bus.subscribe(subject, mailbox.take);
    return mailbox;
  }

  readonly take = (message: Json): void => {
    this.messages.push(message);
    for (const look of this.#waiting) look();
  };

  async until(fits: (messages: Json[]) => boolean): Promise<Json[]> {
    const { promise, resolve } = Promise.withResolvers<Json[]>();
    const look = () => {
      if (fits(this.messages)) resolve(this.messages);
    };
    this.#waiting.add(look);
    look();
    try {
      return await promise;
    } finally {
      this.#waiting.delete(look);
    }
  }

  has(message: Json): Promise<Json[]> {
    return this.until((messages) => messages.includes(message));
  }
}

/** Resolves at the next gap. */
export function nextGap(bus: Bus): Promise<void> {
  return new Promise((resolve) => {
    const off = bus.onGap(() => {
      off();
      resolve();
    });
  });
}
