import { array, assert, constantFrom, nat, property } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ServerSentEvent, ServerSentEvents } from './server-sent-events.ts';

const parse = (text: string, cuts: readonly number[] = []): ServerSentEvent[] => {
  const bytes = new TextEncoder().encode(text);
  const parser = new ServerSentEvents();
  const at = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)];
  return at.flatMap((from, index) => parser.push(bytes.subarray(from, at[index + 1])));
};

const message = (data: string, id = '') => ({ id, event: 'message', data });

describe('an event stream', () => {
  test.each([
    ['an event', 'data: a\n\n', [message('a')]],
    ['lines of data joined', 'data: a\ndata: b\ndata\n\n', [message('a\nb\n')]],
    ['one space taken off', 'data:  a\n\ndata:b\n\n', [message(' a'), message('b')]],
    [
      'CRLF and CR as ends of lines',
      'data: a\r\n\r\ndata: b\r\rdata: c\r\n\n',
      ['a', 'b', 'c'].map((d) => message(d)),
    ],
    ['comments passed over', ': hello\n\n:\n\ndata: a\n: within\n\n', [message('a')]],
    [
      'ids kept for events without one',
      'id: 1\ndata: a\n\ndata: b\n\n',
      [message('a', '1'), message('b', '1')],
    ],
    ['an id taken back', 'id: 1\ndata: a\n\nid\ndata: b\n\n', [message('a', '1'), message('b')]],
    ['an id with a NUL ignored', 'id: 1\0\ndata: a\n\n', [message('a')]],
    [
      'the type of an event',
      'event: x\ndata: a\n\ndata: b\n\n',
      [{ ...message('a'), event: 'x' }, message('b')],
    ],
    ['a byte order mark at the beginning skipped', '\uFEFFdata: a\n\n', [message('a')]],
    ['one elsewhere kept', 'data: \uFEFFa\n\n', [message('\uFEFFa')]],
    ['nothing without data', 'event: x\nid: 1\n\n', []],
    ['nothing without the empty line', 'data: a\n', []],
    ['fields that nobody knows', 'retry: 3\nfoo: bar\nbaz\ndata: a\n\n', [message('a')]],
  ])('%s', (_, text, events) => {
    expect(parse(text)).toEqual(events);
  });

  test('is the same wherever its bytes are cut', () => {
    const piece = constantFrom(
      'data: ',
      'data:',
      'id: 7',
      'event: x',
      ':',
      'é',
      '🧮',
      '\n',
      '\r',
      '\r\n',
      '\n\n',
      '\r\n\r\n',
      '\uFEFF',
      'x',
    );
    assert(
      property(array(piece, { maxLength: 40 }), array(nat(), { maxLength: 12 }), (pieces, cuts) => {
        const text = pieces.join('');
        expect(parse(text, cuts)).toEqual(parse(text));
      }),
    );
  });
});
