import { Buffer } from 'node:buffer';

function png(width: number, height: number): Buffer {
  const header = Buffer.alloc(45);
  header.write('IEND', 37);
  header.write('89504e470d0a1a0a0000000d49484452', 'hex');
  header.writeUInt32BE(width, 16);
  header.writeUInt32BE(height, 20);
  return header;
}

/** With metadata before the frame header, as cameras write it. */
function jpeg(width: number, height: number): Buffer {
  const header = Buffer.alloc(40);
  header.write('ffd8ffe1000a', 'hex');
  header.write('ffc0001108', 14, 'hex');
  header.writeUInt16BE(height, 19);
  header.writeUInt16BE(width, 21);
  header.write('ffd9', 38, 'hex');
  return header;
}

function gif(width: number, height: number): Buffer {
  const header = Buffer.alloc(14);
  header.write('GIF89a');
  header.write(';', 13);
  header.writeUInt16LE(width, 6);
  header.writeUInt16LE(height, 8);
  return header;
}

function webp(kind: string): Buffer {
  const header = Buffer.alloc(30);
  header.write('RIFF');
  header.write('WEBP', 8);
  header.write(kind, 12);
  return header;
}

function lossyWebp(width: number, height: number): Buffer {
  const header = webp('VP8 ');
  header.writeUInt16LE(width, 26);
  header.writeUInt16LE(height, 28);
  return header;
}

function losslessWebp(width: number, height: number): Buffer {
  const header = webp('VP8L');
  header.writeUInt32LE((width - 1) | ((height - 1) << 14), 21);
  return header;
}

function extendedWebp(width: number, height: number): Buffer {
  const header = webp('VP8X');
  header.writeUIntLE(width - 1, 24, 3);
  header.writeUIntLE(height - 1, 27, 3);
  return header;
}

type Draw = (width: number, height: number) => Buffer;

/** The headers and ends of images, by media type. The fake providers read nothing in between. */
export const DRAW: [mediaType: string, draw: Draw][] = [
  ['image/png', png],
  ['image/jpeg', jpeg],
  ['image/gif', gif],
  ['image/webp', lossyWebp],
  ['image/webp', losslessWebp],
  ['image/webp', extendedWebp],
];

/** A PNG of this size in base64, padded to a number of base64 characters. */
export function pngOf(width: number, height: number, characters = 0): string {
  const image = png(width, height);
  const padding = Math.max(0, (characters * 3) / 4 - image.length);
  return Buffer.concat([image.subarray(0, 33), Buffer.alloc(padding), image.subarray(33)]).toString(
    'base64',
  );
}
