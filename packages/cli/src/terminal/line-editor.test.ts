import { expect, test } from 'vitest';
import { KeyReader } from './keys.ts';
import { LineEditor } from './line-editor.ts';

function typed(...chunks: string[]): LineEditor {
  const editor = new LineEditor();
  const reader = new KeyReader();
  for (const chunk of chunks) for (const event of reader.read(chunk)) editor.press(event);
  return editor;
}

const LEFT = '\u001B[D';
const UP = '\u001B[A';

test.each([
  [['hello', LEFT, LEFT, 'X'], 'helXlo'],
  [['one two', '\u0017', 'three'], 'one three'],
  [['one two', '\u0015', '!'], '!'],
  [['abc', '\u0001', '\u000B', 'x', '\u0019'], 'xabc'],
  [['e', '\u0301', '\u007F'], ''],
  [['👩‍👩‍👧', 'a', '\u007F', '\u007F'], ''],
  [['a', '\u001B[200~pasted\r\nlines\u001B[31m\u001B[201~', 'b'], 'apasted\nlinesb'],
  // A sequence and a paste that span chunks.
  [['ab', '\u001B', '[D', 'X'], 'aXb'],
  [['\u001B[200~pa', 'st\u001B[201~e'], 'paste'],
  [['one\ntwo', UP, 'X'], 'oneX\ntwo'],
  [['wörter hier', '\u001Bb', '\u001Bb', '>'], '>wörter hier'],
])('%j leaves %j', (keys, text) => {
  expect(typed(...keys).text).toBe(text);
});

test('the history returns sent text and keeps the draft', () => {
  const editor = typed('first');
  editor.take();
  editor.set('second');
  editor.take();
  editor.set('draft');
  const up = { type: 'key', name: 'up' } as const;
  const down = { type: 'key', name: 'down' } as const;
  editor.press(up);
  expect(editor.text).toBe('second');
  editor.press(up);
  editor.press(up);
  expect(editor.text).toBe('first');
  editor.press(down);
  editor.press(down);
  expect(editor.text).toBe('draft');
});

test('wide characters take two columns and are not split at the edge', () => {
  expect(typed('漢字漢字').layout(5)).toEqual({ rows: ['漢字', '漢字'], row: 1, column: 4 });
  expect(typed('abcde').layout(5)).toEqual({ rows: ['abcde', ''], row: 1, column: 0 });
});

test('Escape is a key if nothing follows', () => {
  const reader = new KeyReader();
  expect(reader.read('\u001B')).toEqual([]);
  expect(reader.isWaiting).toBe(true);
  expect(reader.flush()).toEqual([{ type: 'key', name: 'escape' }]);
});
