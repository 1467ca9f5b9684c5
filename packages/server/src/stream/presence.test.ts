import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { MemoryBus } from '../bus/memory-bus.ts';
import type { Holder } from './holders.ts';
import { Presence } from './presence.ts';

const holder = (username: string, isGuest: boolean): Holder => ({
  kind: 'token',
  key: username,
  userId: username,
  username,
  needsAdmin: false,
  guest: isGuest ? { kind: 'chat', id: 'chat', needs: 'viewer' } : undefined,
});

const PERIOD = { presentMs: 4000, absentMs: 12_000 };

const names = (presence: Presence) => presence.of('chat').viewers.map(({ username }) => username);

async function replicas() {
  const bus = new MemoryBus(pino({ level: 'silent' }));
  let now = 0;
  const start = async (replicaId: string) => {
    const presence = new Presence({
      bus,
      replicaId,
      ...PERIOD,
      onChange: () => undefined,
      now: () => now,
    });
    await presence.start();
    return presence;
  };
  const [a, b] = [await start('a'), await start('b')];
  return { bus, a, b, pass: (ms: number) => (now += ms) };
}

test('a chat that only its owner follows is not announced', async () => {
  const { bus, a } = await replicas();
  const leave = a.enter('chat', holder('ada', false));
  a.renew();
  leave();
  expect(bus.stats.published).toBe(0);
  expect(names(a)).toEqual([]);
});

test('replicas see the viewers of other replicas join and leave', async () => {
  const { a, b } = await replicas();
  a.enter('chat', holder('ada', false));
  const leave = b.enter('chat', holder('bob', true));
  const again = b.enter('chat', holder('bob', true));
  await setImmediate();
  expect([names(a), names(b)]).toEqual([
    ['ada', 'bob'],
    ['ada', 'bob'],
  ]);
  leave();
  await setImmediate();
  expect(names(a)).toEqual(['ada', 'bob']);
  again();
  await setImmediate();
  expect(names(a)).toEqual(['ada']);
});

test('the viewers of a killed replica disappear, those of a live replica stay', async () => {
  const { a, b, pass } = await replicas();
  a.enter('chat', holder('ada', false));
  b.enter('chat', holder('bob', true));
  for (let elapsed = 0; elapsed < 3 * PERIOD.absentMs; elapsed += PERIOD.presentMs) {
    pass(PERIOD.presentMs);
    a.renew();
    b.renew();
    await setImmediate();
  }
  expect(names(a)).toEqual(['ada', 'bob']);
  pass(PERIOD.absentMs);
  a.renew();
  expect(names(a)).toEqual(['ada']);
});

test('a viewer who joins later is seen immediately', async () => {
  const { a, b } = await replicas();
  b.enter('chat', holder('bob', true));
  await setImmediate();
  a.enter('chat', holder('ada', false));
  await setImmediate();
  expect([names(a), names(b)]).toEqual([
    ['ada', 'bob'],
    ['ada', 'bob'],
  ]);
});
