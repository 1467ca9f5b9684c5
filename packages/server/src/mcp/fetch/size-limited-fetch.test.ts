import { expect, test } from 'vitest';
import { sizeLimitedFetch } from './size-limited-fetch.ts';

const stream = (...pieces: string[]) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const piece of pieces) controller.enqueue(Buffer.from(piece));
      controller.close();
    },
  });
const read = (type: string, ...pieces: string[]) =>
  new Response(sizeLimitedFetch(stream(...pieces), type, 10)).text();

test('a response has a maximum size', async () => {
  expect(await read('application/json', '12345', '67890')).toBe('1234567890');
  await expect(read('application/json', '12345', '678901')).rejects.toThrow(
    'a message of more than',
  );
});

test('an event stream can be endless, but each event has a maximum size', async () => {
  const lines = Array.from({ length: 20 }, () => 'data: x\n\n');
  expect(await read('text/event-stream; charset=utf-8', ...lines)).toBe(lines.join(''));
  await expect(read('text/event-stream', 'data: x\n', 'data: y', 'yyyyy')).rejects.toThrow(
    'a message of more than',
  );
});
