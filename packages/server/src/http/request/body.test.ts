import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { PassThrough } from 'node:stream';
import { afterEach, expect, test, vi } from 'vitest';
import { discardBody, readBody } from './body.ts';

const MIB = 1024 ** 2;

afterEach(() => vi.useRealTimers());

/** A body of which `bytes` were sent. */
function body(bytes: number, complete = false) {
  const destroy = vi.fn<() => void>();
  const stream = new PassThrough({ highWaterMark: bytes + 1 });
  for (let sent = 0; sent < bytes; sent += 65_536) stream.write(Buffer.alloc(65_536));
  const incoming = Object.assign(stream, { complete, socket: { destroy } });
  return { incoming: incoming as unknown as IncomingMessage, stream, destroy };
}

test('refused bodies are discarded at 4 MiB per second, all of them together', async () => {
  vi.useFakeTimers();
  const bodies = [body(4 * MIB), body(4 * MIB)];
  for (const { incoming } of bodies) discardBody(incoming);
  const left = () => bodies.reduce((sum, { stream }) => sum + stream.readableLength, 0);
  await vi.advanceTimersByTimeAsync(1000);
  expect(left() / MIB).toBeCloseTo(4, 0);
  await vi.advanceTimersByTimeAsync(1100);
  expect(left()).toBe(0);
});

test('the rest of a body that was too large is discarded', async () => {
  vi.useFakeTimers();
  const { incoming, stream } = body(MIB);
  Object.assign(incoming, { headers: {} });
  await expect(readBody(incoming, 1000)).rejects.toThrow('larger than 1000 bytes');
  discardBody(incoming);
  await vi.advanceTimersByTimeAsync(5000);
  expect(stream.readableLength).toBe(0);
});

test('a client that does not finish its body loses the connection', async () => {
  vi.useFakeTimers();
  const [endless, complete] = [body(MIB), body(MIB, true)];
  for (const { incoming } of [endless, complete]) discardBody(incoming);
  await vi.advanceTimersByTimeAsync(29_000);
  expect(endless.destroy).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2000);
  expect(endless.destroy).toHaveBeenCalledOnce();
  expect(complete.destroy).not.toHaveBeenCalled();
});

test.each(['before', 'while'])('a connection that closes %s the body is read', async (when) => {
  const { incoming, stream } = body(1000);
  Object.assign(incoming, { headers: {} });
  if (when === 'before') {
    stream.destroy();
    await once(stream, 'close');
  }
  const read = readBody(incoming, MIB);
  stream.destroy();
  await expect(read).rejects.toThrow('The connection closed before the end of the body.');
});
