import { type Clock, systemClock } from '@chatd/loop';
import pino from 'pino';
import { expect, test } from 'vitest';
import { sendHello } from '../machine/link/handshake.ts';
import { LinkServer, type Serve } from '../machine/link/link-server.ts';
import { memoryChannels } from '../machine/link/memory-channel.ts';
import type { MachineRow } from '../store/machines.ts';
import { HeldMachines } from './held-machines.ts';

const ROW = { id: 'm', name: 'machine', epoch: 1, machine_id: 'm' };
const CAPABILITIES = { sandbox: true, docker: false, desktop: false };

interface Connecting {
  readonly database: (statement: { readonly name: string }, params: object) => Promise<object[]>;
  readonly serve?: Serve;
  readonly clock?: Clock;
}

/** A replica that holds the connection of a machine. */
async function connect({ database, serve = async () => ({}), clock = systemClock }: Connecting) {
  const held = new HeldMachines({
    database: { query: database } as never,
    bus: { publish: () => undefined } as never,
    replicaId: 'r',
    internalUrl: () => 'http://r',
    answers: () => Promise.resolve(false),
    log: pino({ level: 'silent' }),
    clock,
  });
  const [near, far] = memoryChannels();
  const accepted = held.accept(ROW as unknown as MachineRow, near);
  const hello = {
    protocol: { oldest: 1, newest: 2 },
    version: '1',
    boot: 'b',
    labels: {},
    capabilities: CAPABILITIES,
  };
  const link = await sendHello(far, hello, () => new LinkServer({ channel: far, serve }), clock);
  await accepted;
  return { held, link };
}

test.each(['fails', 'does not answer'])(
  'machines are left to other replicas when the database %s for long',
  async (how) => {
    let now = 0;
    let timers: { at: number; run: () => void }[] = [];
    const clock: Clock = {
      now: () => now,
      after(ms, run) {
        const timer = { at: now + ms, run };
        timers.push(timer);
        return () => void (timers = timers.filter((one) => one !== timer));
      },
    };
    let works = true;
    const database = async () => {
      if (works) return [ROW];
      if (how === 'fails') throw new Error('down');
      return await Promise.withResolvers<object[]>().promise;
    };
    const { held, link } = await connect({ database, clock });
    // The link stays alive.
    timers = [];
    await held.check();
    works = false;
    now += 5000;
    const check = held.check().catch(String);
    await Promise.resolve();
    expect(link.closeReason).toBeUndefined();
    now += 45_000;
    for (const { at, run } of timers) if (at <= now) run();
    if (how === 'fails') {
      await check;
      await held.check().catch(String);
    }
    await new Promise(setImmediate);
    expect(link.closeReason).toContain('database');
    expect(held.all).toEqual([]);
  },
);

test('what a connected machine can do is recorded when it changes', async () => {
  const recorded: object[] = [];
  let docker = false;
  const { held } = await connect({
    database: async ({ name }, params) => {
      if (name === 'record-capabilities') recorded.push(params);
      return [ROW];
    },
    serve: async ({ op }) =>
      op === 'capabilities' ? { result: { ...CAPABILITIES, docker } } : { result: null },
  });
  await held.refresh();
  expect(recorded).toEqual([]);
  docker = true;
  await held.refresh();
  await held.refresh();
  const capabilities = JSON.stringify({ ...CAPABILITIES, docker });
  expect(recorded).toEqual([{ machine_id: 'm', capabilities }]);
  await held.close();
});
