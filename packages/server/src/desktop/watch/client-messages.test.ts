import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  keyEvent,
  pointerEvent,
  setEncodings,
  setPixelFormat,
  updateRequest,
  VERSION,
} from '../rfb/messages.ts';
import { ClientMessages, NotRfb } from './client-messages.ts';

const HELLO = Buffer.concat([VERSION, Buffer.from([1]), Buffer.from([1])]);
const cutText = (text: string) => {
  const head = Buffer.from([6, 0, 0, 0, 0, 0, 0, 0]);
  head.writeUInt32BE(text.length, 4);
  return Buffer.concat([head, Buffer.from(text, 'latin1')]);
};
const INPUT = [
  keyEvent(0x61, true),
  keyEvent(0x61, false),
  pointerEvent(3, 4, 1),
  cutText('pasted'),
];
const VIEW_ONLY = [
  setPixelFormat(),
  setEncodings([7, 0]),
  updateRequest(true, { width: 9, height: 9 }),
];

function through(mayAct: boolean, ...chunks: readonly Uint8Array[]): Buffer {
  const messages = new ClientMessages(() => mayAct);
  return Buffer.concat(chunks.map((chunk) => messages.push(chunk).through));
}

test('input passes only from a client with control, other messages always', () => {
  const all = Buffer.concat([HELLO, ...INPUT, ...VIEW_ONLY]);
  expect(through(true, all)).toEqual(all);
  expect(through(false, all)).toEqual(Buffer.concat([HELLO, ...VIEW_ONLY]));
});

test('chunk boundaries do not change what passes', () => {
  const all = Buffer.concat([HELLO, ...INPUT, ...VIEW_ONLY, ...INPUT, ...VIEW_ONLY]);
  fc.assert(
    fc.property(fc.array(fc.nat(all.length)), fc.boolean(), (cuts, mayAct) => {
      const places = [0, ...cuts.toSorted((a, b) => a - b), all.length];
      const chunks = places.slice(1).map((end, index) => all.subarray(places[index], end));
      expect(through(mayAct, ...chunks)).toEqual(through(mayAct, all));
    }),
  );
});

test('no client can resize or shut down the desktop, and the extensions for it are hidden', () => {
  const size = Buffer.alloc(8 + 16);
  size.set([251, 0, 0, 1, 0, 1, 1]);
  const shutdown = Buffer.from([250, 0, 1, 2]);
  expect(through(true, HELLO, size, shutdown)).toEqual(HELLO);
  expect(through(true, HELLO, setEncodings([7, -258, -308, -316, -223, -1063131698]))).toEqual(
    Buffer.concat([HELLO, setEncodings([7, -223])]),
  );
});

test('pressed keys and buttons are released when control ends', () => {
  const messages = new ClientMessages(() => true);
  messages.push(Buffer.concat([HELLO, keyEvent(0xffe3, true), keyEvent(0x63, true)]));
  messages.push(Buffer.concat([keyEvent(0x63, false), pointerEvent(10, 20, 1)]));
  expect(messages.releaseAll()).toEqual(
    Buffer.concat([keyEvent(0xffe3, false), pointerEvent(10, 20, 0)]),
  );
  expect(messages.releaseAll()).toHaveLength(0);
});

test('invalid and oversized messages are refused', () => {
  expect(() => through(true, HELLO, Buffer.from([99]))).toThrow(NotRfb);
  expect(() => through(true, HELLO, Buffer.from([6, 0, 0, 0, 0x7f, 0, 0, 0]))).toThrow(NotRfb);
  expect(() => through(true, HELLO, Buffer.from([6, 0, 0, 0, 0xff, 0, 0, 0]))).toThrow(NotRfb);
});
