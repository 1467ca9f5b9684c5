import { expect, test } from 'vitest';
import { LONG_PASTE, pasted } from './clipboard.ts';

const clipboard = (over: { files?: string[]; text?: string; types?: string[] }) => ({
  files: [],
  text: '',
  types: [],
  ...over,
});

test('files are attached, even when their names are present as text', () => {
  expect(pasted(clipboard({ files: ['a.png'] }), false)).toEqual({
    kind: 'files',
    files: ['a.png'],
  });
  expect(pasted(clipboard({ files: ['a.png'], text: 'a.png' }), false).kind).toBe('files');
});

test('the picture that office programs add to formatted text is ignored', () => {
  const cells = clipboard({ files: ['cells.png'], text: '1\t2', types: ['text/html'] });
  expect(pasted(cells, false)).toEqual({ kind: 'text' });
});

test('a long text becomes a file unless it is pasted as plain text', () => {
  const long = 'x'.repeat(LONG_PASTE + 1);
  expect(pasted(clipboard({ text: long }), false)).toEqual({ kind: 'long-text', text: long });
  expect(pasted(clipboard({ text: long }), true)).toEqual({ kind: 'text' });
  expect(pasted(clipboard({ text: 'short' }), false)).toEqual({ kind: 'text' });
});
