import type { Clock } from '@chatd/loop';
import type {
  ConnectionHandlers,
  GatewayAccess,
  IncomingConnection,
  Sandbox,
} from '../drivers/driver.ts';

/** How long a connection waits for a server that accepts it. */
const WAIT_MS = 30_000;
/** Connections that wait at the same time, whatever a sandbox says. */
const MAX_WAITING = 64;
const NOBODY: ConnectionHandlers = { onData: () => undefined, onClose: () => undefined };

/** The connections of programs in one workspace to the server, from all its sandboxes. */
export class LocalGateway {
  readonly #clock: Clock;
  readonly #sandboxes = new Set<GatewayAccess>();
  readonly #waiting = new Set<IncomingConnection>();
  readonly #accepting = new Set<(incoming: IncomingConnection) => void>();
  #hosts: readonly string[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Until the sandbox closes. Rejects if a program of the agent uses the port. */
  async add({ gateway, closed }: Sandbox, hosts: readonly string[]): Promise<void> {
    if (gateway === undefined) return;
    this.#sandboxes.add(gateway);
    void closed.then(() => this.#sandboxes.delete(gateway));
    this.#hosts = hosts;
    if (hosts.length > 0) await this.#open(gateway);
  }

  /** Resolves with the next connection. From now on, git reaches `hosts` through the gateway. */
  async accept(hosts: readonly string[], signal: AbortSignal): Promise<IncomingConnection> {
    signal.throwIfAborted();
    if (hosts.join() !== this.#hosts.join()) {
      this.#hosts = hosts;
      for (const gateway of this.#sandboxes) await this.#open(gateway);
    }
    for (const incoming of this.#waiting) {
      this.#waiting.delete(incoming);
      return incoming;
    }
    const { promise, resolve, reject } = Promise.withResolvers<IncomingConnection>();
    const abort = () => reject(signal.reason as Error);
    this.#accepting.add(resolve);
    signal.addEventListener('abort', abort, { once: true });
    try {
      return await promise;
    } finally {
      this.#accepting.delete(resolve);
      signal.removeEventListener('abort', abort);
    }
  }

  async #open(gateway: GatewayAccess): Promise<void> {
    await gateway.open(this.#hosts, (incoming) => this.#arrived(incoming));
  }

  #arrived(incoming: IncomingConnection): void {
    for (const accept of this.#accepting) {
      this.#accepting.delete(accept);
      return accept(incoming);
    }
    if (this.#waiting.size >= MAX_WAITING) return incoming.take(NOBODY).close();
    this.#waiting.add(incoming);
    this.#clock.after(WAIT_MS, () => {
      if (this.#waiting.delete(incoming)) incoming.take(NOBODY).close();
    });
  }
}
