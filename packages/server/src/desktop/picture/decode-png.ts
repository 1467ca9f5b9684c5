import { promisify } from 'node:util';
import { inflate } from 'node:zlib';
import type { Framebuffer } from '../rfb/framebuffer.ts';
import { Framebuffer as Pixels } from '../rfb/framebuffer.ts';

const inflated = promisify(inflate);

const HEADER = 8;
const UP = 2;
const NONE = 0;
const MAX_PIXELS = 4096 * 4096;

/** Decodes PNG files written by `encodePng` only. */
export async function decodePng(png: Uint8Array): Promise<Framebuffer> {
  const bytes = Buffer.from(png.buffer, png.byteOffset, png.byteLength);
  const data: Buffer[] = [];
  let size = { width: 0, height: 0 };
  for (let at = HEADER; at + 8 <= bytes.length;) {
    const length = bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    const body = bytes.subarray(at + 8, at + 8 + length);
    if (type === 'IHDR') size = { width: body.readUInt32BE(0), height: body.readUInt32BE(4) };
    if (type === 'IDAT') data.push(body);
    at += length + 12;
  }
  const { width, height } = size;
  const stride = width * 3;
  if (width * height === 0 || width * height > MAX_PIXELS) throw new Error('unsupported PNG file');
  const maxOutputLength = (stride + 1) * height;
  const rows = await inflated(Buffer.concat(data), { maxOutputLength });
  const pixels = new Pixels(width, height);
  for (let y = 0; y < height; y++) {
    const filter = rows[y * (stride + 1)];
    if (filter !== UP && filter !== NONE) throw new Error('unsupported PNG file');
    for (let x = 0; x < width; x++) {
      for (let channel = 0; channel < 3; channel++) {
        const to = (y * width + x) * 4 + channel;
        const above = filter === UP && y > 0 ? (pixels.pixels[to - width * 4] ?? 0) : 0;
        pixels.pixels[to] = (rows[y * (stride + 1) + 1 + x * 3 + channel] ?? 0) + above;
      }
    }
  }
  return pixels;
}
