import type { Channel } from '../../packages/server/src/machine/link/channel.ts';
import { ChannelEnd } from '../../packages/server/src/machine/link/memory-channel.ts';
import {
  ConnectionRefused,
  type dialWebSocket,
} from '../../packages/server/src/machine/link/web-socket-channel.ts';
import type { Process, World } from './world.ts';

/** What accepts connections at a host. */
export interface Listener {
  readonly process: Process;
  /** In its process. Returns why it refuses. */
  accept(
    path: string,
    headers: Readonly<Record<string, string>>,
    channel: Channel,
  ): Promise<{ readonly status: number; readonly detail: string } | undefined>;
}

const CONNECT_MS = 10_000;
const toRefusal = (error: unknown) => ({ status: 503, detail: String(error) });

/** Connections between replicas and machines. Messages of a connection arrive in order, until it breaks. */
export class Network {
  readonly #world: World;
  readonly #find: (host: string) => Listener | undefined;
  readonly #wires = new Set<Wire>();

  constructor(world: World, find: (host: string) => Listener | undefined) {
    this.#world = world;
    this.#find = find;
  }

  readonly dial: typeof dialWebSocket = (url, { headers }) =>
    new Promise((resolve, reject) => {
      const world = this.#world;
      const from = world.current;
      const answer = (what: () => void) => void world.after(this.latencyMs(), what, from);
      const { hostname, pathname } = new URL(url);
      const arrive = () => {
        const listener = this.#find(hostname);
        if (listener === undefined || listener.process.isDead) {
          return answer(() => reject(new Error('connect ECONNREFUSED')));
        }
        const wire = new Wire(this, world, [from, listener.process]);
        this.#wires.add(wire);
        const accept = async () => {
          const refusal = await listener.accept(pathname, headers, wire.ends[1]).catch(toRefusal);
          if (refusal === undefined) return answer(() => resolve(wire.ends[0]));
          const { status, detail } = refusal;
          return answer(() => reject(new ConnectionRefused(status, detail)));
        };
        world.after(0, () => void accept(), listener.process);
      };
      world.after(this.latencyMs(), arrive, world.environment);
      world.after(CONNECT_MS, () => reject(new Error('connect ETIMEDOUT')), from);
    });

  latencyMs(): number {
    const { random } = this.#world;
    return random.chance(0.02) ? random.integer(50, 500) : random.integer(1, 5);
  }

  /** Breaks all connections. Silently: nothing arrives anymore, and no side learns it. */
  break(silently: boolean): void {
    for (const wire of this.#wires) {
      if (silently) wire.isCut = true;
      else wire.reset();
    }
  }

  forget(wire: Wire): void {
    this.#wires.delete(wire);
  }
}

/** Two ends of a connection. The death of one process closes the other end. */
class Wire {
  readonly ends: readonly [WireEnd, WireEnd];
  isCut = false;

  constructor(network: Network, world: World, [near, far]: readonly [Process, Process]) {
    const one = new WireEnd(network, world, this, near, far);
    const other = new WireEnd(network, world, this, far, near);
    one.peer = other;
    other.peer = one;
    this.ends = [one, other];
  }

  reset(): void {
    for (const end of this.ends) end.breakLater('the connection was reset');
  }
}

class WireEnd extends ChannelEnd {
  readonly #network: Network;
  readonly #world: World;
  readonly #wire: Wire;
  readonly #near: Process;
  readonly #far: Process;
  #arrivesAt = 0;

  constructor(network: Network, world: World, wire: Wire, near: Process, far: Process) {
    super();
    this.#network = network;
    this.#world = world;
    this.#wire = wire;
    this.#near = near;
    this.#far = far;
    near.atDeath.add(this.#die);
  }

  override close(reason: string): void {
    this.#near.atDeath.delete(this.#die);
    this.#network.forget(this.#wire);
    super.close(reason);
  }

  breakLater(reason: string): void {
    this.#world.after(this.#network.latencyMs(), () => this.close(reason), this.#near);
  }

  readonly #die = (): void => this.carry(() => this.peer.close('the other side has ended'));

  /** Unless the connection was cut meanwhile. */
  protected override carry(arrive: () => void): void {
    if (this.#wire.isCut) return;
    const { now } = this.#world;
    this.#arrivesAt = Math.max(this.#arrivesAt, now + this.#network.latencyMs());
    const arriveUncut = () => {
      if (!this.#wire.isCut) arrive();
    };
    this.#world.after(this.#arrivesAt - now, arriveUncut, this.#far);
  }
}
