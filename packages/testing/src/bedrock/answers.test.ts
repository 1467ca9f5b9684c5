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

test('reasoning is signed or redacted', async () => {
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

test('cache writes are part of the usage', async () => {
  provider.answer(answer([text('Well.')], { usage: { input: 1, cacheRead: 2, cacheWrite: 3 } }));
  const { finish } = await collect(modelOf(provider));
  expect(finish?.usage.inputTokens).toEqual({ total: 6, noCache: 1, cacheRead: 2, cacheWrite: 3 });
});

test('an error in a stream is an exception event', async () => {
  provider.answer(fault.errorEvent({ failure: 'rate-limit' }));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ type: 'throttlingException', statusCode: 429 });
});

test('a raw event is sent unchanged, under its name', async () => {
  provider.answer(answer([raw({ modelStreamErrorException: { message: 'the model broke off' } })]));
  const { error } = await collect(modelOf(provider));
  expect(error).toMatchObject({ message: 'the model broke off', statusCode: 424 });
});
