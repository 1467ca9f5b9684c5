import type { Socket } from 'node:net';
import type { EventFrame } from '../../stream/event-frame.ts';
import type { Ending, Outlet } from '../../stream/outlet.ts';

/** The time for a client to read the end and close the connection. */
const CLOSE_MS = 1000;

const corked = new Set<Socket>();

/** Everything written in one turn of the event loop goes out in one system call. */
function writeTogether(socket: Socket): void {
  if (corked.has(socket)) return;
  if (corked.size === 0) setImmediate(writeAll);
  corked.add(socket);
  socket.cork();
}

function writeAll(): void {
  const all = [...corked];
  corked.clear();
  for (const socket of all) socket.uncork();
}

/** Writes prepared bytes to the socket of a client: each further client costs one write. */
export abstract class SocketOutlet implements Outlet {
  abstract readonly kind: Outlet['kind'];
  readonly #socket: Socket;
  readonly #listeners: (() => void)[] = [];
  #closed: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#closed = socket.destroyed;
    socket.once('close', this.#onClose);
  }

  readonly #onClose = (): void => {
    this.#closed = true;
    for (const listener of this.#listeners.splice(0)) listener();
  };

  get backlog(): number {
    return this.#socket.writableLength;
  }

  get taken(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  write(frame: EventFrame): void {
    this.writeBytes(this.bytesOf(frame));
  }

  async drained(): Promise<void> {
    if (this.#closed || this.#socket.writableLength === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#socket.once('drain', resolve);
    this.onClosed(resolve);
    await promise;
    this.#socket.off('drain', resolve);
  }

  onClosed(listener: () => void): void {
    if (this.#closed) listener();
    else this.#listeners.push(listener);
  }

  abstract keepAlive(): void;
  abstract close(ending: Ending): void;
  protected abstract bytesOf(frame: EventFrame): Buffer;

  protected writeBytes(bytes: Buffer): void {
    if (this.#closed || !this.#socket.writable) return;
    writeTogether(this.#socket);
    this.#socket.write(bytes);
  }

  cut(): void {
    this.#socket.destroy();
  }

  /** Leaves the connection to other requests. */
  protected detach(): void {
    this.#socket.off('close', this.#onClose);
    this.#onClose();
  }

  /** Cuts a client that does not close the connection itself. */
  protected cutSoon(): void {
    setTimeout(() => this.cut(), CLOSE_MS).unref();
  }
}
