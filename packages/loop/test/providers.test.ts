import { afterEach, describe, expect, test } from 'vitest';
import { type HistoryMessage, Interrupted, MemoryHistory, runTurn } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import {
  answer,
  fault,
  type FakeProvider,
  gate,
  reasoning,
  startFakeProvider,
  text,
  toolCall,
  webSearch,
} from '@chatd/testing';
import { asked, partsOf, textOf, Watch } from './support/chat.ts';
import { type Api, APIS, modelOf } from './support/models.ts';
import { counted } from './support/tools.ts';

const started: FakeProvider[] = [];
async function provider(api: Api): Promise<FakeProvider> {
  const fake = await startFakeProvider({ api });
  started.push(fake);
  return fake;
}
afterEach(async () => {
  const all = started.splice(0);
  // The fake provider rejects what the real service would reject.
  const rejected = all.flatMap((fake) => fake.rejected);
  await Promise.all(all.map((fake) => fake.close()));
  if (rejected.length > 0) throw new Error(`the service refused: ${JSON.stringify(rejected)}`);
});

const add = () => counted('add', ({ a, b }) => Number(a) + Number(b));

describe.each(APIS)('%s', (api) => {
  test('the provider accepts a turn with reasoning and parallel tools, and the turn after it', async () => {
    const fake = await provider(api);
    fake.answer(
      answer([
        reasoning('two sums'),
        text('Let me add.', { chunks: 4 }),
        toolCall('add', { a: 1, b: 2 }, { chunks: 3 }),
        toolCall('add', { a: 3, b: 4 }),
      ]),
      answer([text('3 and 7', { chunks: 3 })]),
      answer([text('you are welcome')]),
    );
    const history = asked('add them');
    const model = modelOf(api, fake.url);
    const options = { model, history, tools: [add()], system: ['be exact', 'context file'] };
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    expect(partsOf(history.messages, 'tool-result').map((r) => r.result)).toEqual([3, 7]);
    expect(textOf(history.messages)).toBe('Let me add.3 and 7');
    expect(
      partsOf(history.messages, 'reasoning')
        .map((r) => r.text)
        .join(''),
    ).toBe('two sums');
    history.send('thanks');
    await runTurn(options);
    expect(textOf(history.messages)).toBe('Let me add.3 and 7you are welcome');
  });

  test('an interrupted response can be continued', async () => {
    const fake = await provider(api);
    const hold = gate();
    fake.answer(
      answer([reasoning('hm'), text(['half', hold, ' whole']), toolCall('add', { a: 1, b: 1 })]),
      answer([text('on')]),
    );
    const controller = new AbortController();
    const watch = new Watch();
    const history = asked('go');
    const options = { model: modelOf(api, fake.url), history, tools: [add()] };
    const turn = runTurn({ ...options, signal: controller.signal, publish: watch.publish });
    await hold.reached;
    await watch.untilText('half');
    controller.abort(new Interrupted());
    expect(await turn).toEqual({ type: 'interrupted' });
    expect(await fake.closed[0]).toBe('aborted');
    expect(textOf(history.messages)).toBe('half');
    history.send('go on');
    expect(await runTurn(options)).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('halfon');
  });

  const faults = {
    '429': [fault.status(429, { headers: { 'retry-after': '1' } }), 'rate_limit'],
    '503': [fault.status(503), 'timeout'],
    '500': [fault.status(500), 'generic'],
    '529': [fault.status(529), 'overloaded'],
    'a reset before the headers': [fault.reset(), 'timeout'],
    'a reset in the middle': [fault.reset({ afterParts: 2 }), 'timeout'],
    'an empty body': [fault.emptyBody(), 'timeout'],
    'an early end': [fault.eof({ afterParts: 1 }), 'timeout'],
    'a malformed event': [fault.malformedSse(), 'timeout'],
    'a call that was cut': [fault.cutJson(), 'timeout'],
    'an error event': [fault.errorEvent(), expect.any(String)],
  } as const;

  test.each(Object.keys(faults) as (keyof typeof faults)[])(
    '%s is retried, and no output of the failed attempt remains',
    async (name) => {
      const [scripted, kind] = faults[name];
      const fake = await provider(api);
      fake.answer(scripted, answer([text('whole')]));
      const clock = new ManualClock();
      const history = asked();
      const turn = runTurn({ model: modelOf(api, fake.url), history, clock, tools: [add()] });
      await clock.waiting(1000);
      clock.advance(1000);
      expect(await turn).toEqual({ type: 'finished' });
      expect(history.retries).toMatchObject([{ kind }]);
      expect(textOf(history.messages)).toBe('whole');
      expect(history.messages).toHaveLength(2);
    },
  );

  test.each([
    ['before the first event', fault.hang(), 60_000, 'startup_timeout'],
    ['without headers', fault.hang({ headers: false }), 60_000, 'startup_timeout'],
    ['in the middle', fault.hang({ afterParts: 2 }), 600_000, 'stream_silence_timeout'],
  ] as const)(
    'after silence %s the guard cancels the request and retries it',
    async (_, scripted, ms, kind) => {
      const fake = await provider(api);
      fake.answer(scripted, answer([text('whole')]));
      const clock = new ManualClock();
      const history = asked();
      const turn = runTurn({ model: modelOf(api, fake.url), history, clock });
      await fake.request(0);
      await clock.waiting(ms);
      // The first parts may still be in flight.
      while (!clock.pending.includes(1000)) {
        clock.advance(ms);
        await new Promise(setImmediate);
      }
      clock.advance(1000);
      expect(await turn).toEqual({ type: 'finished' });
      expect(history.retries).toMatchObject([{ kind }]);
      expect(await fake.closed[0]).toBe('aborted');
    },
  );

  test('a prompt that is too long is summarized and retried', async () => {
    const fake = await provider(api);
    fake.answer(fault.contextTooLong(), answer([text('the summary')]), answer([text('done')]));
    const history = asked('a long story');
    expect(await runTurn({ model: modelOf(api, fake.url), history })).toEqual({ type: 'finished' });
    expect(textOf(history.messages)).toBe('done');
    expect(JSON.stringify(fake.requests[2]?.body)).toContain('the summary');
  });

  test('calls with the same id get distinct ids', async () => {
    const fake = await provider(api);
    fake.answer(fault.duplicateIds(), answer([text('ok')]));
    const history = asked();
    await runTurn({ model: modelOf(api, fake.url), history, tools: [add()] });
    const ids = partsOf(history.messages, 'tool-call').map((c) => c.tool_call_id);
    expect(new Set(ids).size).toBe(ids.length);
    expect(partsOf(history.messages, 'tool-result').map((r) => r.tool_call_id)).toEqual(ids);
  });
});

const SEARCHING: Api[] = ['anthropic', 'openai-responses'];

test.each(SEARCHING)(
  '%s: a web search next to a local call keeps its position, and is accepted when it is sent back',
  async (api) => {
    const fake = await provider(api);
    fake.answer(
      answer([
        webSearch({ query: 'chatd', results: [{ url: 'https://chatd.example', title: 'chatd' }] }),
        text('found', { citations: [{ url: 'https://chatd.example', title: 'chatd' }] }),
        toolCall('add', { a: 1, b: 1 }),
      ]),
      answer([text('two')]),
    );
    const history = asked('search');
    const settings = {
      web_search: { allowed_domains: ['chatd.example'] },
      provider_options: { openai: { store: false } },
    };
    await runTurn({ model: modelOf(api, fake.url), history, tools: [add()], settings });
    expect(JSON.stringify(fake.requests[0]?.body['tools'])).toContain('chatd.example');
    expect(partsOf(history.messages, 'source').map((s) => s.url)).toContain(
      'https://chatd.example',
    );
    expect(
      history.messages[1]?.content.map((p) => p.type).filter((t) => t.startsWith('tool')),
    ).toEqual(['tool-call', 'tool-result', 'tool-call']);
  },
);

test('google: the web search tool is offered', async () => {
  const fake = await provider('google');
  fake.answer(answer([text('found', { citations: [{ url: 'https://x.example', title: 'X' }] })]));
  const history = asked('search');
  await runTurn({ model: modelOf('google', fake.url), history, settings: { web_search: {} } });
  expect(JSON.stringify(fake.requests[0]?.body['tools'])).toContain('googleSearch');
});

test('web search is off by default', async () => {
  const fake = await provider('anthropic');
  fake.answer(answer([text('x')]));
  await runTurn({ model: modelOf('anthropic', fake.url), history: asked() });
  expect(fake.requests[0]?.body['tools']).toBeUndefined();
});

const marked = (blocks: object[]) => blocks.map((block) => 'cache_control' in block);

test('anthropic: the last system block and the last two messages have cache marks', async () => {
  const fake = await provider('anthropic');
  fake.answer(answer([text('x')]));
  const history = new MemoryHistory([
    { role: 'user', content: [{ type: 'text', text: 'a' }] },
    { role: 'assistant', content: [{ type: 'text', text: 'b' }], meta: { finish_reason: 'stop' } },
    { role: 'user', content: [{ type: 'text', text: 'c' }] },
  ]);
  await runTurn({ model: modelOf('anthropic', fake.url), history, system: ['one', 'two'] });
  const { system, messages } = fake.requests[0]!.body as {
    system: object[];
    messages: { content: object[] }[];
  };
  expect(marked(system)).toEqual([false, true]);
  expect(messages.map((m) => marked(m.content))).toEqual([[false], [true], [true]]);
});

describe('openai with store: true', () => {
  const settings = { provider_options: { openai: { store: true } } };
  const follow = async (fake: FakeProvider, history: MemoryHistory) => {
    history.send('and then?');
    return runTurn({
      model: modelOf('openai-responses', fake.url),
      history,
      settings,
      system: ['sys'],
      tools: [add()],
    });
  };
  const first = async (fake: FakeProvider) => {
    fake.answer(answer([reasoning('hm'), text('one')], { responseId: 'resp_first' }));
    const history = asked('start');
    await runTurn({
      model: modelOf('openai-responses', fake.url),
      history,
      settings,
      system: ['sys'],
      tools: [add()],
    });
    expect(history.messages[1]?.meta?.provider_response_id).toBe('resp_first');
    return history;
  };

  test('a follow-up sends the id of the previous response, only the new messages, and the system prompt as instructions', async () => {
    const fake = await provider('openai-responses');
    const history = await first(fake);
    fake.answer(answer([text('two')]));
    await follow(fake, history);
    const body = fake.requests[1]?.body;
    expect(body).toMatchObject({
      previous_response_id: 'resp_first',
      instructions: 'sys',
      store: true,
    });
    expect(body?.['input']).toEqual([
      { role: 'user', content: [{ type: 'input_text', text: 'and then?' }] },
    ]);
    expect(textOf(history.messages)).toBe('onetwo');
  });

  test('the steps after the first chained one send the full history', async () => {
    const fake = await provider('openai-responses');
    const history = await first(fake);
    fake.answer(answer([toolCall('add', { a: 1, b: 2 })]), answer([text('three')]));
    await follow(fake, history);
    expect(fake.requests[1]?.body).toHaveProperty('previous_response_id');
    expect(fake.requests[2]?.body).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(fake.requests[2]?.body['input'])).toContain('start');
    expect(fake.requests[2]?.body).toMatchObject({ instructions: 'sys' });
  });

  test('if the provider no longer knows the id, the loop sends the full history without references to it', async () => {
    const fake = await provider('openai-responses');
    const history = await first(fake);
    const body = {
      error: {
        message: "Previous response with id 'resp_first' not found.",
        code: 'previous_response_not_found',
        type: 'invalid_request_error',
        param: 'previous_response_id',
      },
    };
    fake.answer(fault.status(400, { body }), answer([text('two')]));
    expect(await follow(fake, history)).toEqual({ type: 'finished' });
    const sent = JSON.stringify(fake.requests[2]?.body);
    expect(sent).not.toContain('previous_response_id');
    expect(sent).not.toContain('item_reference');
    expect(sent).toContain('start');
    expect(history.retries).toEqual([]);
  });

  test('with store: false, no id is stored and the full history is sent', async () => {
    const fake = await provider('openai-responses');
    fake.answer(
      answer([reasoning('hm', { encrypted: 'enc' }), text('one')]),
      answer([text('two')]),
    );
    const history = asked('start');
    const options = {
      model: modelOf('openai-responses', fake.url),
      history,
      settings: { provider_options: { openai: { store: false } } },
    };
    await runTurn(options);
    expect(history.messages[1]?.meta).not.toHaveProperty('provider_response_id');
    history.send('next');
    await runTurn(options);
    expect(fake.requests[1]?.body).not.toHaveProperty('previous_response_id');
    expect(JSON.stringify(fake.requests[1]?.body['input'])).toContain('start');
  });
});

test.each(
  APIS.flatMap((from) => APIS.filter((to) => to !== from).map((to) => [from, to] as const)),
)('a chat that started with %s continues with %s', async (from, to) => {
  const one = await provider(from);
  const two = await provider(to);
  const search = SEARCHING.includes(from)
    ? [webSearch({ query: 'q', results: [{ url: 'https://x.example' }] })]
    : [];
  one.answer(
    answer([reasoning('hm'), ...search, text('first'), toolCall('add', { a: 1, b: 2 })]),
    answer([text('three')]),
  );
  two.answer(answer([text('second')]));
  const history = asked('go');
  const settings = {
    ...(search.length > 0 && { web_search: {} }),
    provider_options: { openai: { store: false } },
  };
  await runTurn({ model: modelOf(from, one.url), history, tools: [add()], settings });
  history.send('and now you');
  expect(await runTurn({ model: modelOf(to, two.url), history, tools: [add()] })).toEqual({
    type: 'finished',
  });
  const body = JSON.stringify(two.requests[0]?.body);
  expect(body).toContain('three');
  if (search.length > 0) expect(body).toContain('web_search was called');
});

test("anthropic: a context limit in the answer's metadata is stored", async () => {
  const fake = await provider('anthropic');
  fake.answer(answer([text('x')], { metadata: { context_window: 123_456 } }));
  const history = asked();
  await runTurn({
    model: modelOf('anthropic', fake.url),
    history,
    settings: { context_limit: 1, compaction_threshold: 100 },
  });
  expect(history.messages[1]?.usage?.context_limit).toBe(123_456);
});

test('the request has the effort, clamped to its maximum', async () => {
  const fake = await provider('openai-responses');
  fake.answer(answer([text('x')]));
  const settings = { effort: 'max', reasoning_effort: { default: 'low', max: 'high' } } as const;
  await runTurn({ model: modelOf('openai-responses', fake.url), history: asked(), settings });
  expect(fake.requests[0]?.body['reasoning']).toMatchObject({ effort: 'high' });
});

test('another process can continue from the history as JSON', async () => {
  const fake = await provider('anthropic');
  fake.answer(
    answer([reasoning('hm', { signature: 'sig' }), toolCall('add', { a: 2, b: 2 })]),
    answer([text('four')]),
    answer([text('five')]),
  );
  const history = asked('go');
  await runTurn({ model: modelOf('anthropic', fake.url), history, tools: [add()] });
  const restored = new MemoryHistory(
    JSON.parse(JSON.stringify(history.messages)) as HistoryMessage[],
  );
  restored.send('more');
  await runTurn({ model: modelOf('anthropic', fake.url), history: restored, tools: [add()] });
  expect(JSON.stringify(fake.requests[2]?.body)).toContain('"signature":"sig"');
});
