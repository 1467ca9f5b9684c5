import { createServer, type Socket } from 'node:net';

const MAX_CONNECTIONS = 64;

/** A port on the sandbox's loopback interface whose connections go to the server. */
export class Gateway {
  readonly #onConnection: (socket: Socket) => void;
  #listening: Promise<void> | undefined;

  constructor(onConnection: (socket: Socket) => void) {
    this.#onConnection = onConnection;
  }

  /** Has no effect if it listens already. Rejects if a program of the agent uses the port. */
  listen(port: number): Promise<void> {
    this.#listening ??= this.#start(port).catch((error: unknown) => {
      this.#listening = undefined;
      throw error;
    });
    return this.#listening;
  }

  async #start(port: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const server = createServer(this.#onConnection);
    server.maxConnections = MAX_CONNECTIONS;
    server.once('error', reject).listen(port, '127.0.0.1', resolve);
    await promise;
  }
}
