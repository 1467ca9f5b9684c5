import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { FileError } from './files.ts';

export interface ConnectionEvents {
  /** Returns false if the server does not keep up: reading pauses until `resume`. */
  data(connection: string, bytes: Buffer): boolean;
  /** The program has read what was sent. Follows a `send` that returned false. */
  drained(connection: string): void;
  closed(connection: string): void;
}

/** Unsent bytes at which a connection is closed, to limit memory. */
const MAX_PENDING_BYTES = 32 * 1024 * 1024;

/** Shorter than the time in which the server expects an answer: a program that accepts nothing must not end the sandbox. */
const CONNECT_MS = 5000;

/** Connections between the server and programs inside the sandbox: to their sockets and ports, and from the gateway. */
export class Connections {
  readonly #events: ConnectionEvents;
  readonly #open = new Map<string, Socket>();
  /** Not read until the server asks for it. */
  readonly #held = new Set<Socket>();

  constructor(events: ConnectionEvents) {
    this.#events = events;
  }

  /** Programs that listen on "localhost" use one of the two addresses. */
  async openPort(connection: string, port: number): Promise<void> {
    await this.open(connection, { host: '127.0.0.1', port }).catch(() =>
      this.open(connection, { host: '::1', port }),
    );
  }

  open(connection: string, target: NetConnectOpts): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const socket = connect(target);
    const late = setTimeout(
      () => socket.destroy(new Error('the program does not accept connections')),
      CONNECT_MS,
    );
    socket.once('close', () => clearTimeout(late));
    socket.once('connect', () => {
      clearTimeout(late);
      this.#open.set(connection, socket);
      resolve();
    });
    socket.once('error', (error) => reject(new FileError('failed', error.message)));
    this.#follow(connection, socket);
    return promise;
  }

  /** A connection of a program in the sandbox. It is not read until `flow`. */
  adopt(connection: string, socket: Socket): void {
    this.#open.set(connection, socket);
    this.#follow(connection, socket);
    this.flow(connection, false);
  }

  /** Returns false if the program does not keep up: wait for `drained`. */
  send(connection: string, bytes: Buffer): boolean {
    const socket = this.#open.get(connection);
    if (socket === undefined) return true;
    const isTaken = socket.write(bytes);
    if (socket.writableLength > MAX_PENDING_BYTES) socket.destroy();
    return isTaken;
  }

  close(connection: string): void {
    this.#open.get(connection)?.destroy();
  }

  /** Pauses or resumes reading. */
  flow(connection: string, on: boolean): void {
    const socket = this.#open.get(connection);
    if (socket === undefined) return;
    if (on) {
      this.#held.delete(socket);
      socket.resume();
    } else {
      this.#held.add(socket);
      socket.pause();
    }
  }

  #follow(connection: string, socket: Socket): void {
    socket.on('error', () => undefined);
    socket.on('data', (bytes: Buffer) => {
      if (!this.#events.data(connection, bytes)) for (const one of this.#open.values()) one.pause();
    });
    socket.on('drain', () => this.#events.drained(connection));
    socket.once('close', () => {
      this.#held.delete(socket);
      if (this.#open.delete(connection)) this.#events.closed(connection);
    });
  }

  /** The server is reading again. */
  resume(): void {
    for (const socket of this.#open.values()) if (!this.#held.has(socket)) socket.resume();
  }
}
