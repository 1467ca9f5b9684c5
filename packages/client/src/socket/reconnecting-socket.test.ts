import { ManualClock } from '@chatd/loop/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ReconnectingSocket, type SocketState } from './reconnecting-socket.ts';

class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  readyState = 0;
  readonly sent: unknown[] = [];
  readonly url: string;

  constructor(url: URL) {
    super();
    this.url = url.href;
    sockets.push(this);
  }

  open() {
    this.readyState = FakeSocket.OPEN;
    this.dispatchEvent(new Event('open'));
  }

  receive(data: string | ArrayBuffer) {
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  send(data: unknown) {
    this.sent.push(data);
  }

  close() {
    if (this.readyState === 3) return;
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }
}

let sockets: FakeSocket[] = [];
let states: SocketState[] = [];
let clock = new ManualClock();

beforeEach(() => {
  vi.stubGlobal('WebSocket', FakeSocket);
  sockets = [];
  states = [];
  clock = new ManualClock();
});
afterEach(() => void vi.unstubAllGlobals());

const open = (options = {}) =>
  new ReconnectingSocket({
    url: () => new URL(`https://example.com/socket?n=${sockets.length}`),
    onState: (state) => states.push(state),
    random: () => 0.5,
    clock,
    ...options,
  });

const flush = () => new Promise(setImmediate);

test('delivers messages, and asks for a new URL with every connection', async () => {
  const messages: unknown[] = [];
  const socket = open({ onMessage: (data: unknown) => messages.push(data) });
  sockets[0]!.open();
  sockets[0]!.receive('text');
  sockets[0]!.receive(Uint8Array.of(1, 2).buffer);
  socket.send('hello');
  sockets[0]!.close();
  await flush();
  clock.advance(125);
  expect(messages).toEqual(['text', Uint8Array.of(1, 2)]);
  expect(sockets.map(({ url }) => url)).toEqual([
    'wss://example.com/socket?n=0',
    'wss://example.com/socket?n=1',
  ]);
  expect(sockets[0]!.sent).toEqual(['hello']);
});

test('waits longer after each failure, until a message arrives', async () => {
  open();
  for (const delay of [125, 250, 500]) {
    sockets.at(-1)!.close();
    await flush();
    expect(clock.pending).toEqual([delay]);
    clock.advance(delay);
  }
  sockets.at(-1)!.open();
  sockets.at(-1)!.receive('ping');
  sockets.at(-1)!.close();
  await flush();
  expect(clock.pending).toEqual([125]);
});

test('reconnects a silent connection', async () => {
  open({ silenceMs: 45_000 });
  sockets[0]!.open();
  clock.advance(44_999);
  sockets[0]!.receive('ping');
  clock.advance(45_000);
  await flush();
  expect(states.map(({ kind }) => kind)).toEqual(['connecting', 'live', 'waiting']);
});

test('stops when a refusal is final', async () => {
  open({ whyRefused: () => Promise.resolve('Not found.') });
  sockets[0]!.close();
  await flush();
  expect(states.at(-1)).toEqual({ kind: 'refused', reason: 'Not found.' });
  expect(clock.pending).toEqual([]);
});

test('skips the wait on request, and does nothing after close', async () => {
  const socket = open();
  sockets[0]!.close();
  await flush();
  socket.reconnectNow();
  expect(sockets).toHaveLength(2);
  expect(clock.pending).toEqual([]);
  socket.close();
  socket.reconnectNow();
  await flush();
  expect(sockets).toHaveLength(2);
  expect(clock.pending).toEqual([]);
});
