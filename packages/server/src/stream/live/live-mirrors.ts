import type { Json } from '@chatd/protocol';
import type { Bus, Subscription } from '../../bus/bus.ts';
import { PartBuffer } from './part-buffer.ts';
import {
  requestsToJson,
  ownerSubject,
  partsSubject,
  updatesFromJson,
  type LiveUpdate,
} from './relay.ts';

export interface LiveMirrorsOptions {
  readonly bus: Bus;
  readonly replicaId: string;
  /** Interval of requests to owners, which also recover lost parts. */
  readonly renewMs: number;
  /** How long an owner may take to answer. */
  readonly answerMs: number;
}

/** A copy of the live parts of a chat that another replica runs. */
export interface LiveMirror {
  /** Null: none. Undefined: the owner has not answered yet. */
  readonly buffer: PartBuffer | null | undefined;
  close(): void;
}

interface Followed {
  readonly owner: string;
  readonly onChange: () => void;
  buffer: PartBuffer | null | undefined;
  /** Parts were missing and have been requested. */
  repairing: boolean;
}

/** Chats in one request, so that it fits into one bus message. */
const CHATS_PER_ASK = 60;

/** Copies of the buffers of other replicas, while clients here watch them. */
export class LiveMirrors {
  readonly #options: LiveMirrorsOptions;
  readonly #followed = new Map<string, Followed>();
  #subscription: Subscription | undefined;
  #renewing: NodeJS.Timeout | undefined;
  #offGap: (() => void) | undefined;

  constructor(options: LiveMirrorsOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const { bus, replicaId, renewMs } = this.#options;
    this.#subscription = await bus.subscribe(partsSubject(replicaId), (json) =>
      this.#updated(json),
    );
    this.#offGap = bus.onGap(() => this.#askAgain());
    this.#renewing = setInterval(() => this.#askAgain(), renewMs);
    this.#renewing.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#renewing);
    this.#offGap?.();
    this.#followed.clear();
    await this.#subscription?.close();
  }

  get size(): number {
    return this.#followed.size;
  }

  /** `onChange` is never called before this returns. */
  follow(chatId: string, owner: string, onChange: () => void): LiveMirror {
    const followed: Followed = { owner, onChange, buffer: undefined, repairing: false };
    this.#followed.set(chatId, followed);
    this.#ask(owner, [chatId]);
    return {
      get buffer() {
        return followed.buffer;
      },
      close: () => {
        if (this.#followed.get(chatId) !== followed) return;
        this.#followed.delete(chatId);
        this.#request(owner, [], [chatId]).catch(() => undefined);
      },
    };
  }

  #askAgain(): void {
    const byOwner = Map.groupBy(this.#followed, ([, { owner }]) => owner);
    for (const [owner, chats] of byOwner) {
      for (let at = 0; at < chats.length; at += CHATS_PER_ASK) {
        const some = chats.slice(at, at + CHATS_PER_ASK);
        this.#ask(
          owner,
          some.map(([chatId]) => chatId),
        );
      }
    }
  }

  #ask(owner: string, chatIds: readonly string[]): void {
    this.#request(owner, chatIds, []).catch(() => {
      // No answer counts as no parts. The owner is asked again later.
      for (const chatId of chatIds) {
        const followed = this.#followed.get(chatId);
        if (followed?.owner !== owner || followed.buffer !== undefined) continue;
        followed.buffer = null;
        followed.onChange();
      }
    });
  }

  async #request(
    owner: string,
    chatIds: readonly string[],
    leave: readonly string[],
  ): Promise<void> {
    const { bus, replicaId, answerMs } = this.#options;
    const chats = chatIds.flatMap((chat) => {
      const followed = this.#followed.get(chat);
      if (followed?.owner !== owner) return [];
      followed.repairing = false;
      const { buffer } = followed;
      const tag = buffer === undefined ? undefined : (buffer?.live.tag ?? null);
      return [{ chat, seq: buffer?.seq ?? 0, ...(tag !== undefined && { tag }) }];
    });
    const requests = requestsToJson({ replica: replicaId, chats, leave });
    await bus.request(ownerSubject(owner), requests, { timeoutMs: answerMs });
  }

  #updated(json: Json): void {
    const { owner, chats } = updatesFromJson(json);
    for (const update of chats) {
      const followed = this.#followed.get(update.chat);
      if (followed?.owner === owner) this.#take(followed, update);
    }
  }

  #take(followed: Followed, { chat, live, entries }: LiveUpdate): void {
    if (live === null) {
      followed.buffer = null;
    } else {
      if (followed.buffer?.live.tag !== live.tag) followed.buffer = new PartBuffer(live);
      if (!followed.buffer.append(entries) && !followed.repairing) {
        this.#ask(followed.owner, [chat]);
        followed.repairing = true;
      }
    }
    followed.onChange();
  }
}
