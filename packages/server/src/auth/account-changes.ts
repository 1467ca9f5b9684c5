import type { Bus, Subscription } from '../bus/bus.ts';

const SUBJECT = 'accounts';

/**
 * Notifies every replica that a user lost rights: suspended, deleted, signed out, a token revoked. The change takes
 * effect at once; without the message, replicas notice it within seconds.
 */
export class AccountChanges {
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  /** Call it after the change is committed. */
  publish(userId: string): void {
    this.#bus.publish(SUBJECT, { user_id: userId });
  }

  async subscribe(handle: (userId: string) => void): Promise<Subscription> {
    return await this.#bus.subscribe(SUBJECT, (payload) =>
      handle((payload as { readonly user_id: string }).user_id),
    );
  }
}
