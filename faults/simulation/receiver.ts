import type { Channel, Outcome } from '../../packages/server/src/outbox/channel.ts';
import type { ReceivedDelivery } from '../oracle/deliveries.ts';
import type { World } from './world.ts';

const SLOWEST_MS = 1_500;

/** The program that gets the requests of webhooks. Some fail before it has seen them, and some afterward. */
export class Receiver {
  readonly received: ReceivedDelivery[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** As the process of the caller sends to it. A request arrives even if the process dies meanwhile. */
  channel(): Channel {
    const { random, environment } = this.#world;
    const latency = () =>
      random.chance(0.1) ? random.integer(50, SLOWEST_MS) : random.integer(1, 30);
    return {
      keepsDelivered: true,
      send: ({ id }, signal) =>
        new Promise<Outcome>((resolve, reject) => {
          const process = this.#world.current;
          const answer = (outcome: Outcome) =>
            void this.#world.after(latency(), () => resolve(outcome), process);
          const arrive = () => {
            if (isAborted) return;
            const choice = random.next();
            if (choice < 0.9) this.received.push({ id, at: this.#world.now });
            if (choice < 0.8) answer({ kind: 'delivered', status: 200 });
            else answer({ kind: 'failed', status: choice < 0.95 ? null : 500, error: 'simulated' });
          };
          // A request that has not arrived when its connection is closed does not arrive later.
          let isAborted = false;
          const abort = () => {
            isAborted = true;
            reject(new Error('aborted'));
          };
          signal.addEventListener('abort', abort, { once: true });
          this.#world.after(latency(), arrive, environment);
        }),
    };
  }
}
