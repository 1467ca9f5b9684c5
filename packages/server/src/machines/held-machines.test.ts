import type { Clock } from '@chatd/loop';
import pino from 'pino';
import { expect, test } from 'vitest';
import { sendHello } from '../machine/link/handshake.ts';
import { LinkServer } from '../machine/link/link-server.ts';
import { memoryChannels } from '../machine/link/memory-channel.ts';
import type { MachineRow } from '../store/machines.ts';
import { HeldMachines } from './held-machines.ts';

const serve = async () => ({});

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
    const row = { id: 'm', name: 'machine', epoch: 1, machine_id: 'm' };
    const database = {
      async query() {
        if (works) return [row];
        if (how === 'fails') throw new Error('down');
        return await Promise.withResolvers().promise;
      },
    };
    const held = new HeldMachines({
      database: database as never,
      bus: { publish: () => undefined } as never,
      replicaId: 'r',
      internalUrl: () => 'http://r',
      answers: () => Promise.resolve(false),
      log: pino({ level: 'silent' }),
      clock,
    });
    const [near, far] = memoryChannels();
    const accepted = held.accept(row as unknown as MachineRow, near);
    const hello = {
      protocol: { oldest: 1, newest: 2 },
      version: '1',
      boot: 'b',
      labels: {},
      capabilities: { sandbox: true, docker: false, desktop: false },
    };
    const link = await sendHello(far, hello, () => new LinkServer({ channel: far, serve }), clock);
    await accepted;
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
