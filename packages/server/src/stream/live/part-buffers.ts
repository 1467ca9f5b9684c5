import { randomUUID } from 'node:crypto';
import type { Episode } from '@chatd/loop';
import type { Part, Role } from '@chatd/protocol';
import { presentParts } from '../../present/part.ts';
import { Listeners } from '../listeners.ts';
import type { LiveSink } from './live-sink.ts';
import { PartBuffer } from './part-buffer.ts';

export interface PartBuffersOptions {
  /** Distinguishes buffers of the same episode. */
  readonly newTag?: () => string;
  readonly bytesPerChat?: number;
}

/** The live parts of the chats that this process runs. */
export class PartBuffers implements LiveSink {
  readonly #buffers = new Map<string, PartBuffer>();
  readonly #listeners = new Listeners<string>();
  readonly #newTag: () => string;
  readonly #limit: number | undefined;

  constructor(options: PartBuffersOptions = {}) {
    this.#newTag = options.newTag ?? (() => randomUUID().slice(-12));
    this.#limit = options.bytesPerChat;
  }

  begin(chatId: string, { history_version, attempt }: Episode): void {
    const live = { history_version, attempt, tag: this.#newTag() };
    this.#buffers.set(chatId, new PartBuffer(live, this.#limit));
    this.#listeners.tell(chatId);
  }

  push(chatId: string, role: Role, part: Part): void {
    const buffer = this.#buffers.get(chatId);
    if (buffer === undefined) return;
    for (const shown of presentParts([part])) buffer.push(role, shown);
    this.#listeners.tell(chatId);
  }

  end(chatId: string): void {
    if (this.#buffers.delete(chatId)) this.#listeners.tell(chatId);
  }

  get(chatId: string): PartBuffer | null {
    return this.#buffers.get(chatId) ?? null;
  }

  get size(): number {
    return this.#buffers.size;
  }

  /** Calls the listener when the buffer of the chat is replaced or grows. The listener must be quick. */
  follow(chatId: string, listener: () => void): () => void {
    return this.#listeners.add(chatId, listener);
  }
}
