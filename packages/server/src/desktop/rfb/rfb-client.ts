import type { Connection, ConnectionHandlers } from '../../machine/drivers/driver.ts';
import { ByteQueue } from './byte-queue.ts';
import { Framebuffer, type Rect } from './framebuffer.ts';
import {
  ENCODING,
  keyEvent,
  NO_SECURITY,
  pointerEvent,
  SERVER,
  setEncodings,
  setPixelFormat,
  updateRequest,
  VERSION,
} from './messages.ts';

/** The desktop violated the protocol, or closed the connection. */
class RfbBroken extends Error {
  override readonly name = 'RfbBroken';
}

/** Larger than any screen that a template can configure. */
const MAX_PIXELS = 4096 * 2304;
const MAX_NAME = 64 * 1024;
const MAX_CUT_TEXT = 16 * 1024 * 1024;

/** A VNC client with a copy of the screen. Moves the pointer and presses keys. */
export class RfbClient {
  readonly #queue: ByteQueue;
  readonly #connection: Connection;
  #framebuffer = new Framebuffer(1, 1);
  #updates = 0;
  #complete = 0;
  #drawn = 0;
  #following = false;
  #listeners: (() => void)[] = [];
  #broken: Error | undefined;

  static async open<Link extends Connection>(
    connect: (handlers: ConnectionHandlers) => Promise<Link>,
  ): Promise<{ readonly client: RfbClient; readonly connection: Link }> {
    const queue = new ByteQueue();
    const connection = await connect({
      onData: (bytes) => queue.push(bytes),
      onClose: () => queue.end(new RfbBroken('the desktop has ended')),
    });
    const client = new RfbClient(queue, connection);
    try {
      await client.#shakeHands();
    } catch (error) {
      connection.close();
      throw error;
    }
    void client.#listen();
    return { client, connection };
  }

  private constructor(queue: ByteQueue, connection: Connection) {
    this.#queue = queue;
    this.#connection = connection;
  }

  get screen(): Framebuffer {
    return this.#framebuffer;
  }

  get isBroken(): boolean {
    return this.#broken !== undefined;
  }

  /** The number of screen changes so far. */
  get updates(): number {
    return this.#updates;
  }

  pointer(x: number, y: number, buttons: number): void {
    this.#send(pointerEvent(x, y, buttons));
  }

  key(keysym: number, down: boolean): void {
    this.#send(keyEvent(keysym, down));
  }

  /** Refreshes the whole screen, after all input sent so far. */
  async refresh(): Promise<void> {
    const before = this.#complete;
    this.#send(updateRequest(false, this.#framebuffer));
    while (this.#complete === before) await this.changed();
  }

  /** Whether the server sends changes as they happen. Off while nobody uses them. */
  follow(following: boolean): void {
    this.#following = following;
    if (following) this.#send(updateRequest(true, this.#framebuffer));
  }

  /** Resolves on the next change of the screen. Rejects when the connection has ended. */
  changed(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#listeners.push(() => (this.#broken === undefined ? resolve() : reject(this.#broken)));
    if (this.#broken !== undefined) this.#tell();
    return promise;
  }

  close(): void {
    this.#fail(new RfbBroken('the connection to the desktop was closed'));
  }

  async #shakeHands(): Promise<void> {
    await this.#queue.take(VERSION.length);
    this.#send(VERSION);
    const count = await this.#number(1);
    const types = await this.#queue.take(count);
    if (!types.includes(NO_SECURITY)) throw new RfbBroken('the desktop requires a password');
    this.#send(Buffer.from([NO_SECURITY]));
    if ((await this.#number(4)) !== 0) throw new RfbBroken('the desktop refused the connection');
    const shared = 1;
    this.#send(Buffer.from([shared]));
    const init = await this.#queue.take(24);
    await this.#queue.take(atMost(init.readUInt32BE(20), MAX_NAME));
    this.#resize(init.readUInt16BE(0), init.readUInt16BE(2));
    this.#send(setPixelFormat());
    this.#send(setEncodings([ENCODING.copyRect, ENCODING.raw, ENCODING.desktopSize]));
  }

  async #listen(): Promise<void> {
    try {
      for (;;) await this.#message();
    } catch (error) {
      this.#fail(error instanceof Error ? error : new RfbBroken(String(error)));
    }
  }

  async #message(): Promise<void> {
    const type = await this.#number(1);
    switch (type) {
      case SERVER.update: {
        await this.#queue.take(1);
        const count = await this.#number(2);
        this.#drawn = 0;
        for (let index = 0; index < count; index++) await this.#rect();
        this.#updates += 1;
        const { width, height } = this.#framebuffer;
        if (this.#drawn >= width * height) this.#complete += 1;
        if (this.#following) this.#send(updateRequest(true, this.#framebuffer));
        return this.#tell();
      }
      case SERVER.colorMap: {
        const head = await this.#queue.take(5);
        await this.#queue.take(head.readUInt16BE(3) * 6);
        return;
      }
      case SERVER.bell:
        return;
      case SERVER.cutText: {
        const head = await this.#queue.take(7);
        await this.#queue.take(atMost(head.readUInt32BE(3), MAX_CUT_TEXT));
        return;
      }
      default:
        throw new RfbBroken(`the desktop sent an unknown message type (${type})`);
    }
  }

  async #rect(): Promise<void> {
    const head = await this.#queue.take(12);
    const [x, y] = [head.readUInt16BE(0), head.readUInt16BE(2)];
    const rect: Rect = { x, y, width: head.readUInt16BE(4), height: head.readUInt16BE(6) };
    const encoding = head.readInt32BE(8);
    if (encoding === ENCODING.desktopSize) return this.#resize(rect.width, rect.height);
    if (!this.#framebuffer.holds(rect))
      throw new RfbBroken('the desktop sent an update outside its screen');
    this.#drawn += rect.width * rect.height;
    if (encoding === ENCODING.raw) {
      this.#framebuffer.draw(rect, await this.#queue.take(rect.width * rect.height * 4));
      return;
    }
    if (encoding !== ENCODING.copyRect) throw new RfbBroken(`unknown encoding ${encoding}`);
    const from = await this.#queue.take(4);
    const [fromX, fromY] = [from.readUInt16BE(0), from.readUInt16BE(2)];
    if (!this.#framebuffer.holds({ ...rect, x: fromX, y: fromY })) {
      throw new RfbBroken('the desktop sent a copy from outside its screen');
    }
    this.#framebuffer.move(rect, fromX, fromY);
  }

  #resize(width: number, height: number): void {
    if (width === 0 || height === 0 || width * height > MAX_PIXELS) {
      throw new RfbBroken(`the desktop reported an invalid size of ${width} × ${height} pixels`);
    }
    this.#framebuffer = new Framebuffer(width, height);
  }

  async #number(bytes: 1 | 2 | 4): Promise<number> {
    return (await this.#queue.take(bytes)).readUIntBE(0, bytes);
  }

  #send(message: Buffer): void {
    if (this.#broken === undefined) void this.#connection.write(message);
  }

  #fail(error: Error): void {
    if (this.#broken !== undefined) return;
    this.#broken = error;
    this.#queue.end(error);
    this.#connection.close();
    this.#tell();
  }

  #tell(): void {
    for (const listener of this.#listeners.splice(0)) listener();
  }
}

function atMost(length: number, most: number): number {
  if (length > most) throw new RfbBroken(`the desktop sent a text of ${length} bytes`);
  return length;
}
