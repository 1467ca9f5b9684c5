import type { Channel } from './channel.ts';

/** Two ends of a channel within this process. */
export function memoryChannels(): [Channel, Channel] {
  const one = new MemoryChannel();
  const other = new MemoryChannel();
  one.peer = other;
  other.peer = one;
  return [one, other];
}

/** One of two ends. Messages that arrive before there is a listener wait for it. */
export abstract class ChannelEnd implements Channel {
  readonly backlog = 0;
  peer!: ChannelEnd;
  readonly #waiting: Buffer[] = [];
  #onMessage: ((message: Buffer) => void) | undefined;
  #onClose: (reason: string) => void = () => undefined;
  #reason: string | undefined;

  /** Calls `arrive` later, in order. */
  protected abstract carry(arrive: () => void): void;

  send(message: Buffer): void {
    const { peer } = this;
    if (this.#reason !== undefined) return;
    this.carry(() => {
      if (peer.#reason !== undefined) return;
      if (peer.#onMessage === undefined) peer.#waiting.push(message);
      else peer.#onMessage(message);
    });
  }

  onMessage(listener: (message: Buffer) => void): void {
    this.#onMessage = listener;
    for (const message of this.#waiting.splice(0)) listener(message);
  }

  onClose(listener: (reason: string) => void): void {
    this.#onClose = listener;
    if (this.#reason !== undefined) listener(this.#reason);
  }

  close(reason: string): void {
    if (this.#reason !== undefined) return;
    this.#reason = reason;
    this.#onClose(reason);
    this.carry(() => this.peer.close(reason));
  }
}

class MemoryChannel extends ChannelEnd {
  protected override carry(arrive: () => void): void {
    queueMicrotask(arrive);
  }
}
