import { connect, type Socket } from 'node:net';
import { FileError } from './files.ts';

export interface ConnectionEvents {
  /** False: the server does not keep up, and nothing more is read until `resume`. */
  data(connection: string, bytes: Buffer): boolean;
  closed(connection: string): void;
}

/** A program that does not take what it is sent is hung up on before it fills our memory. */
const MOST_WAITING = 4 * 1024 * 1024;

/** The server's connections to Unix sockets of programs in here. */
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
    if (socket !== undefined && socket.writableLength > MOST_WAITING) socket.destroy();
  }

  close(connection: string): void {
    this.#open.get(connection)?.destroy();
  }

  /** The server reads again. */
  resume(): void {
    for (const socket of this.#open.values()) socket.resume();
  }
}
