import type { Bus, Subscription } from '../bus/bus.ts';

const SUBJECT = 'sharing';

/** What changed: who can access a chat, or up to where a user has read it. */
export interface SharingChange {
  readonly chat_id: string;
  readonly read_by?: string;
}

/**
 * Notifies every replica that the grants or the link of a chat changed. The change takes effect at once; without the
 * message, replicas notice it within seconds.
 */
export class SharingChanges {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Call it after the change is committed. */
  publish(change: SharingChange): void {
    this.#bus.publish(SUBJECT, { ...change });
  }

  async subscribe(handle: (change: SharingChange) => void): Promise<Subscription> {
    return await this.#bus.subscribe(SUBJECT, (payload) =>
      handle(payload as unknown as SharingChange),
    );
  }
}
