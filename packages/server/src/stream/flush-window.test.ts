import type { Part } from '@chatd/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeStreamCursor, encodeStreamCursor, START } from './stream-cursor.ts';
import { FlushWindow } from './flush-window.ts';
import { merged, PartBuffer } from './live/part-buffer.ts';
import { planParts } from './plan-events.ts';

test('an idle process sends at once, and the window grows and shrinks with the load', () => {
  let now = 0;
  let load = 0.2;
  const window = new FlushWindow({ longestMs: 50, now: () => now, utilization: () => load });
  const after = (ms: number) => {
    now += ms;
    return window.ms;
  };
  expect(window.ms).toBe(0);
  load = 0.6;
  expect(after(50)).toBe(0);
  expect(after(50)).toBeCloseTo(25);
  load = 1;
  expect(after(100)).toBe(50);
  load = 0;
  const shrinking = Array.from({ length: 12 }, () => after(100));
  expect(shrinking).toEqual(shrinking.toSorted((a, b) => b - a));
  expect(shrinking.at(-1)).toBe(0);
});

test('a window of 0 never waits', () => {
  expect(new FlushWindow({ longestMs: 0, utilization: () => 1 }).ms).toBe(0);
});

const CHAT = '01890a5d-ac96-774b-bcce-b302099a8057';
const LIVE = { history_version: 3, attempt: 1, tag: 'a' };

/** Deltas of text, reasoning and arguments, with characters of several bytes. */
const delta = fc
  .tuple(fc.constantFrom('text', 'reasoning', 'call 1', 'call 2'), fc.string({ unit: 'grapheme' }))
  .map(([kind, text]): Part => {
    if (kind === 'text' || kind === 'reasoning') return { type: kind, text };
    return { type: 'tool-call', tool_call_id: kind, tool_name: 't', args_delta: text };
  });

/** What a client assembles: adjacent deltas of one part are one text. */
function assembled(parts: readonly Part[]): string[] {
  const texts: [string, string][] = [];
  for (const part of parts) {
    const [name, text] =
      part.type === 'tool-call'
        ? [part.tool_call_id, part.args_delta ?? '']
        : [part.type, 'text' in part ? part.text : ''];
    const last = texts.at(-1);
    if (last?.[0] === name) last[1] += text;
    else texts.push([name, text]);
  }
  return texts.map(([name, text]) => `${name}: ${text}`);
}

test('merged and unmerged streams give the same message, and a client can resume from every cursor of either', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(delta, fc.boolean()), { minLength: 1, maxLength: 300 }),
      (deltas) => {
        const parts = deltas.map(([part]) => part);
        const whole = assembled(parts);
        const buffer = new PartBuffer(LIVE);
        let position = START;
        const sent: { part: Part; cursor: string }[] = [];
        deltas.forEach(([part, flush], index) => {
          buffer.push('assistant', part);
          if (!flush && index < deltas.length - 1) return;
          const plan = planParts(position, LIVE, merged(buffer.after(position.live?.seq ?? 0)));
          ({ position } = plan);
          for (const { event, position: at } of plan.events) {
            if (event.type !== 'message_part') continue;
            sent.push({ part: event.part, cursor: encodeStreamCursor(CHAT, at) });
          }
        });
        expect(assembled(sent.map(({ part }) => part))).toEqual(whole);
        const cursors = new Set(sent.map(({ cursor }) => cursor));
        // Also the cursors of an unmerged stream, which another process may have sent.
        for (let seq = 0; seq <= parts.length; seq += 1) {
          const live = seq === 0 ? null : { ...LIVE, seq };
          cursors.add(encodeStreamCursor(CHAT, { ...START, live }));
        }
        for (const cursor of cursors) {
          const seq = decodeStreamCursor(CHAT, cursor)?.live?.seq ?? 0;
          const rest = merged(buffer.after(seq)).map(({ part }) => part);
          expect(assembled([...parts.slice(0, seq), ...rest])).toEqual(whole);
        }
      },
    ),
    { numRuns: 40 },
  );
});
