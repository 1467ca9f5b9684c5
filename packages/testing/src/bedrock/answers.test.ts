import { afterEach, beforeEach, expect, test } from 'vitest';
import { closeUnrefused } from '../../test/support/close.ts';
import { collect } from '../../test/support/collect.ts';
import { modelOf } from '../../test/support/models.ts';
import {
  answer,
  fault,
  type FakeProvider,
  raw,
  reasoning,
  startFakeProvider,
  text,
} from '../index.ts';

let provider: FakeProvider;

beforeEach(async () => {
  provider = await startFakeProvider({ api: 'bedrock' });
});
afterEach(() => closeUnrefused(provider));

test('reasoning comes signed, or sealed', async () => {
  provider.answer(
    answer([
      reasoning('hm', { signature: 'mine' }),
      reasoning('', { redacted: 'sealed' }),
      text('So.'),
    ]),
  );
  const { of } = await collect(modelOf(provider));
  expect(of('reasoning-delta').at(-1)?.providerMetadata).toMatchObject({
    amazonBedrock: { signature: 'mine' },
  });
  expect(of('reasoning-end').at(-1)?.providerMetadata).toMatchObject({
    amazonBedrock: { redactedContent: 'sealed' },
  });
});

test('what was written to the cache is counted', async () => {
  provider.answer(answer([text('Well.')], { usage: { input: 1, cacheRead: 2, cacheWrite: 3 } }));
  const { finish } = await collect(modelOf(provider));
  expect(finish?.usage.inputTokens).toEqual({ total: 6, noCache: 1, cacheRead: 2, cacheWrite: 3 });
});

test('a stream fails with an exception of its own', async () => {
  provider.answer(fault.errorEvent({ failure: 'rate-limit' }));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ type: 'throttlingException', statusCode: 429 });
});

test('an event is sent as it is, under its name', async () => {
  provider.answer(answer([raw({ modelStreamErrorException: { message: 'the model broke off' } })]));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ message: 'the model broke off', statusCode: 424 });
});
