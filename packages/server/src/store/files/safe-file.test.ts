import { isFileName } from '@chatd/protocol';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { safeFile } from './safe-file.ts';

const named = (name: string) => safeFile({ data: new Uint8Array(), media_type: 'a/b', name }).name;
const typed = (media_type: string, data = Buffer.from('text')) =>
  safeFile({ data, media_type }).media_type;

test.each([
  ['../../etc/passwd', '.._.._etc_passwd'],
  ['C:\\windows\\win.ini', 'C:_windows_win.ini'],
  ['a\r\nSet-Cookie: b', 'a_Set-Cookie: b'],
  ['invoice\u202egpj.exe', 'invoice_gpj.exe'],
  ['\u0000', '_'],
  ['..', 'file'],
  ['  ', 'file'],
  ['', 'file'],
  ['Überblick 👩‍💻.pdf', 'Überblick 👩‍💻.pdf'],
])('the name %j is stored as %j', (given, stored) => {
  expect(named(given)).toBe(stored);
});

test('a long name is cut between characters', () => {
  expect(named('x'.repeat(300))).toBe('x'.repeat(255));
  expect(named(`${'x'.repeat(254)}👍👍`)).toBe('x'.repeat(254));
});

test('every stored name is valid for an upload', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (name) => isFileName(named(name))));
});

test.each([
  ['Text/HTML; charset=utf-8', 'text/html'],
  ['text/html\r\nx: y', 'application/octet-stream'],
  ['', 'application/octet-stream'],
  ['html', 'application/octet-stream'],
  [`text/${'x'.repeat(200)}`, 'application/octet-stream'],
  ['image/png', 'application/octet-stream'],
])('the declared type %j of a text is stored as %j', (given, stored) => {
  expect(typed(given)).toBe(stored);
});

test('the bytes override the declared type', () => {
  expect(typed('text/html', Buffer.from('%PDF-1.7'))).toBe('application/pdf');
});
