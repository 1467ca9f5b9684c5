import type { Socket } from 'node:net';
import type { EventFrame } from '../../stream/event-frame.ts';
import type { Ending, Outlet } from '../../stream/outlet.ts';

/** What a client may take to read the end, and to hang up. */
const GOING_MS = 1000;

const corked = new Set<Socket>();

/** What one turn of the event loop has to say to a client, it says in one write. */
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

/** Writes prepared bytes to a client's socket: what it costs to have one client more is one write. */
export abstract class SocketOutlet implements Outlet {
  abstract readonly kind: Outlet['kind'];
  readonly #socket: Socket;
  readonly #listeners: (() => void)[] = [];
  #closed: boolean;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#closed = socket.destroyed;
    socket.once('close', () => {
      this.#closed = true;
      for (const listener of this.#listeners.splice(0)) listener();
    });
  }

  get backlog(): number {
    return this.#socket.writableLength;
  }

  get taken(): number {
    return this.#socket.bytesWritten - this.#socket.writableLength;
  }

  write(frame: EventFrame): void {
    this.send(this.bytesOf(frame));
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

  protected send(bytes: Buffer): void {
    if (!this.#socket.writable) return;
    writeTogether(this.#socket);
    this.#socket.write(bytes);
  }

  protected cut(): void {
    this.#socket.destroy();
  }

  /** Of a client that was told to go. */
  protected cutSoon(): void {
    setTimeout(() => this.cut(), GOING_MS).unref();
  }
}
