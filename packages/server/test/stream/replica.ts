import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import type { Bus } from '../../src/bus/bus.ts';
import type { Holder } from '../../src/stream/holders.ts';
import { type StreamStart, Streams } from '../../src/stream/streams.ts';
import type { StreamTiming } from '../../src/stream/timing.ts';
import type { TestStore } from '@chatd/test-server/database';
import { Seen, Viewer } from './viewer.ts';

/** Disables the timers that a test does not need. */
export const NEVER = 2 ** 30;
const QUIET: Partial<StreamTiming> = {
  keepAliveMs: NEVER,
  pingMs: NEVER,
  pollMs: NEVER,
  stallMs: NEVER,
  revokedMs: NEVER,
  presentMs: NEVER,
  lingerMs: 0,
  flushMs: 0,
  relayMs: 1,
};

/** The holder of all test clients. It has no token. */
export const HOLDER: Holder = {
  kind: 'session',
  key: 'test',
  userId: 'test',
  username: 'test',
  needsAdmin: false,
  guest: undefined,
};

/** The streams of one replica. */
export class Replica {
  readonly id = randomUUID();
  readonly bus: Bus;
  readonly store: TestStore;
  readonly streams: Streams;

  static async start(
    store: TestStore,
    bus: Bus,
    timing: Partial<StreamTiming> = {},
  ): Promise<Replica> {
    const replica = new Replica(store, bus, timing);
    await replica.streams.start();
    return replica;
  }

  private constructor(store: TestStore, bus: Bus, timing: Partial<StreamTiming>) {
    this.store = store;
    this.bus = bus;
    this.streams = new Streams({
      store,
      bus,
      replicaId: this.id,
      log: pino({ level: 'silent' }),
      timing: { ...QUIET, ...timing },
    });
  }

  /** A new client, or one that resumes from what it has seen. */
  async view(chatId: string, seen = new Seen(), from: StreamStart = {}): Promise<Viewer> {
    const viewer = new Viewer(seen);
    await this.open(chatId, viewer, from);
    return viewer;
  }

  async open(chatId: string, viewer: Viewer, from: StreamStart = {}): Promise<void> {
    const chat = await this.store.read(chatId);
    const joining = await this.streams.join(chat, { ...from, cursor: viewer.seen.cursor }, HOLDER);
    joining.open(viewer);
  }

  async close(): Promise<void> {
    await this.streams.close();
  }
}
