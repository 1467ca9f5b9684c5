import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { compress } from './compress.ts';

test('blocks that are compressed in parallel are read back as one stream, in order', async () => {
  const chunks = Array.from({ length: 300 }, (_, n) =>
    Buffer.alloc(64 * 1024, `chunk ${n} of some text; `),
  );
  const bytes = await buffer(compress(Readable.from(chunks)));
  const whole = Buffer.concat(chunks);
  expect(bytes.length).toBeLessThan(whole.length / 10);
  const read = await buffer(Readable.from([bytes]).pipe(createGunzip()));
  expect(read.equals(whole)).toBe(true);
});

async function* failing() {
  yield Buffer.alloc(10);
  throw new Error('the source is gone');
}

test('a source that fails ends the stream with its error', async () => {
  await expect(buffer(compress(failing()))).rejects.toThrow('the source is gone');
});
