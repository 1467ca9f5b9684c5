import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createGunzip } from 'node:zlib';
import { expect, test } from 'vitest';
import { ParallelGzip } from './parallel-gzip.ts';

const compressed = (chunks: readonly Buffer[]) =>
  buffer(Readable.from(chunks, { objectMode: false }).pipe(new ParallelGzip()));

test('blocks that are compressed in parallel are read back as one stream, in order', async () => {
  const chunks = Array.from({ length: 300 }, (_, n) =>
    Buffer.alloc(64 * 1024, `chunk ${n} of some text; `),
  );
  const bytes = await compressed(chunks);
  const whole = Buffer.concat(chunks);
  expect(bytes.length).toBeLessThan(whole.length / 10);
  const read = await buffer(Readable.from([bytes]).pipe(createGunzip()));
  expect(read.equals(whole)).toBe(true);
});

test('a stream that breaks off ends without its last block', async () => {
  const gzip = new ParallelGzip();
  const failed = buffer(gzip);
  gzip.write(Buffer.alloc(10));
  gzip.destroy(new Error('the source is gone'));
  await expect(failed).rejects.toThrow('the source is gone');
});
