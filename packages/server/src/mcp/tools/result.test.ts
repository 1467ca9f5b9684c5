import { randomBytes } from 'node:crypto';
import { Media } from '@chatd/loop';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { asOutput } from './result.ts';

const text = (value: string) => ({ type: 'text' as const, text: value });
const data = Buffer.from('bytes').toString('base64');
const base64 = (bytes: string) => Buffer.from(bytes, 'latin1').toString('base64');
const PNG = base64('\x89PNG\r\n\x1a\n');
const result = (content: CallToolResult['content'], more: object = {}) =>
  asOutput({ content, ...more });

test('text parts are joined by line breaks', () => {
  expect(result([text('one'), text('two')])).toBe('one\ntwo');
  expect(result([])).toBe('');
});

test('content is preferred to structuredContent, in which most servers repeat it', () => {
  const structuredContent = { b: 2, a: [1] };
  expect(result([text('{"a": [1], "b": 2}')], { structuredContent })).toBe('{"a": [1], "b": 2}');
  expect(result([text('Two things.')], { structuredContent })).toBe('Two things.');
});

test('structuredContent is used if content is empty', () => {
  const structuredContent = { b: 2, a: [1] };
  expect(result([], { structuredContent })).toEqual(structuredContent);
  expect(result([text(' ')], { structuredContent })).toEqual(structuredContent);
});

const LARGE = randomBytes(98 * 1024).toString('base64');

test('an image is not repeated as base64 text', () => {
  const output = result([{ type: 'image', data: PNG, mimeType: 'image/png' }], {
    structuredContent: { image: LARGE },
  });
  expect(output).toMatchObject({ text: '', files: [{ media_type: 'image/png' }] });
});

test('base64 in text and in structuredContent becomes a note', () => {
  const note = `[${LARGE.length} characters of base64 omitted]`;
  expect(result([], { structuredContent: { name: 'a.png', data: [LARGE] } })).toEqual({
    name: 'a.png',
    data: [note],
  });
  expect(result([text(JSON.stringify({ data: `data:image/png;base64,${LARGE}` }))])).toBe(
    JSON.stringify({ data: `data:image/png;base64,${note}` }),
  );
  expect(() => result([text(LARGE)], { isError: true })).toThrow(note);
});

test('long text that is not base64 stays', () => {
  const long = ['x'.repeat(5000), 'word '.repeat(2000), 'abcdef0123456789'.repeat(500)];
  for (const one of long) expect(result([text(one)])).toBe(one.trim());
});

test('images, audio and other bytes are files with the type detected from their bytes', () => {
  const pdf = base64('%PDF-1.7');
  const output = result([
    text('Look'),
    { type: 'image', data: PNG, mimeType: 'image/png' },
    { type: 'image', data: PNG, mimeType: 'image/jpeg' },
    { type: 'image', data: PNG, mimeType: 'text/plain' },
    { type: 'image', data, mimeType: 'image/png' },
    { type: 'audio', data, mimeType: 'audio/wav' },
    { type: 'resource', resource: { uri: 'x://a.pdf', mimeType: 'application/pdf', blob: pdf } },
  ]);
  expect(output).toBeInstanceOf(Media);
  const { files, text: said } = output as Media;
  expect(said).toBe('Look');
  expect(files).toMatchObject([
    { media_type: 'image/png', data: Buffer.from(PNG, 'base64') },
    { media_type: 'image/png' },
    { media_type: 'image/png' },
    { media_type: 'application/octet-stream', data: Buffer.from('bytes') },
    { media_type: 'audio/wav' },
    { media_type: 'application/pdf', name: 'x://a.pdf' },
  ]);
});

test('embedded resources are included as text, and links are listed', () => {
  expect(
    result([
      { type: 'resource', resource: { uri: 'x://a', text: 'Alpha' } },
      { type: 'resource', resource: { uri: 'x://b', mimeType: 'text/plain', blob: data } },
      {
        type: 'resource_link',
        uri: 'x://c',
        name: 'C',
        mimeType: 'text/html',
        description: 'A page',
      },
    ]),
  ).toBe('[resource <x://a>]\nAlpha\n[x://b]\nbytes\n[resource C <x://c>, text/html: A page]');
});

test('an invalid media type and empty data are reported', () => {
  expect(result([{ type: 'image', data, mimeType: 'what?' }])).toContain('what?, 5 bytes');
  expect(result([{ type: 'image', data: '', mimeType: 'image/png' }])).toContain('0 bytes');
});

test('a result with isError fails the call, with its content as the reason', () => {
  expect(() => result([text('no such file')], { isError: true })).toThrow('no such file');
  expect(() => result([], { isError: true })).toThrow('without giving a reason');
  const structuredContent = { code: 7 };
  expect(() => result([], { isError: true, structuredContent })).toThrow('{"code":7}');
});
