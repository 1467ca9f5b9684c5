import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { OutputBuffer } from './output-buffer.ts';

test('output within the limits is kept whole', () => {
  const buffer = new OutputBuffer({ head: 4, tail: 4 });
  buffer.push(Buffer.from('abc'));
  buffer.push(Buffer.from('defg'));
  expect(buffer.text()).toBe('abcdefg');
  expect(buffer.text(2)).toBe('cdefg');
  expect(buffer.text(7)).toBe('');
});

test('longer output keeps its beginning and end, with a note between them', () => {
  const buffer = new OutputBuffer({ head: 3, tail: 3 });
  buffer.push(Buffer.from('abcdefghij'));
  expect(buffer.text()).toBe('abc\n[… 4 bytes omitted …]\nhij');
  expect(buffer.text(5)).toBe('\n[… 2 bytes omitted …]\nhij');
  expect(buffer.total).toBe(10);
});

test('NUL and invalid UTF-8 are replaced', () => {
  const buffer = new OutputBuffer({ head: 9, tail: 9 });
  buffer.push(Buffer.from([0x61, 0, 0xff, 0x62]));
  expect(buffer.text()).toBe('a\uFFFD\uFFFDb');
});

test('the text does not depend on how the output arrives', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme-ascii', maxLength: 9 }), { maxLength: 12 });
  fc.assert(
    fc.property(pieces, fc.nat(20), (some, from) => {
      const apart = new OutputBuffer({ head: 5, tail: 7 });
      const whole = new OutputBuffer({ head: 5, tail: 7 });
      for (const piece of some) apart.push(Buffer.from(piece));
      whole.push(Buffer.from(some.join('')));
      expect(apart.text(from)).toBe(whole.text(from));
      const all = some.join('');
      if (all.length <= 12) expect(apart.text()).toBe(all);
      else expect(apart.text().endsWith(all.slice(-7))).toBe(true);
    }),
  );
});
