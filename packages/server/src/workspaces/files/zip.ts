import { Readable } from 'node:stream';
import { crc32, createDeflateRaw } from 'node:zlib';

export interface ZipMember {
  /** With slashes. A folder ends with one. */
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Undefined: it no longer exists, and is left out. */
  readonly content: () => Promise<AsyncIterable<Uint8Array> | undefined>;
}

/** A ZIP archive, made while it is read. For fewer than 65,536 members and less than 4 GiB. */
export async function* zip(members: readonly ZipMember[]): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, modified, content } of members) {
    const isFolder = name.endsWith('/');
    const file = isFolder ? undefined : await content();
    if (!isFolder && file === undefined) continue;
    const sums = { crc: 0, packed: 0, size: 0 };
    const title = Buffer.from(name);
    const start = header(title, modified, isFolder);
    yield start;
    if (file !== undefined) {
      for await (const piece of packed(file, sums)) {
        sums.packed += piece.length;
        yield piece;
      }
    }
    const end = isFolder ? Buffer.alloc(0) : descriptor(sums);
    yield end;
    directory.push(central(start, title, sums, offset, isFolder));
    offset += start.length + sums.packed + end.length;
  }
  const index = Buffer.concat(directory);
  if (offset + index.length > 0xffff_ffff) throw new Error('the archive is larger than 4 GiB');
  yield index;
  yield ending(directory.length, index.length, offset);
}

interface Sums {
  crc: number;
  packed: number;
  size: number;
}

async function* packed(content: AsyncIterable<Uint8Array>, sums: Sums): AsyncGenerator<Buffer> {
  const counted = async function* () {
    for await (const piece of content) {
      sums.crc = crc32(piece, sums.crc);
      sums.size += piece.length;
      yield piece;
    }
  };
  const source = Readable.from(counted());
  const deflate = createDeflateRaw({ level: 4 });
  source.once('error', (error) => deflate.destroy(error));
  try {
    for await (const piece of source.pipe(deflate)) yield piece as Buffer;
  } finally {
    source.destroy();
  }
}

const DEFLATED = 8;
const STORED = 0;
/** The sizes follow the content. */
const SIZES_FOLLOW = 0x0008;
const UTF8 = 0x0800;
const HEADER = 30;

function header(title: Buffer, modified: number, isFolder: boolean): Buffer {
  const bytes = Buffer.alloc(HEADER);
  bytes.writeUInt32LE(0x0403_4b50, 0);
  bytes.writeUInt16LE(20, 4);
  bytes.writeUInt16LE(UTF8 | (isFolder ? 0 : SIZES_FOLLOW), 6);
  bytes.writeUInt16LE(isFolder ? STORED : DEFLATED, 8);
  const [time, day] = dosTime(new Date(modified));
  bytes.writeUInt16LE(time, 10);
  bytes.writeUInt16LE(day, 12);
  bytes.writeUInt16LE(title.length, 26);
  return Buffer.concat([bytes, title]);
}

function descriptor({ crc, packed: short, size }: Sums): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUInt32LE(0x0807_4b50, 0);
  bytes.writeUInt32LE(crc, 4);
  bytes.writeUInt32LE(short, 8);
  bytes.writeUInt32LE(size, 12);
  return bytes;
}

/** Repeats the header of a member, with its sizes and its place. */
function central(
  start: Buffer,
  title: Buffer,
  { crc, packed: short, size }: Sums,
  offset: number,
  isFolder: boolean,
): Buffer {
  const bytes = Buffer.alloc(46);
  bytes.writeUInt32LE(0x0201_4b50, 0);
  // Made on Unix, for the permissions.
  bytes.writeUInt16LE(0x0314, 4);
  start.copy(bytes, 6, 4, 14);
  bytes.writeUInt32LE(crc, 16);
  bytes.writeUInt32LE(short, 20);
  bytes.writeUInt32LE(size, 24);
  bytes.writeUInt16LE(title.length, 28);
  bytes.writeUInt32LE(((isFolder ? 0o040_755 : 0o100_644) << 16) >>> 0, 38);
  bytes.writeUInt32LE(offset, 42);
  return Buffer.concat([bytes, title]);
}

function ending(count: number, length: number, offset: number): Buffer {
  const bytes = Buffer.alloc(22);
  bytes.writeUInt32LE(0x0605_4b50, 0);
  bytes.writeUInt16LE(count, 8);
  bytes.writeUInt16LE(count, 10);
  bytes.writeUInt32LE(length, 12);
  bytes.writeUInt32LE(offset, 16);
  return bytes;
}

/** Two seconds precise, from 1980 on. */
function dosTime(at: Date): readonly [time: number, day: number] {
  const years = Math.max(0, Math.min(127, at.getUTCFullYear() - 1980));
  return [
    (at.getUTCHours() << 11) | (at.getUTCMinutes() << 5) | (at.getUTCSeconds() >> 1),
    (years << 9) | ((at.getUTCMonth() + 1) << 5) | at.getUTCDate(),
  ];
}
