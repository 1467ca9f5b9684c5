import { randomUUID } from 'node:crypto';
import type { Json } from '@chatd/protocol';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type Bus, BusClosed, NoAnswer } from '../../src/bus/bus.ts';
import { type BusHarness, Mailbox, type OpenOptions, recordingLog } from './world.ts';

const newSubject = () => `subject.${randomUUID()}`;
const inTime = { timeoutMs: 20_000 };

/** Handles the rejection immediately, so that it is never unhandled. */
const refusal = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

/** The contract of every bus. With the in-memory bus, both processes are the same. */
export function describeContract(name: string, start: () => Promise<BusHarness>): void {
  describe(`the bus ${name}`, () => {
    let harness: BusHarness;
    beforeAll(async () => {
      harness = await start();
      return () => harness.close();
    });

    const open = async (options?: OpenOptions): Promise<Bus> => {
      const bus = await harness.open(options);
      onTestFinished(() => bus.close());
      return bus;
    };
    const twoProcesses = async (options?: OpenOptions) => {
      const one = await open(options);
      return [one, harness.oneProcess === true ? one : await open(options)] as const;
    };

    test('a message reaches subscribers in this and other processes once', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const here = await Mailbox.on(one, subject);
      const hereToo = await Mailbox.on(one, subject);
      const there = await Mailbox.on(other, subject);
      one.publish(subject, 'first');
      other.publish(subject, 'second');
      for (const mailbox of [here, hereToo, there]) {
        await mailbox.until((messages) => messages.length >= 2);
      }
      one.publish(subject, 'third');
      for (const mailbox of [here, hereToo, there]) {
        await mailbox.has('third');
        expect(new Set(mailbox.messages)).toEqual(new Set(['first', 'second', 'third']));
        expect(mailbox.messages).toHaveLength(3);
      }
    });

    test('10,000 messages arrive complete and in order, in this process and another', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const here = await Mailbox.on(one, subject);
      const there = await Mailbox.on(other, subject);
      const sent = Array.from({ length: 10_000 }, (_, index) => ({ index, text: 'x'.repeat(50) }));
      for (const message of sent) one.publish(subject, message);
      expect(await here.until((messages) => messages.length >= sent.length)).toEqual(sent);
      expect(await there.until((messages) => messages.length >= sent.length)).toEqual(sent);
      expect(one.stats).toMatchObject({ published: 10_000, dropped: 0 });
    });

    test('messages of each publisher arrive in order', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const inboxes = [await Mailbox.on(one, subject), await Mailbox.on(other, subject)];
      for (let index = 0; index < 500; index += 1) {
        one.publish(subject, ['one', index]);
        other.publish(subject, ['other', index]);
        if (index % 50 === 0) await new Promise(setImmediate);
      }
      for (const inbox of inboxes) {
        const messages = await inbox.until(({ length }) => length >= 1000);
        for (const name of ['one', 'other']) {
          const indexes = messages
            .map((message) => message as [string, number])
            .filter(([from]) => from === name)
            .map(([, index]) => index);
          expect(indexes).toEqual(Array.from({ length: 500 }, (_, index) => index));
        }
      }
    });

    test('equal messages are different messages', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const there = await Mailbox.on(other, subject);
      const large = 'same'.repeat(5000);
      for (let count = 0; count < 4; count += 1) one.publish(subject, large);
      for (let count = 0; count < 4; count += 1) one.publish(subject, null);
      one.publish(subject, 'end');
      expect(await there.has('end')).toEqual([
        ...Array.from({ length: 4 }, () => large),
        ...Array.from({ length: 4 }, () => null),
        'end',
      ]);
    });

    test('a subscriber gets the messages of its subject only', async () => {
      const [one, other] = await twoProcesses();
      const [subject, similar] = [newSubject(), newSubject()];
      const there = await Mailbox.on(other, subject);
      const elsewhere = await Mailbox.on(one, similar);
      one.publish(similar, 'to the other');
      one.publish(`${subject}.more`, 'deeper');
      one.publish('subject', 'above');
      one.publish(subject, 'to this one');
      expect(await there.has('to this one')).toEqual(['to this one']);
      expect(await elsewhere.has('to the other')).toEqual(['to the other']);
    });

    test('a subject can be long and contain any characters', async () => {
      const [one, other] = await twoProcesses();
      const subjects = [
        `${newSubject()}.${'long'.repeat(50)}`,
        `${newSubject()}.${'long'.repeat(50)}2`,
        `${newSubject()} with spaces, "quotes", 'more', * and > and Ünïcödé 🚌 and \u0000\u0001\n`,
        `${newSubject()}..dots.`,
      ];
      const mailboxes: Mailbox[] = [];
      for (const subject of subjects) mailboxes.push(await Mailbox.on(other, subject));
      for (const subject of subjects) one.publish(subject, subject);
      for (const [index, mailbox] of mailboxes.entries()) {
        expect(await mailbox.until(({ length }) => length > 0)).toEqual([subjects[index]]);
      }
    });

    test('text of any content and size is delivered unchanged', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const there = await Mailbox.on(other, subject);
      const texts = [
        'Grüße, 世界, 🚌🚌, \u0000 and \u0001 and \n and \\ and "',
        'lone \ud800 surrogate',
        // Characters of two, three, and four bytes cross every chunk boundary.
        ...['ü', '世', '🚌'].flatMap((letter) =>
          [0, 1, 2, 3].map((shift) => `${'.'.repeat(shift)}${letter.repeat(6000)}`),
        ),
        '',
      ];
      const sent: Json = [...texts, { [texts[0] ?? '']: [true, null, 1.5, {}, []] }];
      for (const message of sent) one.publish(subject, message);
      expect(await there.until(({ length }) => length >= sent.length)).toEqual(sent);
    });

    test('a message of 1 MB keeps its position among small ones', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const there = await Mailbox.on(other, subject);
      const large = { text: 'lörem "ipsum"\n'.repeat(75_000) };
      const sent = ['before', large, 'between', large, 'after'];
      for (const message of sent) one.publish(subject, message);
      expect(await there.has('after')).toEqual(sent);
    });

    test('a closed subscription gets no messages, other subscriptions do', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const closed = new Mailbox();
      const subscription = await other.subscribe(subject, closed.take);
      const open = await Mailbox.on(other, subject);
      one.publish(subject, 1);
      await closed.has(1);
      await open.has(1);
      const closing = subscription.close();
      one.publish(subject, 2);
      await closing;
      await subscription.close();
      one.publish(subject, 3);
      expect(await open.has(3)).toEqual([1, 2, 3]);
      expect(closed.messages).toEqual([1]);
    });

    test('a subject can be subscribed to again immediately', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      for (let round = 0; round < 5; round += 1) {
        const mailbox = new Mailbox();
        const [subscription] = await Promise.all([
          other.subscribe(subject, mailbox.take),
          (await other.subscribe(subject, () => undefined)).close(),
        ]);
        one.publish(subject, round);
        await mailbox.has(round);
        void subscription.close();
      }
      const last = await Mailbox.on(other, subject);
      one.publish(subject, 'end');
      await last.has('end');
    });

    test('an exception of a handler is logged and affects no other handler', async () => {
      const { log, records } = recordingLog();
      const [bus, other] = await twoProcesses({ log });
      const subject = newSubject();
      for (const process of [bus, other]) {
        await process.subscribe(subject, () => {
          throw new Error('the handler is broken');
        });
      }
      const here = await Mailbox.on(bus, subject);
      const there = await Mailbox.on(other, subject);
      bus.publish(subject, 1);
      bus.publish(subject, 2);
      expect(await here.has(2)).toEqual([1, 2]);
      expect(await there.has(2)).toEqual([1, 2]);
      expect(records.filter(({ msg }) => msg === 'bus message handler failed')).toHaveLength(4);
    });

    test('a message published by a handler is delivered after the current one', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      await one.subscribe(subject, (message) => {
        if (message === 'question') one.publish(subject, 'reaction');
      });
      const here = await Mailbox.on(one, subject);
      const there = await Mailbox.on(other, subject);
      one.publish(subject, 'question');
      for (const mailbox of [here, there]) {
        expect(await mailbox.has('reaction')).toEqual(['question', 'reaction']);
      }
    });

    test('a value without a JSON form is not sent, and publishing does not throw', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const there = await Mailbox.on(other, subject);
      const endless: { [key: string]: Json } = {};
      endless['self'] = endless;
      if (one !== other) one.publish(subject, endless);
      one.publish(subject, 'fine');
      expect(await there.has('fine')).toEqual(['fine']);
    });

    test('a request is answered by an answerer in this or another process', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      await other.answer(subject, async (payload) => ({ echo: payload }));
      expect(await one.request(subject, 'from one', inTime)).toEqual({ echo: 'from one' });
      expect(await other.request(subject, 'from other', inTime)).toEqual({ echo: 'from other' });
    });

    test('concurrent requests get their own answers', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      await other.answer(subject, async (payload) => {
        // Later requests are answered first.
        for (let turns = 100 - Number(payload); turns > 0; turns -= 1) await Promise.resolve();
        return Number(payload) * 2;
      });
      const numbers = Array.from({ length: 100 }, (_, index) => index);
      const answers = await Promise.all(
        numbers.map((number) => one.request(subject, number, inTime)),
      );
      expect(answers).toEqual(numbers.map((number) => number * 2));
    });

    test('a request and its answer may have 1 MB', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const large = 'Ä'.repeat(524_288);
      await other.answer(subject, (payload) => [payload, payload]);
      expect(await one.request(subject, large, inTime)).toEqual([large, large]);
    });

    test('a request without an answerer fails with NoAnswer', async () => {
      const one = await open();
      const asked = one.request(newSubject(), 'anybody?', { timeoutMs: 20 });
      await expect(asked).rejects.toThrow(NoAnswer);
    });

    test('a late answer is ignored', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const { promise: answered, resolve: sayAnswered } = Promise.withResolvers<void>();
      let asked = 0;
      await other.answer(subject, async () => {
        asked += 1;
        if (asked > 1) return 'second';
        await released;
        sayAnswered();
        return 'first';
      });
      await expect(one.request(subject, null, { timeoutMs: 50 })).rejects.toThrow(NoAnswer);
      release();
      await answered;
      expect(await one.request(subject, null, inTime)).toBe('second');
    });

    test('if an answerer throws, it logs the error, and the request fails with NoAnswer immediately', async () => {
      const { log, records } = recordingLog();
      const [one, other] = await twoProcesses({ log });
      const subject = newSubject();
      await other.answer(subject, () => {
        throw new Error('the answerer is broken');
      });
      const asked = one.request(subject, null, inTime);
      await expect(asked).rejects.toThrow(NoAnswer);
      expect(records.map(({ msg }) => msg)).toContain('bus request handler failed');
    });

    test('a request can be aborted with a reason', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const { promise: asked, resolve: sayAsked } = Promise.withResolvers<void>();
      await other.answer(subject, async () => {
        sayAsked();
        return await new Promise<Json>(() => undefined);
      });
      const controller = new AbortController();
      const refused = refusal(one.request(subject, null, { ...inTime, signal: controller.signal }));
      await asked;
      controller.abort(new Error('no longer needed'));
      expect(await refused).toEqual(new Error('no longer needed'));
      const late = one.request(subject, null, { ...inTime, signal: controller.signal });
      await expect(late).rejects.toThrow('no longer needed');
    });

    test('a subject has one answerer per process, and another one after it stops', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const first = await other.answer(subject, () => 'first');
      await expect(other.answer(subject, () => 'second')).rejects.toThrow(
        /already has a responder/,
      );
      expect(await one.request(subject, null, inTime)).toBe('first');
      await first.close();
      await one.answer(subject, () => 'second');
      expect(await other.request(subject, null, inTime)).toBe('second');
      expect(await one.request(subject, null, inTime)).toBe('second');
    });

    test('subscribers get no requests, and answerers get no messages', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const heard = await Mailbox.on(other, subject);
      const asked: Json[] = [];
      await other.answer(subject, (payload) => {
        asked.push(payload);
        return null;
      });
      await one.request(subject, 'request', inTime);
      one.publish(subject, 'message');
      expect(await heard.has('message')).toEqual(['message']);
      expect(asked).toEqual(['request']);
    });

    test('publishing on a closed bus does nothing; subscriptions and requests throw', async () => {
      const bus = await open();
      const subject = newSubject();
      const mailbox = await Mailbox.on(bus, subject);
      const subscription = await bus.subscribe(subject, () => undefined);
      const refused = refusal(bus.request(subject, null, inTime));
      await bus.close();
      expect(await refused).toBeInstanceOf(NoAnswer);
      bus.publish(subject, 'too late');
      await subscription.close();
      await bus.close();
      await expect(bus.subscribe(subject, () => undefined)).rejects.toThrow(BusClosed);
      await expect(bus.answer(subject, () => null)).rejects.toThrow(BusClosed);
      await expect(bus.request(subject, null, inTime)).rejects.toThrow(BusClosed);
      expect(mailbox.messages).toEqual([]);
    });

    test('the bus counts its messages', async () => {
      const [one, other] = await twoProcesses();
      const subject = newSubject();
      const there = await Mailbox.on(other, subject);
      one.publish(subject, 'a');
      one.publish(subject, 'b');
      await there.has('b');
      const received = one === other ? 0 : 2;
      expect(one.stats).toMatchObject({ published: 2, dropped: 0, reconnects: 0 });
      expect(other.stats).toMatchObject({ received });
    });
  });
}
