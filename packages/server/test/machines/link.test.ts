import { randomBytes, randomUUID } from 'node:crypto';
import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import type { Clock } from '@chatd/loop';
import { expect, test } from 'vitest';
import {
  PortUnavailable,
  SandboxClosed,
  SandboxFileError,
} from '../../src/machine/drivers/driver.ts';
import { frame } from '../../src/machine/drivers/host/inside/frames.ts';
import { type Channel, LinkLost } from '../../src/machine/link/channel.ts';
import {
  commonProtocol,
  receiveHello,
  sendHello,
  sendWelcome,
} from '../../src/machine/link/handshake.ts';
import { LINK_LIMITS, STALE_MS } from '../../src/machine/link/limits.ts';
import { LinkClient } from '../../src/machine/link/link-client.ts';
import { LinkServer, type Serve } from '../../src/machine/link/link-server.ts';
import { memoryChannels } from '../../src/machine/link/memory-channel.ts';
import { RemoteMachine } from '../../src/machine/link/remote-machine.ts';
import { serveMachine } from '../../src/machine/link/serve-machine.ts';
import { CallLost } from '../../src/machine/machine.ts';

/** A clock that a test advances. Timers fire when it passes them. */
function manualClock(): Clock & { move(ms: number): void } {
  let now = 1_000_000;
  const timers = new Set<{ at: number; run: () => void }>();
  return {
    now: () => now,
    after(ms, run) {
      const timer = { at: now + ms, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    move(ms) {
      now += ms;
      for (const timer of timers) {
        if (timer.at > now) continue;
        timers.delete(timer);
        timer.run();
      }
    },
  };
}

function pair(serve: Serve, clock = manualClock()) {
  const [near, far] = memoryChannels();
  const client = new LinkClient({ channel: near, clock });
  const server = new LinkServer({ channel: far, clock, serve });
  return { client, server, clock };
}

const value = (end: { value: unknown } | { error: Error }) =>
  'value' in end ? end.value : end.error;

test('requests carry bodies of any length in both directions', async () => {
  const { client } = pair(async ({ params, bytes }) => ({ result: params, bytes }));
  for (const length of [0, 1, LINK_LIMITS.part, LINK_LIMITS.part + 1, 5_000_000]) {
    const bytes = randomBytes(length);
    const answer = await client.request('echo', { length }, { bytes });
    expect(answer.result).toEqual({ length });
    expect(answer.bytes.equals(bytes)).toBe(true);
  }
  await expect(
    client.request('echo', {}, { bytes: Buffer.alloc(LINK_LIMITS.body + 1) }),
  ).rejects.toThrow('at once');
});

test('errors that callers distinguish keep their type', async () => {
  const { client } = pair(async () => {
    throw new CallLost('who knows');
  });
  await expect(client.request('any', {})).rejects.toThrow(CallLost);
});

test('a request to a closed workspace fails with SandboxClosed, so that the caller reopens it', async () => {
  const { client } = pair(serveMachine({} as never));
  const params = { workspace: randomUUID(), id: 'p1' };
  await expect(client.request('find', params)).rejects.toThrow(SandboxClosed);
});

test('a stream sends in order, and no more than its window until the client has consumed it', async () => {
  let pending: (() => number) | undefined;
  const sent = randomBytes(3_000_000);
  const { client } = pair(async ({ stream }) => {
    for (let at = 0; at < sent.length; at += 100_000)
      stream.write(sent.subarray(at, at + 100_000), at);
    pending = () => stream.pending;
    stream.end('done');
    return { stream: true };
  });
  const got: Buffer[] = [];
  const gate = Promise.withResolvers<void>();
  const end = Promise.withResolvers<unknown>();
  await client.open(
    'read',
    {},
    {
      async onData(bytes) {
        await gate.promise;
        got.push(Buffer.from(bytes));
      },
      onEnd: (how) => end.resolve(value(how)),
    },
  );
  await yieldToEventLoop();
  expect(pending?.()).toBe(sent.length - LINK_LIMITS.window);
  gate.resolve();
  expect(await end.promise).toBe('done');
  expect(Buffer.concat(got).equals(sent)).toBe(true);
  expect(client.openRequests).toBe(0);
});

test('leaving a stream and canceling a request reach the other side', async () => {
  const happened: string[] = [];
  const { client, server } = pair(async ({ op, stream, signal }) => {
    if (op === 'wait') {
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve(), { once: true });
      });
      happened.push('canceled');
      return {};
    }
    stream.onLeave(() => happened.push('left'));
    return { stream: true };
  });
  const { stream } = await client.open('follow', {}, { onEnd: () => happened.push('end') });
  stream.leave();
  const abort = new AbortController();
  const waiting = client.request('wait', {}, { signal: abort.signal });
  await yieldToEventLoop();
  abort.abort(new Error('enough'));
  await expect(waiting).rejects.toThrow('enough');
  await yieldToEventLoop();
  expect(happened).toEqual(['left', 'canceled']);
  expect([client.openRequests, server.openRequests]).toEqual([0, 0]);
});

test('a lost link ends everything that is open on it', async () => {
  const { client, server } = pair(async ({ op, stream }) => {
    if (op === 'never') await Promise.withResolvers().promise;
    stream.write(Buffer.from('x'));
    return { stream: true };
  });
  const ended = Promise.withResolvers<unknown>();
  await client.open('follow', {}, { onEnd: (end) => ended.resolve(value(end)) });
  const waiting = client.request('never', {});
  server.close('test');
  await expect(waiting).rejects.toThrow(LinkLost);
  expect(await ended.promise).toBeInstanceOf(LinkLost);
  await expect(client.request('any', {})).rejects.toThrow(LinkLost);
});

test('a request that arrives late is not run: the sender may have given up on it', async () => {
  const run: string[] = [];
  const clock = manualClock();
  const [near, far] = memoryChannels();
  // The client's clock stands still, as in a process that was frozen together with its network.
  const client = new LinkClient({ channel: near, clock: manualClock() });
  const server = new LinkServer({
    channel: far,
    clock,
    serve: async ({ op }) => {
      run.push(op);
      return {};
    },
  });
  await client.request('first', {});
  clock.move(STALE_MS + 1);
  await expect(client.request('late', {})).rejects.toThrow(LinkLost);
  expect(run).toEqual(['first']);
  expect(server.closeReason).toContain('late');
});

test('each side closes a silent link', async () => {
  const { client, server, clock } = pair(async () => ({}));
  for (let seconds = 0; seconds < 60; seconds += 5) {
    clock.move(5000);
    await yieldToEventLoop();
  }
  expect([client.closeReason, server.closeReason]).toEqual([undefined, undefined]);
  const [near] = memoryChannels();
  const alone = new LinkClient({ channel: near, clock });
  for (let seconds = 0; seconds < 25; seconds += 5) clock.move(5000);
  expect(alone.closeReason).toContain('silent');
});

test('the newest common protocol version is used', () => {
  expect(commonProtocol({ oldest: 1, newest: 1 })).toBe(1);
  expect(commonProtocol({ oldest: 1, newest: 2 })).toBe(2);
  expect(commonProtocol({ oldest: 2, newest: 7 })).toBe(2);
  expect(commonProtocol({ oldest: 3, newest: 7 })).toBeUndefined();
});

const HELLO = {
  protocol: { oldest: 1, newest: 2 },
  version: '1',
  boot: 'b',
  labels: {},
  capabilities: { sandbox: true, docker: false, desktop: false },
};

test('an invalid hello is refused', async () => {
  const [near, far] = memoryChannels();
  const received = receiveHello(near);
  far.send(Buffer.concat(frame({ hello: { version: 1 } }) as Uint8Array[]));
  await expect(received).rejects.toThrow(/capabilities/);
  const [server, machine] = memoryChannels();
  const welcomed = sendHello(machine, HELLO, (welcome) => welcome.machine.name);
  expect(await receiveHello(server)).toEqual(HELLO);
  sendWelcome(server, { protocol: 2, machine: { id: 'i', name: 'n' } });
  expect(await welcomed).toBe('n');
});

/** Frames that a compromised machine might send: invalid ones, and valid ones in any order. */
function hostileFrame(random: () => number): Buffer {
  const pick = <T>(...items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const id = pick<unknown>(0, 1, 2, 3, 7, -1, 1.5, 2 ** 53, '1', null, {}, []);
  const header = pick<unknown>(
    { re: id },
    { re: id, ok: pick<unknown>(null, 1, { size: -1 }, 'x'.repeat(1000)) },
    { re: id, ok: {}, st: 1 },
    { re: id, part: 1 },
    { re: id, error: pick<unknown>(null, { kind: '__proto__' }, { kind: 'file', code: {} }) },
    { s: id },
    { s: id, k: pick<unknown>(0, -1, 'x') },
    { s: id, credit: pick<unknown>(1, 2 ** 40, -5, null) },
    { s: id, end: pick<unknown>(null, { code: 'x' }) },
    { s: id, say: pick<unknown>(null, {}, []) },
    { s: id, error: {} },
    { pong: pick<unknown>(1, 2) },
    { ping: 1 },
    { id, op: 'remove', p: {} },
    { __proto__: { re: 1 } },
    [],
    null,
    5,
  );
  const bytes = randomBytes(Math.floor(random() * pick(1, 1, 100, 3000)));
  const whole = Buffer.concat(frame(header as object, bytes) as Uint8Array[]);
  switch (pick('whole', 'whole', 'whole', 'cut', 'noise', 'damaged')) {
    case 'cut':
      return whole.subarray(0, Math.floor(random() * whole.length));
    case 'noise':
      return bytes;
    case 'damaged':
      whole[Math.floor(random() * Math.min(whole.length, 40))] = Math.floor(random() * 256);
      return whole;
    case 'whole':
      return whole;
  }
}

test('10,000 frames from a hostile machine only close connections', async () => {
  let seed = 42;
  const random = () => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    return seed / 2_147_483_648;
  };
  let frames = 0;
  const reasons = new Set<string>();
  while (frames < 10_000) {
    const [near, far] = memoryChannels();
    const client = new LinkClient({ channel: near, clock: manualClock() });
    const settled = Promise.allSettled([
      client.request('read', {}),
      client.open('start', {}, { onData: () => undefined, onEnd: () => undefined }),
      client.open('connect', {}, { onSay: () => undefined, onEnd: () => undefined }),
    ]);
    while (client.closeReason === undefined && frames < 10_000) {
      frames += 1;
      far.send(hostileFrame(random));
      await Promise.resolve();
    }
    client.close('the end of the test');
    await settled;
    expect(client.openRequests).toBe(0);
    reasons.add(client.closeReason ?? '');
  }
  expect(reasons.size).toBeGreaterThan(10);
});

/** Why a link with a request (1) and a stream (2) closes after a frame. Undefined: it stays open. */
async function send(header: object, bytes?: Uint8Array): Promise<string | undefined> {
  const [near, far] = memoryChannels();
  const client = new LinkClient({ channel: near, clock: manualClock() });
  const settled = Promise.allSettled([
    client.request('read', {}),
    client.open('start', {}, { onEnd: () => undefined }),
  ]);
  far.send(Buffer.concat(frame(header, bytes) as Uint8Array[]));
  await yieldToEventLoop();
  const reason = client.closeReason;
  client.close('the end of the test');
  await settled;
  return reason;
}

test('a machine cannot make the server buffer bytes that no limit counts', async () => {
  const padding = 'x'.repeat(1000);
  expect(await send({ re: 1, part: 1 })).toContain('too short');
  expect(await send({ re: 1, part: 1 }, Buffer.alloc(1))).toContain('too short');
  expect(await send({ re: 1, part: 1, padding }, Buffer.alloc(LINK_LIMITS.part))).toContain(
    'header',
  );
  expect(await send({ s: 2, padding }, Buffer.alloc(1))).toContain('header');
  expect(await send({ re: 1, part: 1 }, Buffer.alloc(LINK_LIMITS.part))).toBeUndefined();
});

test('a welcome after the timeout starts nothing', async () => {
  const clock = manualClock();
  const [server, machine] = memoryChannels();
  let begun = 0;
  const welcomed = sendHello(machine, HELLO, () => (begun += 1), clock);
  await receiveHello(server, clock);
  clock.move(60_000);
  await expect(welcomed).rejects.toThrow('timed out');
  sendWelcome(server, { protocol: 2, machine: { id: 'i', name: 'n' } });
  await yieldToEventLoop();
  expect(begun).toBe(0);
});

test('a large body that delays pings does not close the link', async () => {
  const clock = manualClock();
  const [near, far] = memoryChannels();
  const client = new LinkClient({ channel: near, clock });
  // Parts arrive; the pings behind them do not.
  const slow = slowReader(far);
  const server = new LinkServer({ channel: slow, clock, serve: async () => ({}) });
  void client.request('write', {}, { bytes: Buffer.alloc(20 * LINK_LIMITS.part) }).catch(String);
  await yieldToEventLoop();
  for (let seconds = 0; seconds < 60; seconds += 5) {
    slow.readOne();
    clock.move(5000);
    await yieldToEventLoop();
  }
  expect([client.closeReason, server.closeReason]).toEqual([undefined, undefined]);
});

/** A channel that delivers one message per `readOne`. */
function slowReader(channel: Channel): Channel & { readOne(): void } {
  const waiting: Buffer[] = [];
  let listener: ((message: Buffer) => void) | undefined;
  channel.onMessage((message) => void waiting.push(message));
  return {
    backlog: 0,
    send: (message) => channel.send(message),
    onMessage: (next) => void (listener = next),
    onClose: (onClose) => channel.onClose(onClose),
    close: (reason) => channel.close(reason),
    readOne: () => {
      const message = waiting.shift();
      if (message !== undefined) listener?.(message);
    },
  };
}

test('a message that is too long fails only its request, and leaves no state behind', async () => {
  const { client, server } = pair(async () => ({}));
  const text = 'x'.repeat(LINK_LIMITS.message);
  await expect(client.request('any', { text })).rejects.toThrow('too long');
  const bytes = Buffer.alloc(2 * LINK_LIMITS.part);
  await expect(client.request('any', { text }, { bytes })).rejects.toThrow('too long');
  expect(client.openRequests).toBe(0);
  expect(client.bytes.sent).toBe(0);
  await client.request('any', {});
  expect([client.closeReason, server.closeReason]).toEqual([undefined, undefined]);
});

test('the server sends a bounded amount to a machine that does not read', async () => {
  const [near] = memoryChannels();
  const sent: Buffer[] = [];
  const channel: Channel = {
    get backlog() {
      return sent.reduce((sum, { length }) => sum + length, 0);
    },
    send: (message) => void sent.push(message),
    onMessage: (listener) => near.onMessage(listener),
    onClose: (listener) => near.onClose(listener),
    close: (reason) => near.close(reason),
  };
  const client = new LinkClient({ channel, clock: manualClock() });
  const bytes = Buffer.alloc(LINK_LIMITS.body);
  const requests = Array.from({ length: 8 }, () => client.request('write', {}, { bytes }));
  const settled = Promise.allSettled(requests);
  expect(channel.backlog).toBeLessThan(LINK_LIMITS.bodies + LINK_LIMITS.body);
  await expect(requests[7]).rejects.toThrow('does not read');
  client.close('the end of the test');
  await settled;
});

test('a machine cannot report control characters, which would affect the terminal of an admin', async () => {
  for (const bad of [
    { name: '\u001b[2J' },
    { name: '' },
    { version: '\u001b]0;x\u0007' },
    { labels: { 'a\n': 'x' } },
    { labels: { a: '\u001b[2J' } },
  ]) {
    const [near, far] = memoryChannels();
    const received = receiveHello(near);
    far.send(Buffer.concat(frame({ hello: { ...HELLO, ...bad } }) as Uint8Array[]));
    await expect(received).rejects.toThrow('invalid hello');
  }
});

test('an operation that an older machine does not know fails with a typed error', async () => {
  const { client } = pair(async ({ op }) => {
    if (op === 'peek') return { stream: true, result: opened };
    throw new Error(`The machine does not know the operation ${op}. Upgrade it.`);
  });
  const workspace = randomUUID();
  const opened = { workspace, instance: 'i', root: '/', shell: '/bin/sh' };
  const machine = new RemoteMachine({ id: 'm', name: 'm', source: { link: async () => client } });
  const { ports, files } = (await machine.peek(workspace))!;
  await expect(ports.list()).rejects.toThrow(PortUnavailable);
  const handlers = { onData: () => undefined, onClose: () => undefined };
  await expect(ports.connect(80, handlers)).rejects.toThrow(PortUnavailable);
  await expect(files.write('/f', Buffer.from('x'), null)).rejects.toThrow(SandboxFileError);
});

test('a setup is followed over the next connection, without a time limit', async () => {
  const first = pair(async ({ stream }) => {
    stream.write(Buffer.from('one '));
    return { stream: true };
  });
  const second = pair(async ({ stream }) => {
    stream.write(Buffer.from('one two'));
    stream.end({ ok: true, baselines: {} });
    return { stream: true };
  });
  const waits: number[] = [];
  const links = [first.client, second.client];
  const machine = new RemoteMachine({
    id: 'm',
    name: 'm',
    source: {
      link: async ({ waitMs }) => {
        waits.push(waitMs);
        return links.shift() as LinkClient;
      },
    },
  });
  let output = '';
  const result = machine.setUp({
    spec: {} as never,
    definition: {} as never,
    attempt: '1',
    signal: new AbortController().signal,
    onOutput: (bytes) => void (output += Buffer.from(bytes).toString()),
  });
  await yieldToEventLoop();
  first.server.close('cut');
  expect(await result).toEqual({ ok: true, baselines: {} });
  expect(output).toBe('one two');
  expect(waits).toEqual([Infinity, Infinity]);
});
