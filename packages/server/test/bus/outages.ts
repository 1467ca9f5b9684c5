import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Bus } from '../../src/bus/bus.ts';
import { eventually } from '@chatd/test-server/eventually';
import {
  type BrokerHarness,
  type BrokerProxy,
  Mailbox,
  nextGap,
  type OpenOptions,
} from './world.ts';

const newSubject = () => `subject.${randomUUID()}`;

/** Detects a cut connection soon. Other connections use the default. */
const FAST_DETECTION = { pingMs: 1000 };

/** How a bus behaves when its broker or the connection to it fails. */
export function describeOutages(name: string, start: () => Promise<BrokerHarness>): void {
  describe(`the bus ${name}, during outages`, () => {
    let harness: BrokerHarness;
    beforeAll(async () => {
      harness = await start();
      return () => harness.close();
    });

    const open = async (): Promise<Bus> => {
      const bus = await harness.open();
      onTestFinished(() => bus.close());
      return bus;
    };
    const openRemote = async (options?: OpenOptions): Promise<{ bus: Bus; proxy: BrokerProxy }> => {
      const remote = await harness.openRemote(options);
      onTestFinished(() => remote.bus.close());
      return remote;
    };

    test('a terminated connection is replaced, and subscribers are notified of the gap', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote();
      const subject = newSubject();
      const [here, there] = [await Mailbox.on(near, subject), await Mailbox.on(remote, subject)];
      const gap = nextGap(remote);
      proxy.terminate();
      await gap;
      near.publish(subject, 'to the remote one');
      remote.publish(subject, 'from the remote one');
      await there.has('to the remote one');
      await here.has('from the remote one');
      expect(remote.stats.reconnects).toBe(1);
      expect(near.stats.reconnects).toBe(0);
    });

    test('a silently cut connection is detected and replaced', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote(FAST_DETECTION);
      const subject = newSubject();
      const [here, there] = [await Mailbox.on(near, subject), await Mailbox.on(remote, subject)];
      remote.publish(subject, 'before');
      await here.has('before');
      const gap = nextGap(remote);
      proxy.cut();
      near.publish(subject, 'into the void');
      await gap;
      near.publish(subject, 'to the remote one');
      remote.publish(subject, 'from the remote one');
      expect(await there.has('to the remote one')).not.toContain('into the void');
      await here.has('from the remote one');
      expect(proxy.connections).toBeGreaterThan(1);
    });

    test('subscribers are notified of messages lost in a cut', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote(FAST_DETECTION);
      const subject = newSubject();
      const here = await Mailbox.on(near, subject);
      const gap = nextGap(near);
      proxy.cut();
      remote.publish(subject, 'into the void');
      await gap;
      expect(remote.stats.dropped).toBe(1);
      expect(near.stats.reconnects).toBe(0);
      remote.publish(subject, 'after');
      expect(await here.has('after')).toEqual(['after']);
    });

    test('requests work again after a cut', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote(FAST_DETECTION);
      const [there, here] = [newSubject(), newSubject()];
      await remote.answer(there, () => 'remote');
      await near.answer(here, () => 'near');
      const gap = nextGap(remote);
      proxy.cut();
      await gap;
      expect(await near.request(there, null, { timeoutMs: 20_000 })).toBe('remote');
      expect(await remote.request(here, null, { timeoutMs: 20_000 })).toBe('near');
    });

    test('messages published while disconnected arrive in order after the reconnect', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote();
      const subject = newSubject();
      const here = await Mailbox.on(near, subject);
      const own = await Mailbox.on(remote, subject);
      proxy.refuse();
      await eventually(() => expect(proxy.refused).toBeGreaterThan(0));
      const numbers = Array.from({ length: 1000 }, (_, index) => index);
      for (const number of numbers) remote.publish(subject, number);
      // Subscribers in the same process do not need the broker.
      expect(await own.has(999)).toEqual(numbers);
      proxy.allow();
      expect(await here.has(999)).toEqual(numbers);
      expect(remote.stats.dropped).toBe(0);
    });

    test('a full queue drops its oldest messages, and subscribers are notified', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote({ outboxBytes: 10_000 });
      const [subject, other] = [newSubject(), newSubject()];
      const here = await Mailbox.on(near, subject);
      await Mailbox.on(near, other);
      proxy.refuse();
      await eventually(() => expect(proxy.refused).toBeGreaterThan(0));
      const gap = nextGap(near);
      remote.publish(other, 'x'.repeat(20_000));
      for (let number = 0; number < 500; number += 1) {
        remote.publish(subject, { number, text: 'x'.repeat(80) });
      }
      proxy.allow();
      await gap;
      const messages = await here.until((all) =>
        all.some((message) => (message as { number: number }).number === 499),
      );
      const kept = messages.map((message) => (message as { number: number }).number);
      expect(kept).toEqual(Array.from({ length: kept.length }, (_, i) => 500 - kept.length + i));
      expect(kept.length).toBeLessThan(120);
      expect(remote.stats.dropped).toBe(501 - kept.length);
    });

    test('a subscription made while disconnected is active after the reconnect', async () => {
      const near = await open();
      const { bus: remote, proxy } = await openRemote();
      const subject = newSubject();
      proxy.refuse();
      await eventually(() => expect(proxy.refused).toBeGreaterThan(0));
      const there = new Mailbox();
      const subscribing = remote.subscribe(subject, there.take);
      proxy.allow();
      await subscribing;
      near.publish(subject, 'hello');
      await there.has('hello');
    });

    test('a bus can be closed while disconnected or cut', async () => {
      for (const trouble of ['refuse', 'cut'] as const) {
        const { bus, proxy } = await openRemote();
        const subject = newSubject();
        await bus.subscribe(subject, () => undefined);
        proxy[trouble]();
        bus.publish(subject, 'nobody hears this');
        await bus.close();
      }
    });

    test('after a restart of the server, publishing continues, and subscribers are notified of the gap', async () => {
      const [one, other] = [await open(), await open()];
      const subject = newSubject();
      const mailboxes = [await Mailbox.on(one, subject), await Mailbox.on(other, subject)];
      const gaps = Promise.all([nextGap(one), nextGap(other)]);
      await harness.stopServer();
      const asked = one.request(newSubject(), null, { timeoutMs: 20 }).catch(String);
      for (let number = 0; number < 100; number += 1) one.publish(subject, number);
      expect(await asked).toMatch(/NoAnswer/);
      await harness.startServer();
      await gaps;
      one.publish(subject, 'from one');
      other.publish(subject, 'from the other');
      for (const mailbox of mailboxes) {
        await mailbox.has('from one');
        await mailbox.has('from the other');
      }
    });

    test('starting a bus without a server fails with an explanation', async () => {
      await harness.stopServer();
      try {
        await expect(harness.open()).rejects.toThrow(harness.unreachable);
      } finally {
        await harness.startServer();
      }
    });
  });
}
