import type { Json } from '@chatd/protocol';
import type { Bus, RequestOptions, Subscription } from '../../src/bus/bus.ts';

/** The bus connection of one replica. While `losing` is true, it drops what the replica publishes. */
export class LossyBus implements Bus {
  readonly #bus: Bus;
  readonly stats;
  losing = false;
  lost = 0;

  constructor(bus: Bus) {
    this.#bus = bus;
    this.stats = bus.stats;
  }

  publish(subject: string, payload: Json): void {
    if (this.losing) this.lost += 1;
    // Serialized, as over a network.
    else this.#bus.publish(subject, JSON.parse(JSON.stringify(payload)) as Json);
  }

  subscribe(subject: string, handler: (payload: Json) => void): Promise<Subscription> {
    return this.#bus.subscribe(subject, handler);
  }

  request(subject: string, payload: Json, options: RequestOptions): Promise<Json> {
    return this.#bus.request(subject, JSON.parse(JSON.stringify(payload)) as Json, options);
  }

  answer(subject: string, handler: (payload: Json) => Json | Promise<Json>): Promise<Subscription> {
    return this.#bus.answer(subject, handler);
  }

  onGap(listener: () => void): () => void {
    return this.#bus.onGap(listener);
  }

  close(): Promise<void> {
    return this.#bus.close();
  }
}
