import { expect, test } from 'vitest';
import { Outbox } from './outbox.ts';
import { PacketReader } from './packet-reader.ts';
import { PacketWriter } from './packet.ts';

const KB = 1024;
const open = (limit: number) => new Outbox(limit, new PacketWriter('abcdef012345'));

/** What a subscriber to all channels reads: one record per batch, with messages by channel. */
function takeAll(outbox: Outbox, batchBytes = KB): Record<string, unknown[]>[] {
  const reader = new PacketReader('other');
  const batches: Record<string, unknown[]>[] = [];
  while (!outbox.empty) {
    const seen: Record<string, unknown[]> = {};
    for (const { channel, text } of outbox.take(KB, batchBytes).packets) {
      const reading = reader.read(channel, text);
      (seen[channel] ??= []).push(...('gap' in reading ? ['(gap)'] : reading.messages));
    }
    batches.push(seen);
  }
  return batches;
}

test('messages of a channel share packets, even if other messages come between them', () => {
  const outbox = open(KB);
  for (let index = 0; index < 10; index += 1) outbox.put(index % 2 ? 'odd' : 'even', `${index}`);
  const { packets, messages, channels } = outbox.take(KB, KB);
  expect(packets).toHaveLength(2);
  expect(messages).toBe(10);
  expect(channels).toEqual(['even', 'odd']);
  expect(outbox.empty).toBe(true);
});

test('a batch ends at its size limit, and reports whether another full one is waiting', () => {
  const outbox = open(100 * KB);
  for (let index = 0; index < 30; index += 1) outbox.put('channel', `"${'x'.repeat(100)}"`);
  expect(outbox.take(KB, KB)).toMatchObject({ messages: 11, full: true });
  expect(outbox.take(KB, KB)).toMatchObject({ messages: 11, full: false });
  expect(outbox.take(KB, KB)).toMatchObject({ messages: 8, full: false });
});

test('a full outbox drops the oldest messages, and their channels get a gap first', () => {
  const outbox = open(50);
  expect(outbox.put('forgotten', '1')).toBe(0);
  let dropped = 0;
  for (let index = 10; index < 60; index += 1) dropped += outbox.put('channel', String(index));
  expect(dropped).toBe(26);
  expect(takeAll(outbox)).toEqual([
    { forgotten: ['(gap)'], channel: ['(gap)', ...Array.from({ length: 25 }, (_, i) => 35 + i)] },
  ]);
  expect(outbox.empty).toBe(true);
});

test('a message larger than the outbox is dropped, and the others are kept', () => {
  const outbox = open(50);
  outbox.put('channel', '1');
  expect(outbox.put('channel', `"${'x'.repeat(100)}"`)).toBe(1);
  outbox.put('channel', '2');
  expect(takeAll(outbox)).toEqual([{ channel: ['(gap)', 1, 2] }]);
});

test('a failed batch is not sent again, and each of its channels gets one gap', () => {
  const outbox = open(KB);
  outbox.put('one', '1');
  outbox.put('two', '2');
  const batch = outbox.take(KB, KB);
  outbox.failed(batch);
  expect(outbox.empty).toBe(false);
  outbox.put('one', '3');
  expect(takeAll(outbox)).toEqual([{ one: ['(gap)', 3], two: ['(gap)'] }]);
});

test('50,000 messages are delivered in order', () => {
  const outbox = open(1024 * KB);
  const numbers = Array.from({ length: 50_000 }, (_, index) => index);
  for (const number of numbers) outbox.put('channel', String(number));
  const seen = takeAll(outbox, 10 * KB).flatMap((batch) => batch['channel'] ?? []);
  expect(seen).toEqual(numbers);
});
