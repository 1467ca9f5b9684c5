import type { Json } from '@chatd/protocol';
import { type Logger, pino } from 'pino';
import type { Bus } from '../../src/bus/bus.ts';

export interface OpenOptions {
  readonly log?: Logger;
  /** How often the broker must prove that it is there: short where a way is cut without a word. */
  readonly pingMs?: number;
  /** What may wait to be sent, where something has to. */
  readonly outboxBytes?: number;
}

/** Where buses of one kind meet. */
export interface World {
  /** The bus of one more process of the deployment. */
  open(options?: OpenOptions): Promise<Bus>;
  close(): Promise<void>;
  /** There are no others: the same bus stands for both. */
  readonly oneProcess?: boolean;
}

/** A world whose broker can fail. */
export interface FragileWorld extends World {
  /** One process that reaches the broker by a way of its own, which can be cut; the others are not concerned. */
  openRemote(options?: OpenOptions): Promise<{ bus: Bus; way: Way }>;
  stopServer(): Promise<void>;
  /** What is said when there is none. */
  readonly unreachable: RegExp;
  startServer(): Promise<void>;
}

export interface Way {
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

/** What arrived, and a way to wait until something has: how long that takes is no part of any test. */
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
