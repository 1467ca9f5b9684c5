import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const deflated = promisify(deflate);

/** Packed pixels: one byte each of red, green and blue. */
export interface Picture {
  readonly width: number;
  readonly height: number;
  readonly rgb: Buffer;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const TRUE_COLOUR = [8, 2, 0, 0, 0];
/** Each row is stored as the difference from the row above, because rows of a screen are similar. */
const UP = 2;

export async function encodePng({ width, height, rgb }: Picture): Promise<Buffer> {
  const stride = width * 3;
  const rows = Buffer.allocUnsafe((stride + 1) * height);
  for (let y = 0; y < height; y++) {
    const to = y * (stride + 1);
    const from = y * stride;
    rows[to] = UP;
    for (let at = 0; at < stride; at++) {
      const above = y === 0 ? 0 : (rgb[from - stride + at] ?? 0);
      rows[to + 1 + at] = (rgb[from + at] ?? 0) - above;
    }
  }
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set(TRUE_COLOUR, 8);
  const data = await deflated(rows, { level: 6 });
  return Buffer.concat([SIGNATURE, chunk('IHDR', head), chunk('IDAT', data), chunk('IEND')]);
}

function chunk(type: string, data: Uint8Array = Buffer.alloc(0)): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(body.length + 8);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), body.length + 4);
  return framed;
}
