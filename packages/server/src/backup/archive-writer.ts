import type { Writable } from 'node:stream';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createTarPacker, type TarHeader } from 'modern-tar';
import { compress } from './compress.ts';

export class ArchiveWriter {
  readonly #packer = createTarPacker();
  readonly #written: Promise<void>;

  constructor(target: Writable) {
    this.#written = pipeline(
      Readable.fromWeb(this.#packer.readable as Parameters<typeof Readable.fromWeb>[0]),
      compress,
      target,
    );
    // Reported by the next write or by the end.
    this.#written.catch((error: unknown) => this.#packer.controller.error(error));
  }

  async add(header: TarHeader, body: AsyncIterable<Uint8Array> | Uint8Array): Promise<void> {
    const writer = this.#packer.controller.add(header).getWriter();
    if (body instanceof Uint8Array) await writer.write(new Uint8Array(body));
    else for await (const chunk of body) await writer.write(new Uint8Array(chunk));
    await writer.close();
  }

  async json(name: string, value: object): Promise<void> {
    const body = Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
    await this.add({ name, size: body.length, mode: 0o600 }, body);
  }

  async close(): Promise<void> {
    this.#packer.controller.finalize();
    await this.#written;
  }

  async abort(reason: unknown): Promise<void> {
    this.#packer.controller.error(reason);
    await this.#written.catch(() => undefined);
  }
}
