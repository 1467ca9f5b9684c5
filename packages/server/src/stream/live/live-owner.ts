import type { Json } from '@chatd/protocol';
import type { Bus, Subscription } from '../../bus/bus.ts';
import { merged } from './part-buffer.ts';
import type { PartBuffers } from './part-buffers.ts';
import {
  type LiveRequest,
  requestsFromJson,
  entryToJson,
  ownerSubject,
  partsSubject,
  updatesToJson,
  updateToJson,
} from './relay.ts';

export interface LiveOwnerOptions {
  readonly bus: Bus;
  readonly replicaId: string;
  readonly buffers: PartBuffers;
  /** Parts that arrive within this time are sent together. */
  readonly relayMs: number;
  /** The same under load. The longer of the two applies. */
  readonly flushWindow: { readonly ms: number };
  /** A replica that has not asked again for this long is gone. */
  readonly interestMs: number;
}

/** A replica that mirrors a chat of this process, and what it was sent. */
interface Interest {
  tag: string | null | undefined;
  seq: number;
  until: number;
}

/** Size of one bus message. PostgreSQL takes up to 8,000 bytes at a time. */
const MESSAGE_BYTES = 6500;

/** Sends the live parts of this process to replicas that request them. */
export class LiveOwner {
  readonly #options: LiveOwnerOptions;
  readonly #interests = new Map<string, Map<string, Interest>>();
  readonly #unfollow = new Map<string, () => void>();
  /** By replica, the chats with parts to send. */
  readonly #due = new Map<string, Set<string>>();
  #flushing: NodeJS.Timeout | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #answering: Subscription | undefined;

  constructor(options: LiveOwnerOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus, replicaId, interestMs } = this.#options;
    this.#answering = await bus.answer(ownerSubject(replicaId), (json) => this.#asked(json));
    this.#forgetting = setInterval(() => this.#forgetExpired(), interestMs);
    this.#forgetting.unref();
  }

  async close(): Promise<void> {
    clearTimeout(this.#flushing);
    clearInterval(this.#forgetting);
    for (const unfollow of this.#unfollow.values()) unfollow();
    this.#interests.clear();
    this.#due.clear();
    await this.#answering?.close();
  }

  #asked(json: Json): Json {
    const { replica, chats, leave } = requestsFromJson(json);
    for (const chat of leave) this.#forget(chat, replica);
    for (const asked of chats) this.#note(replica, asked);
    return {};
  }

  #note(replica: string, { chat, tag, seq }: LiveRequest): void {
    const { buffers, interestMs } = this.#options;
    let interested = this.#interests.get(chat);
    if (interested === undefined) {
      interested = new Map();
      this.#interests.set(chat, interested);
      this.#unfollow.set(
        chat,
        buffers.follow(chat, () => this.#changed(chat)),
      );
    }
    // Continue from what the replica has. What it was sent may have been lost.
    interested.set(replica, { tag, seq, until: performance.now() + interestMs });
    const buffer = buffers.get(chat);
    if (tag !== (buffer?.live.tag ?? null) || seq !== (buffer?.seq ?? 0)) this.#tell(replica, chat);
  }

  #forget(chat: string, replica: string): void {
    const interested = this.#interests.get(chat);
    interested?.delete(replica);
    this.#due.get(replica)?.delete(chat);
    if (interested?.size !== 0) return;
    this.#interests.delete(chat);
    this.#unfollow.get(chat)?.();
    this.#unfollow.delete(chat);
  }

  #forgetExpired(): void {
    const now = performance.now();
    for (const [chat, interested] of this.#interests) {
      for (const [replica, { until }] of interested) {
        if (until < now) this.#forget(chat, replica);
      }
    }
  }

  #changed(chat: string): void {
    for (const replica of this.#interests.get(chat)?.keys() ?? []) this.#tell(replica, chat);
  }

  #tell(replica: string, chat: string): void {
    const due = this.#due.get(replica) ?? new Set();
    this.#due.set(replica, due.add(chat));
    const { relayMs, flushWindow } = this.#options;
    this.#flushing ??= setTimeout(() => this.#flush(), Math.max(relayMs, flushWindow.ms));
  }

  #flush(): void {
    this.#flushing = undefined;
    for (const [replica, chats] of this.#due) {
      const batch = new UpdateBatch((message) => this.#send(replica, message));
      for (const chat of chats) this.#write(batch, replica, chat);
      batch.flush();
    }
    this.#due.clear();
  }

  #write(batch: UpdateBatch, replica: string, chat: string): void {
    const interest = this.#interests.get(chat)?.get(replica);
    if (interest === undefined) return;
    const buffer = this.#options.buffers.get(chat);
    const tag = buffer?.live.tag ?? null;
    const seq = tag === interest.tag ? interest.seq : 0;
    const entries = merged(buffer?.after(seq) ?? []).map(entryToJson);
    if (tag === interest.tag && entries.length === 0) return;
    interest.tag = tag;
    interest.seq = buffer?.seq ?? 0;
    const update = { chat, live: buffer?.live ?? null };
    if (entries.length === 0) batch.add(updateToJson(update, []));
    for (const entry of entries) batch.add(updateToJson(update, [entry]));
  }

  #send(replica: string, chats: WireUpdate[]): void {
    const { bus, replicaId } = this.#options;
    bus.publish(partsSubject(replica), updatesToJson(replicaId, chats));
  }
}

type WireUpdate = ReturnType<typeof updateToJson>;

/** Packs entries into bus messages. */
class UpdateBatch {
  readonly #send: (chats: WireUpdate[]) => void;
  #chats: WireUpdate[] = [];
  #bytes = 0;

  constructor(send: (chats: WireUpdate[]) => void) {
    this.#send = send;
  }

  add(update: WireUpdate): void {
    const bytes = Buffer.byteLength(JSON.stringify(update));
    if (this.#bytes + bytes > MESSAGE_BYTES) this.flush();
    this.#bytes += bytes;
    const last = this.#chats.at(-1);
    if (last !== undefined && last[0] === update[0]) last[2].push(...update[2]);
    else this.#chats.push(update);
  }

  flush(): void {
    if (this.#chats.length > 0) this.#send(this.#chats);
    this.#chats = [];
    this.#bytes = 0;
  }
}
