import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Scrollback } from './scrollback.ts';

test('a client that reconnects gets exactly the output that it missed', () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 30 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 100 }), fc.nat(), (all, limit, stop) => {
      const scrollback = new Scrollback(limit);
      for (const each of all) expect(scrollback.push(each)).toEqual(Buffer.from(each));
      const whole = Buffer.concat(all);
      expect(scrollback.end).toBe(whole.length);
      const seen = stop % (whole.length + 1);
      const { from, bytes } = scrollback.after(seen);
      expect(bytes).toEqual(whole.subarray(from));
      // Output within the limit is complete.
      if (whole.length - seen <= limit) expect(from).toBe(seen);
    }),
  );
});

test('a new client gets whole lines', () => {
  const scrollback = new Scrollback(10);
  scrollback.push(Buffer.from('first\nsecond\n'));
  scrollback.push(Buffer.from('third\n'));
  expect(scrollback.after(undefined).bytes.toString()).toBe('second\nthird\n');
  expect(new Scrollback(10).after(undefined)).toEqual({ from: 0, bytes: Buffer.alloc(0) });
});

test('an offset beyond the end is ignored', () => {
  const scrollback = new Scrollback(10);
  scrollback.push(Buffer.from('a\nb'));
  expect(scrollback.after(99)).toEqual({ from: 0, bytes: Buffer.from('a\nb') });
});
