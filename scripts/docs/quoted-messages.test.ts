import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ErrorKind, PROBLEMS } from '@chatd/protocol';
import { expect, test } from 'vitest';
import { isSaid, quotedMessages, sourceTexts } from './quoted-messages.ts';

const ROOT = join(import.meta.dirname, '../..');
const page = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');
const sources = sourceTexts(ROOT);

test('every message that the page quotes is in the sources', () => {
  const quotes = quotedMessages(page);
  expect(quotes.length).toBeGreaterThan(40);
  expect(quotes.filter((quote) => !isSaid(quote, sources))).toEqual([]);
});

test('a changed message is detected', () => {
  expect(isSaid('Port … on … is already in use.', sources)).toBe(true);
  expect(isSaid('Port … on … is already taken.', sources)).toBe(false);
  expect(isSaid('is already in use. … Port … on … is already in use.', sources)).toBe(false);
});

test('the page lists every API error code and every kind of model error', () => {
  const codes = section('## API error codes');
  const named = new Set(Array.from(codes.matchAll(/`([a-z_]+)`/g), ([, code = '']) => code));
  expect(Object.keys(PROBLEMS).filter((code) => !named.has(code))).toEqual([]);
  const kinds = Array.from(
    section('## Model errors').matchAll(/^\| `([a-z_]+)`/gm),
    ([, kind = '']) => kind,
  );
  expect(kinds.toSorted()).toEqual(ErrorKind.options.toSorted());
});

function section(heading: string): string {
  const from = page.indexOf(heading);
  return page.slice(from, page.indexOf('\n## ', from + 1));
}
