/*
 * The protocol between the server and the program inside a sandbox: frames over stdin and stdout, as `u32 length of the
 * rest · u32 length of the header · header (JSON) · bytes`. Agent programs can forge frames from inside, so the server
 * validates all of them.
 */

const FRAME_LIMIT = 24 * 1024 * 1024;

export interface MessageFrame {
  readonly header: Readonly<Record<string, unknown>>;
  readonly bytes: Buffer;
}

/** To be written in sequence. The bytes are not copied. */
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

/** Splits a byte stream into frames. Their bytes are valid until the next chunk. */
export class FrameReader {
  #parts: Buffer[] = [];
  #have = 0;
  /** Bytes needed for a whole frame. Chunks of a large frame are joined once. */
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

/** A message that is one whole frame. */
export function parseFrame(message: Buffer): MessageFrame {
  if (message.length < 8 || lengthOf(message) !== message.length - 4)
    throw new BadFrame('the message is not one frame');
  return parsed(message.subarray(4));
}

function lengthOf(data: Buffer): number {
  const length = data.readUInt32LE(0);
  if (length < 4 || length > FRAME_LIMIT) throw new BadFrame(`invalid frame length: ${length}`);
  return length;
}

function parsed(body: Buffer): MessageFrame {
  const length = body.readUInt32LE(0);
  if (length > body.length - 4) throw new BadFrame('the header is longer than its frame');
  const header: unknown = JSON.parse(body.toString('utf8', 4, 4 + length));
  if (typeof header !== 'object' || header === null || Array.isArray(header))
    throw new BadFrame('the header is not an object');
  return { header: header as Record<string, unknown>, bytes: body.subarray(4 + length) };
}
