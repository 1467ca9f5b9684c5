import { type ModelSettings, runTurn } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import type { ErrorKind } from '@chatd/protocol';
import { type Api, answer, fault, type Scripted, text } from '@chatd/testing';
import { describe, expect, test } from 'vitest';
import { asked, textOf, Watch } from '../../../loop/test/support/chat.ts';
import { counted } from '../../../loop/test/support/tools.ts';
import { bodyOf, modelOf, serve } from './support/drive.ts';
import { SUBJECTS } from './support/subjects.ts';

const add = () => counted('add', ({ a, b }) => Number(a) + Number(b));

interface Failing {
  readonly what: string;
  readonly scripted: Scripted;
  readonly kind: ErrorKind;
  /** APIs that report this failure differently. */
  readonly not?: readonly Api[];
  readonly only?: readonly Api[];
}

/** Retried after a delay, and nothing of the failed attempt is kept. */
const RETRIED: readonly (Failing & { readonly waitMs?: number })[] = [
  { what: 'a status of 529', scripted: fault.status(529), kind: 'overloaded' },
  {
    what: 'an overload in the format of the provider',
    scripted: fault.overloaded(),
    kind: 'overloaded',
  },
  {
    what: 'a rate limit with Retry-After',
    scripted: fault.rateLimit({ headers: { 'retry-after': '7', 'retry-after-ms': '7000' } }),
    kind: 'rate_limit',
    waitMs: 7_000,
  },
  {
    // A 429 may also be a quota per minute: the two cannot be told apart.
    what: 'an exhausted quota',
    scripted: fault.quotaExceeded(),
    kind: 'rate_limit',
    only: ['google'],
  },
  { what: 'an unavailable service', scripted: fault.unavailable(), kind: 'timeout' },
  {
    what: 'a bad gateway without JSON',
    scripted: fault.status(502, { body: '<html>' }),
    kind: 'timeout',
  },
  { what: 'a server error', scripted: fault.serverError(), kind: 'generic' },
  { what: 'a reset before the first byte', scripted: fault.reset(), kind: 'timeout' },
  { what: 'a reset mid-stream', scripted: fault.reset({ afterParts: 2 }), kind: 'timeout' },
  { what: 'an empty body', scripted: fault.emptyBody(), kind: 'timeout' },
  { what: 'an end of the stream after the first event', scripted: fault.eof(), kind: 'timeout' },
  {
    what: 'an end of the stream mid-answer',
    scripted: fault.eof({ afterParts: 2 }),
    kind: 'timeout',
  },
  { what: 'an event that is not JSON', scripted: fault.malformedSse(), kind: 'timeout' },
  { what: 'a truncated tool call', scripted: fault.cutJson(), kind: 'timeout' },
  { what: 'an overload mid-stream', scripted: fault.errorEvent(), kind: 'overloaded' },
  {
    what: 'a rate limit mid-stream',
    scripted: fault.errorEvent({ failure: 'rate-limit' }),
    kind: 'rate_limit',
  },
  {
    what: 'a server error mid-stream',
    scripted: fault.errorEvent({ failure: 'server' }),
    kind: 'generic',
  },
];

/** Not retried: a retry would fail the same way. */
const FINAL: readonly Failing[] = [
  {
    what: 'an exhausted quota',
    scripted: fault.quotaExceeded(),
    kind: 'usage_limit',
    not: ['google'],
  },
  { what: 'an invalid key', scripted: fault.badKey(), kind: 'auth' },
  { what: 'a key without permission', scripted: fault.forbidden(), kind: 'auth' },
  { what: 'a model that does not exist', scripted: fault.unknownModel(), kind: 'config' },
  { what: 'a bad request', scripted: fault.status(400), kind: 'config' },
  {
    what: 'content that the provider refuses',
    scripted: fault.contentFilter(),
    kind: 'content_filter',
  },
  {
    what: 'an answer that a content filter cut off',
    scripted: answer([text('Well')], { finish: 'content-filter' }),
    kind: 'content_filter',
  },
];

describe.each(SUBJECTS)('$name', (subject) => {
  const settings: ModelSettings = { ...subject.settings, context_limit: 200_000 };
  const here = ({ only, not }: Failing) =>
    only?.includes(subject.api) ?? not?.includes(subject.api) !== true;

  test.each(RETRIED.filter(here))('$what is retried', async ({ scripted, kind, waitMs }) => {
    const fake = await serve(subject);
    fake.answer(scripted, answer([text('whole')]));
    const clock = new ManualClock();
    const watch = new Watch();
    const history = asked();
    const options = {
      model: await modelOf(subject, fake),
      history,
      clock,
      settings,
      tools: [add()],
    };
    const turn = runTurn({ ...options, publish: watch.publish });
    await Promise.race([watch.until(({ type }) => type === 'retry'), turn]);
    const delay = history.retries[0]?.delay_ms ?? 0;
    expect(delay).toBeGreaterThanOrEqual(waitMs ?? 1_000);
    await clock.waiting(delay);
    clock.advance(delay);
    expect(await turn).toEqual({ type: 'finished' });
    expect(history.retries).toMatchObject([{ kind }]);
    expect(textOf(history.messages)).toBe('whole');
    expect(history.messages).toHaveLength(2);
  });

  test.each(FINAL.filter(here))('$what ends the turn', async ({ scripted, kind }) => {
    const fake = await serve(subject);
    fake.answer(scripted);
    const history = asked();
    const clock = new ManualClock();
    const outcome = await runTurn({
      model: await modelOf(subject, fake),
      history,
      clock,
      settings,
    });
    expect(outcome).toMatchObject({ type: 'failed', error: { kind, retryable: false } });
    expect(fake.requests).toHaveLength(1);
    expect(history.retries).toEqual([]);
  });

  test.each([
    ['before the headers', fault.hang({ headers: false }), 60_000, 'startup_timeout'],
    ['before the first event', fault.hang(), 60_000, 'startup_timeout'],
    ['mid-stream', fault.hang({ afterParts: 2 }), 600_000, 'stream_silence_timeout'],
  ] as const)('silence %s times out and closes the connection', async (_, silence, ms, kind) => {
    const fake = await serve(subject);
    fake.answer(silence, answer([text('whole')]));
    const clock = new ManualClock();
    const history = asked();
    const turn = runTurn({ model: await modelOf(subject, fake), history, clock, settings });
    await fake.request(0);
    await clock.waiting(ms);
    // The first parts may still be on the way.
    while (!clock.pending.includes(1_000)) {
      clock.advance(ms);
      await new Promise(setImmediate);
    }
    clock.advance(1_000);
    expect(await turn).toEqual({ type: 'finished' });
    expect(history.retries).toMatchObject([{ kind }]);
    expect(await fake.closed[0]).toBe('aborted');
  });

  test('parts that a provider package emits before the first event do not end the startup timeout', async () => {
    const fake = await serve(subject);
    fake.answer(fault.hang(), answer([text('whole')]));
    const clock = new ManualClock();
    const history = asked();
    const opened = Promise.withResolvers<void>();
    const built = await modelOf(subject, fake, opened.resolve);
    const turn = runTurn({ model: built, history, clock, settings });
    await opened.promise;
    // Gives parts that follow from the headers alone time to arrive.
    for (let tick = 0; tick < 20; tick++) await new Promise(setImmediate);
    expect(clock.pending).toEqual([60_000]);
    clock.advance(60_000);
    await clock.waiting(1_000);
    clock.advance(1_000);
    expect(await turn).toEqual({ type: 'finished' });
    expect(history.retries).toMatchObject([{ kind: 'startup_timeout' }]);
  });

  test('a prompt that is too long is summarized once and retried', async () => {
    const fake = await serve(subject);
    fake.answer(fault.contextTooLong(), answer([text('the summary')]), answer([text('done')]));
    const history = asked('a long story');
    const outcome = await runTurn({ model: await modelOf(subject, fake), history, settings });
    expect(outcome).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('done');
    expect(bodyOf(fake, 2)).toContain('the summary');
  });

  test('a prompt that is still too long after the summary ends the turn', async () => {
    const fake = await serve(subject);
    const summary = answer([text('the summary')]);
    fake.answer(fault.contextTooLong(), summary, fault.contextTooLong());
    const history = asked('a long story');
    const outcome = await runTurn({ model: await modelOf(subject, fake), history, settings });
    expect(outcome).toMatchObject({ type: 'failed', error: { kind: 'context_length' } });
    expect(fake.requests).toHaveLength(3);
  });
});
