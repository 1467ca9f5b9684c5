/*
 * How the server and the program inside a sandbox talk: over the latter's stdin and stdout, in frames of
 * `u32 length of the rest · u32 length of the header · header (JSON) · bytes`. The header of the inside is written by
 * whatever runs there, the agent's programs included: the server believes none of it unchecked.
 */

const FRAME_LIMIT = 24 * 1024 * 1024;

export interface MessageFrame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** To be written one after the other: the bytes are not copied. */
export function frame(header: object, bytes?: Uint8Array): [head: Buffer, body?: Uint8Array] {
  const json = Buffer.from(JSON.stringify(header));
  const head = Buffer.allocUnsafe(8 + json.length);
  head.writeUInt32LE(4 + json.length + (bytes?.length ?? 0), 0);
  head.writeUInt32LE(json.length, 4);
  json.copy(head, 8);
  return bytes === undefined || bytes.length === 0 ? [head] : [head, bytes];
}

class BadFrame extends Error {
  override readonly name = 'BadFrame';
}

/** Cuts what arrives into frames. Their bytes are only valid until the next chunk. */
export class FrameReader {
  #parts: Buffer[] = [];
  #have = 0;
  /** With fewer bytes there is no whole frame: a large one comes in many chunks, which are joined once. */
  #need = 4;

  *push(chunk: Buffer): Generator<MessageFrame> {
    this.#parts.push(chunk);
    this.#have += chunk.length;
    if (this.#have < this.#need) return;
    let data = this.#parts.length === 1 ? chunk : Buffer.concat(this.#parts);
    for (;;) {
      this.#need = data.length < 4 ? 4 : 4 + lengthOf(data);
      if (data.length < this.#need) break;
      const body = data.subarray(4, this.#need);
      data = data.subarray(this.#need);
      yield parsed(body);
    }
    this.#parts = data.length === 0 ? [] : [Buffer.from(data)];
    this.#have = data.length;
  }
}

function lengthOf(data: Buffer): number {
  const length = data.readUInt32LE(0);
  if (length < 4 || length > FRAME_LIMIT) throw new BadFrame(`a frame of ${length} bytes`);
  return length;
}

function parsed(body: Buffer): MessageFrame {
  const length = body.readUInt32LE(0);
  if (length > body.length - 4) throw new BadFrame('a header longer than its frame');
  const header: unknown = JSON.parse(body.toString('utf8', 4, 4 + length));
  if (typeof header !== 'object' || header === null) throw new BadFrame('a header that is none');
  return { header: header as Record<string, unknown>, bytes: body.subarray(4 + length) };
}
