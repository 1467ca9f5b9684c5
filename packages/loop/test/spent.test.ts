import { APICallError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { MemoryHistory, runTurn, type SpentCall } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { asked, user } from './support/chat.ts';
import {
  drivenStream,
  finish,
  said,
  says,
  scriptedModel,
  usage,
} from './support/scripted-model.ts';

const price = { input: 1_000_000, output: 2_000_000, cache_read: 100_000 };

test('the usage of an attempt that failed at its end is reported once', async () => {
  const clock = new ManualClock();
  const spent: SpentCall[] = [];
  const model = scriptedModel([
    [...said('half'), finish('error', usage(100, 7, { read: 50 }), 'overflow of something')],
    says('whole', usage(10, 5)),
  ]);
  const history = asked();

  const turn = runTurn({
    model,
    history,
    clock,
    settings: { price },
    spent: (call) => spent.push(call),
  });
  await clock.waiting(1000);
  clock.advance(1000);
  await expect(turn).resolves.toEqual({ type: 'finished' });

  expect(spent).toEqual([
    {
      purpose: 'turn',
      usage: { input_tokens: 100, output_tokens: 7, cache_read_tokens: 50, total_tokens: 157 },
      cost_micros: 119,
    },
  ]);
  expect(history.messages.at(-1)).toMatchObject({ usage: { total_tokens: 15 }, cost_micros: 20 });
});

test('an attempt without known usage is not reported', async () => {
  const clock = new ManualClock();
  const spent: SpentCall[] = [];
  const broken = drivenStream();
  const model = scriptedModel([broken.answer, says('whole')]);

  const turn = runTurn({ model, history: asked(), clock, spent: (call) => spent.push(call) });
  await broken.opened;
  broken.push(...said('half'));
  broken.close();
  await clock.waiting(1000);
  clock.advance(1000);
  await turn;

  expect(spent).toEqual([]);
});

test('the usage of a summary is stored at the price of the model that wrote it, even if the summary failed', async () => {
  const cheap = scriptedModel([
    [finish('stop', usage(900, 0))],
    [finish('stop', usage(1000, 0))],
    says('the gist', usage(2000, 10)),
  ]);
  const full = says('first', usage(80, 5));
  const model = scriptedModel([full, full, says('done')]);
  const history = new MemoryHistory([user('one')]);
  const settings = { context_limit: 100, price: { input: 9_000_000, output: 9_000_000 } };
  const options = {
    model,
    history,
    settings,
    summaryModel: { model: cheap, settings: { price: { input: 500_000, output: 1_000_000 } } },
  };

  await runTurn(options);
  history.send('two');
  await runTurn(options);

  const results = history.messages.filter((message) => message.role === 'tool');
  expect(results).toMatchObject([
    {
      usage: { input_tokens: 1000 },
      cost_micros: 500,
      meta: { compaction: { error_kind: 'generic' } },
    },
    { usage: { input_tokens: 2000, output_tokens: 10 }, cost_micros: 1010 },
  ]);
});

test('the usage of a summary attempt that is retried is reported if known', async () => {
  const spent: SpentCall[] = [];
  const tooLong = new APICallError({
    message: 'prompt is too long',
    url: 'http://x',
    requestBodyValues: {},
    statusCode: 400,
  });
  const model = scriptedModel([
    tooLong,
    [finish('stop', usage(300, 0)), { type: 'error', error: tooLong }],
    says('the gist'),
    says('done'),
  ]);

  await expect(
    runTurn({ model, history: asked(), spent: (call) => spent.push(call) }),
  ).resolves.toEqual({ type: 'finished' });

  expect(spent).toMatchObject([{ purpose: 'summary', usage: { input_tokens: 300 } }]);
});
