import { connect, type Socket } from 'node:net';
import { FileError } from './files.ts';

export interface ConnectionEvents {
  /** Returns false if the server does not keep up: reading pauses until `resume`. */
  data(connection: string, bytes: Buffer): boolean;
  closed(connection: string): void;
}

/** Unsent bytes at which a connection is closed, to limit memory. */
const MAX_PENDING_BYTES = 4 * 1024 * 1024;

/** The server's connections to Unix sockets inside the sandbox. */
export class Connections {
  readonly #events: ConnectionEvents;
  readonly #open = new Map<string, Socket>();

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  open(connection: string, path: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect(path);
    socket.once('connect', () => {
      this.#open.set(connection, socket);
      resolve();
    });
    socket.once('error', (error) => reject(new FileError('failed', error.message)));
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (!this.#events.data(connection, bytes)) for (const one of this.#open.values()) one.pause();
    });
    socket.once('close', () => {
      if (this.#open.delete(connection)) this.#events.closed(connection);
    });
    return promise;
  }

  send(connection: string, bytes: Buffer): void {
    const socket = this.#open.get(connection);
    socket?.write(bytes);
    if (socket !== undefined && socket.writableLength > MAX_PENDING_BYTES) socket.destroy();
  }

  close(connection: string): void {
    this.#open.get(connection)?.destroy();
  }

  /** The server is reading again. */
  resume(): void {
    for (const socket of this.#open.values()) socket.resume();
  }
}
