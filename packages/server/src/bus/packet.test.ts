import { expect, test } from 'vitest';
import { PacketReader } from './packet-reader.ts';
import { PacketWriter } from './packet.ts';

const SENDER = 'abcdef012345';
const text = (value: unknown) => {
  const text = JSON.stringify(value);
  return { text, bytes: Buffer.byteLength(text) };
};
const read = (reader: PacketReader, packets: readonly string[]) =>
  packets.flatMap((packet) => {
    const reading = reader.read('channel', packet);
    return 'gap' in reading ? ['(gap)'] : reading.messages;
  });

test('small messages share packets, and no packet is larger than the limit', () => {
  const messages = Array.from({ length: 100 }, (_, index) => `ü${index}`);
  const packets = new PacketWriter(SENDER).pack(messages.map(text), 200);
  expect(packets.length).toBeLessThan(10);
  expect(Math.max(...packets.map((packet) => Buffer.byteLength(packet)))).toBeLessThanOrEqual(200);
  expect(read(new PacketReader('other'), packets)).toEqual(messages);
});

test.each(['x', 'ü', '世', '🚌'])('a large message of %s is reassembled', (letter) => {
  for (let size = 150; size < 250; size += 1) {
    const messages = ['before', letter.repeat(size), 'after'];
    const packets = new PacketWriter(SENDER).pack(messages.map(text), 120);
    expect(Math.max(...packets.map((packet) => Buffer.byteLength(packet)))).toBeLessThanOrEqual(
      120,
    );
    expect(read(new PacketReader('other'), packets)).toEqual(messages);
  }
});

test('no two packets are equal', () => {
  const packets = new PacketWriter(SENDER).pack(
    Array.from({ length: 50 }, () => text('x'.repeat(80))),
    120,
  );
  expect(new Set(packets).size).toBe(50);
});

test('a process ignores its own packets', () => {
  const packets = new PacketWriter(SENDER).pack([text('mine')], 200);
  expect(read(new PacketReader(SENDER), packets)).toEqual([]);
});

test('a message whose beginning was missed is skipped', () => {
  const [, ...rest] = new PacketWriter(SENDER).pack([text('x'.repeat(500)), text('next')], 120);
  expect(read(new PacketReader('other'), rest)).toEqual(['next']);
});

test('a message interrupted by a gap is skipped', () => {
  const writer = new PacketWriter(SENDER);
  const cut = writer.pack([text('x'.repeat(500))], 120).slice(0, 2);
  const packets = [...cut, writer.gap(), ...writer.pack([text('y'.repeat(500))], 120)];
  expect(read(new PacketReader('other'), packets)).toEqual(['(gap)', 'y'.repeat(500)]);
});

test('interleaved packets of several senders are reassembled per sender', () => {
  const [one, two] = [SENDER, '543210fedcba'].map((sender) =>
    new PacketWriter(sender).pack([text(sender.repeat(20))], 120),
  );
  const mixed = one?.flatMap((packet, index) => [packet, two?.[index] ?? '']) ?? [];
  expect(read(new PacketReader('other'), mixed)).toEqual([
    SENDER.repeat(20),
    '543210fedcba'.repeat(20),
  ]);
});

test('late and duplicate packets are ignored', () => {
  const writer = new PacketWriter(SENDER);
  const [first = '', second = ''] = ['first', 'second'].flatMap((word) =>
    writer.pack([text(word)], 120),
  );
  expect(read(new PacketReader('other'), [second, first, second])).toEqual(['second']);
});

test.each(['', 'hello', `${SENDER}m`, `${SENDER}?1\n[]`, `${SENDER}m\n[]`])(
  'an invalid packet is refused: %j',
  (strange) => {
    expect(() => new PacketReader('other').read('channel', strange)).toThrow('not a packet');
  },
);
