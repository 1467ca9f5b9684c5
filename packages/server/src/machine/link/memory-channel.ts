import type { Channel } from './channel.ts';

/** Two ends of a channel within this process. */
export function memoryChannels(): [Channel, Channel] {
  const one = new MemoryChannel();
  const other = new MemoryChannel();
  one.peer = other;
  other.peer = one;
  return [one, other];
}

class MemoryChannel implements Channel {
  readonly backlog = 0;
  peer!: MemoryChannel;
  readonly #waiting: Buffer[] = [];
  #onMessage: ((message: Buffer) => void) | undefined;
  #onClose: (reason: string) => void = () => undefined;
  #reason: string | undefined;

  send(message: Buffer): void {
    const { peer } = this;
    if (this.#reason !== undefined) return;
    queueMicrotask(() => {
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
    queueMicrotask(() => this.peer.close(reason));
  }
}
