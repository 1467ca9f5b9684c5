import type { Part } from '@chatd/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { deltaOf } from './delta.ts';
import { merged, PartBuffer } from './part-buffer.ts';

const LIVE = { history_version: 3, attempt: 1, tag: 'a' };
const text = (text: string): Part => ({ type: 'text', text });

const at = (minute: number) => `2026-01-01T00:0${minute}:00Z`;

const part = fc.oneof(
  fc.string({ maxLength: 8 }).map(text),
  fc
    .tuple(fc.constantFrom('1', '2'), fc.string({ maxLength: 8 }))
    .map(([tool_call_id, result_delta]): Part => ({
      type: 'tool-result',
      tool_call_id,
      tool_name: 't',
      result_delta,
    })),
  fc
    .string({ minLength: 1, maxLength: 8 })
    .map((source_id): Part => ({ type: 'source', source_id, url: 'https://a.test' })),
);

/** What a client assembles: adjacent deltas of one part are one text, other parts stay separate. */
function fold(parts: readonly Part[]): string[] {
  const lines: string[] = [];
  let open: string | undefined;
  for (const part of parts) {
    const delta = deltaOf(part);
    const thing = `${part.type} ${part.type === 'tool-result' ? part.tool_call_id : ''}`;
    if (delta === undefined) lines.push(JSON.stringify(part));
    else if (open === thing) lines[lines.length - 1] += delta;
    else lines.push(`${thing}: ${delta}`);
    open = delta === undefined ? undefined : thing;
  }
  return lines;
}

test('a reader that stopped at any point gets exactly the rest, however much was merged since', () => {
  fc.assert(
    fc.property(fc.array(part, { minLength: 1, maxLength: 1200 }), fc.nat(), (parts, stop) => {
      const buffer = new PartBuffer(LIVE);
      const seen = stop % (parts.length + 1);
      for (const each of parts) buffer.push('assistant', each);
      const entries = buffer.after(seen);
      let last = seen;
      for (const { from, to } of merged(entries)) {
        expect(from).toBe(last + 1);
        last = to;
      }
      expect(last).toBe(parts.length);
      expect(fold(entries.map((entry) => entry.part))).toEqual(fold(parts.slice(seen)));
    }),
    { numRuns: 60 },
  );
});

test('a copy built from overlapping ranges has the same parts', () => {
  fc.assert(
    fc.property(
      fc.array(part, { minLength: 1, maxLength: 600 }),
      fc.array(fc.nat(), { maxLength: 10 }),
      fc.nat(),
      (parts, asks, stop) => {
        const buffer = new PartBuffer(LIVE);
        const copy = new PartBuffer(LIVE);
        for (const [index, each] of parts.entries()) {
          buffer.push('assistant', each);
          if (asks.includes(index)) copy.append(merged(buffer.after(index % (copy.seq + 1))));
        }
        expect(copy.append(buffer.after(copy.seq))).toBe(true);
        const seen = stop % (parts.length + 1);
        expect(fold(copy.after(seen).map((entry) => entry.part))).toEqual(fold(parts.slice(seen)));
      },
    ),
    { numRuns: 60 },
  );
});

test('a copy refuses parts after a gap', () => {
  const buffer = new PartBuffer(LIVE);
  for (const each of ['a', 'b', 'c']) buffer.push('assistant', text(each));
  const copy = new PartBuffer(LIVE);
  expect(copy.append(buffer.after(1))).toBe(false);
  expect(copy.seq).toBe(0);
});

test('the times of reasoning are sent once', () => {
  const buffer = new PartBuffer(LIVE);
  buffer.push('assistant', { type: 'reasoning', text: '', created_at: at(0) });
  for (let index = 0; index < 200; index += 1) {
    buffer.push('assistant', { type: 'reasoning', text: 'x' });
  }
  buffer.push('assistant', { type: 'reasoning', text: '', completed_at: at(1) });
  const rest = merged(buffer.after(1)).map((entry) => entry.part);
  expect(rest).toEqual([{ type: 'reasoning', text: 'x'.repeat(200), completed_at: at(1) }]);
  const all = merged(buffer.after(0)).map((entry) => entry.part);
  expect(all).toMatchObject([{ created_at: at(0), completed_at: at(1) }]);
});

test('parts above the limit are dropped, oldest first, and no sequence number is missing', () => {
  const limit = 50_000;
  const buffer = new PartBuffer(LIVE, limit);
  const big = 'x'.repeat(1000);
  for (let index = 1; index <= 500; index += 1) {
    buffer.push('tool', {
      type: 'tool-result',
      tool_call_id: `${index % 2}`,
      tool_name: 't',
      result_delta: big,
    });
    expect(buffer.bytes).toBeLessThanOrEqual(limit);
  }
  const entries = buffer.after(0);
  expect(entries[0]).toMatchObject({ from: 1, part: { type: 'tool-result', result_delta: '…' } });
  let last = 0;
  for (const { from, to } of entries) {
    expect(from).toBe(last + 1);
    last = to;
  }
  expect(last).toBe(500);
  expect(buffer.after(499)).toMatchObject([{ from: 500, to: 500, part: { result_delta: big } }]);
});
