import { expect, test } from 'vitest';
import { editableText, savedText } from './editable-text.ts';

const bytes = (...values: number[]) => new Uint8Array(values).buffer;
const encoded = (text: string) => new TextEncoder().encode(text).buffer;

test.each(['one\ntwo\n', 'one\r\ntwo\r\n', '\uFEFFwith a byte order mark', ''])(
  'text is saved as it was: %j',
  (text) => {
    const read = editableText(encoded(text));
    expect(read?.text).not.toContain('\r');
    expect(read && savedText(read.text, read.lineEnd)).toBe(text);
  },
);

test('text that cannot be saved as it was is not edited', () => {
  expect(editableText(encoded('one\r\ntwo\nthree'))).toBeUndefined();
  expect(editableText(encoded('one\rtwo'))).toBeUndefined();
  expect(editableText(bytes(0xc3, 0x28))).toBeUndefined();
});
