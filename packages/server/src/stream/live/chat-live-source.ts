import type { LiveMirror, LiveMirrors } from './live-mirrors.ts';
import type { LiveSource, LiveSourceListener } from './live-source.ts';
import type { PartBuffer } from './part-buffer.ts';
import type { PartBuffers } from './part-buffers.ts';

export interface ChatLiveSourceOptions {
  readonly chatId: string;
  readonly replicaId: string;
  readonly buffers: PartBuffers;
  readonly mirrors: LiveMirrors;
  readonly listener: LiveSourceListener;
}

/** Reads the buffer of this process while it runs the chat, else a mirror. */
export class ChatLiveSource implements LiveSource {
  readonly #options: ChatLiveSourceOptions;
  readonly #leave: () => void;
  #owner: string | null | undefined;
  #mirror: LiveMirror | undefined;
  #own: PartBuffer | null = null;

  constructor(options: ChatLiveSourceOptions) {
    this.#options = options;
    this.#leave = options.buffers.follow(options.chatId, () => this.#ownChanged());
  }

  get buffer(): PartBuffer | null | undefined {
    if (this.#owner === undefined) return undefined;
    return this.#isOwn ? this.#options.buffers.get(this.#options.chatId) : this.#mirror?.buffer;
  }

  ownedBy(workerId: string | null): void {
    if (workerId === this.#owner) return;
    this.#owner = workerId;
    this.#mirror?.close();
    const { chatId, mirrors, listener } = this.#options;
    this.#mirror =
      workerId === null || this.#isOwn
        ? undefined
        : mirrors.follow(chatId, workerId, () => listener.changed());
  }

  close(): void {
    this.#leave();
    this.#mirror?.close();
  }

  /** A chat without an owner counts as ours: this process may have just acquired it. */
  get #isOwn(): boolean {
    return this.#owner === null || this.#owner === this.#options.replicaId;
  }

  #ownChanged(): void {
    const { listener, buffers, chatId } = this.#options;
    if (this.#isOwn) return listener.changed();
    const own = buffers.get(chatId);
    if (own !== null && own !== this.#own) listener.doubted();
    this.#own = own;
  }
}
