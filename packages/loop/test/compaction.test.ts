import { APICallError, type LanguageModelV4StreamPart as Part } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { type AwaitedTool, Interrupted, MemoryHistory, runTurn, SUMMARY_TOOL } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { asked, partsOf, textOf, user, Watch } from './support/chat.ts';
import {
  called,
  calls,
  drivenStream,
  finish,
  said,
  says,
  scriptedModel,
  usage,
} from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

const FULL = usage(500, 5, { read: 100, write: 100 });
const settings = { context_limit: 1000, compaction_threshold: 70 };
const summaryOf = (history: MemoryHistory) => history.messages.filter((m) => m.meta?.summary);
const texts = (call: { prompt: { content: unknown }[] } | undefined) =>
  JSON.stringify(call?.prompt);

test('when input, cache-read, and cache-write tokens reach the threshold, the loop summarizes the history between steps', async () => {
  const history = asked('the task');
  const t = counted('t');
  const model = scriptedModel([
    [...called('t', {}, 'c'), finish('tool-calls', FULL)],
    says('- goal: the task', usage(800)),
    says('done'),
  ]);
  await runTurn({ model, history, tools: [t], settings, system: ['be good'] });
  expect(history.messages.map((m) => [m.role, m.hidden ?? false])).toEqual([
    ['user', false],
    ['assistant', false],
    ['tool', false],
    ['assistant', false],
    ['tool', false],
    ['user', true],
    ['assistant', false],
  ]);
  expect(history.messages[3]?.content).toMatchObject([
    { tool_name: SUMMARY_TOOL, args: { source: 'automatic' } },
  ]);
  expect(history.messages[4]?.content).toMatchObject([
    {
      tool_name: SUMMARY_TOOL,
      result: { source: 'automatic', used_tokens: 700, context_limit: 1000 },
    },
  ]);
  // The usage of the summary is stored.
  expect(history.messages[4]?.usage).toMatchObject({ input_tokens: 800 });
  // The next prompt has the system prompt and the summary as a user message, and nothing older.
  expect(model.calls[2]?.prompt).toEqual([
    { role: 'system', content: 'be good' },
    {
      role: 'user',
      content: [{ type: 'text', text: expect.stringContaining('- goal: the task') }],
    },
  ]);
});

test.each([
  ['one token below', usage(499, 5, { read: 100, write: 100 }), 70],
  ['turned off', usage(5000), 100],
])('the loop does not summarize when the usage is %s', async (_, used, compaction_threshold) => {
  const history = asked();
  const model = scriptedModel([says('done', used)]);
  await runTurn({ model, history, settings: { context_limit: 1000, compaction_threshold } });
  expect(summaryOf(history)).toHaveLength(0);
});

test('the default threshold is 70 percent', async () => {
  const history = asked();
  await runTurn({
    model: scriptedModel([says('done', usage(700)), says('sum'), says('ok')]),
    history,
    settings: { context_limit: 1000 },
  });
  expect(summaryOf(history)).toHaveLength(1);
});

test('the summary request keeps the system prompt, messages, tools, and options of the turn, and forbids tool calls', async () => {
  const history = asked('task');
  const t = counted('t');
  const model = scriptedModel([
    [...called('t', {}, 'c'), finish('tool-calls', FULL)],
    says('summary'),
    says('done'),
  ]);
  await runTurn({
    model,
    history,
    tools: [t],
    settings: { ...settings, temperature: 0.5 },
    system: ['sys'],
  });
  const [first, request] = model.calls;
  expect(request?.tools).toEqual(first?.tools);
  expect([first?.toolChoice, request?.toolChoice]).toEqual([undefined, { type: 'none' }]);
  expect(request?.temperature).toBe(0.5);
  expect(request?.prompt.slice(0, 2)).toEqual(first?.prompt);
  expect(request?.prompt.map((m) => m.role)).toEqual([
    'system',
    'user',
    'assistant',
    'tool',
    'user',
  ]);
  const question = texts(request).toLowerCase();
  for (const word of [
    "user's own words",
    'goal',
    'decisions',
    'files and commands',
    'errors',
    'done',
    'in progress',
    'left',
    'next action',
    'hand-over',
    'do not call any tool',
  ]) {
    expect(question).toContain(word);
  }
  expect(t.runs).toHaveLength(1);
  expect(JSON.stringify(summaryOf(history))).toContain('continue the work immediately');
});

test('clients see the summary call when it starts and its result when it ends, but never the text', async () => {
  const watch = new Watch();
  const driven = drivenStream();
  const history = asked();
  const model = scriptedModel([says('x', usage(900)), driven.answer, says('ok')]);
  const turn = runTurn({ model, history, settings, publish: watch.publish });
  await driven.opened;
  expect(watch.parts.at(-1)).toMatchObject({
    role: 'assistant',
    type: 'tool-call',
    tool_name: SUMMARY_TOOL,
  });
  driven.push(...says('the secret summary'));
  driven.close();
  await turn;
  expect(watch.parts).toContainEqual(
    expect.objectContaining({ role: 'tool', type: 'tool-result', tool_name: SUMMARY_TOOL }),
  );
  expect(JSON.stringify(watch.parts)).not.toContain('secret');
});

test('a separate model can write the summary', async () => {
  const model = scriptedModel([says('x', usage(900)), says('ok')]);
  const cheap = scriptedModel([says('summary')], { modelId: 'cheap' });
  await runTurn({
    model,
    history: asked(),
    settings,
    summaryModel: { model: cheap, settings: {} },
  });
  expect([model.calls.length, cheap.calls.length]).toEqual([2, 1]);
});

test('a summary that takes longer than 90 seconds is aborted and reported, and the turn continues', async () => {
  const clock = new ManualClock();
  const driven = drivenStream();
  const history = asked();
  const model = scriptedModel([
    [...called('t', {}, 'c'), finish('tool-calls', FULL)],
    driven.answer,
    says('done'),
  ]);
  const turn = runTurn({ model, history, tools: [counted('t')], settings, clock });
  await driven.opened;
  driven.push(...said('slowly'));
  // The first part has arrived, so only the time limit of the whole summary can end it.
  await clock.waiting(600_000);
  clock.advance(90_000);
  expect(await turn).toEqual({ type: 'finished' });
  expect(partsOf(history.messages, 'tool-result').at(-1)).toMatchObject({
    tool_name: SUMMARY_TOOL,
    is_error: true,
    result: expect.stringContaining('90 s'),
  });
  expect(summaryOf(history)).toHaveLength(0);
  expect(textOf(history.messages)).toBe('done');
  expect(clock.pending).toEqual([]);
});

test('the loop retries a failed summary only after another step', async () => {
  const history = asked();
  const t = counted('t');
  const model = scriptedModel([
    [...called('t', {}, 'a'), finish('tool-calls', FULL)],
    new Error('broken'),
    [...called('t', {}, 'b'), finish('tool-calls', FULL)],
    says('summary'),
    says('done'),
  ]);
  expect(await runTurn({ model, history, tools: [t], settings })).toEqual({ type: 'finished' });
  expect(summaryOf(history)).toHaveLength(1);
});

test('after a summary of a finished answer the loop calls the model again, at most three times per turn', async () => {
  const history = asked();
  const script = Array.from({ length: 4 }, (_, n) => [
    says(`answer ${n}`, usage(900)),
    says(`summary ${n}`),
  ]).flat();
  const model = scriptedModel(script);
  expect(await runTurn({ model, history, settings })).toEqual({ type: 'finished' });
  expect(summaryOf(history).map((m) => m.meta?.summary)).toMatchObject([
    { after_finish: true, reentries: 0, steps: 1 },
    { after_finish: true, reentries: 1, steps: 2 },
    { after_finish: true, reentries: 2, steps: 3 },
    { after_finish: true, reentries: 3, steps: 4 },
  ]);
  expect(textOf(history.messages)).toBe('answer 0answer 1answer 2answer 3');
});

test('the reentry limit also holds for an owner that has only the messages after the summary', async () => {
  const history = asked();
  const script = Array.from({ length: 3 }, (_, n) => [
    says(`answer ${n}`, usage(900)),
    says(`summary ${n}`),
  ]).flat();
  await runTurn({ model: scriptedModel([...script, says('enough')]), history, settings });
  const at = history.messages.findLastIndex((m) => m.meta?.summary);
  const half = new MemoryHistory(history.messages.slice(at, at + 1));
  const model = scriptedModel([says('answer 3', usage(900)), says('summary 3')]);
  expect(await runTurn({ model, history: half, settings })).toEqual({ type: 'finished' });
});

test('a manual request creates a summary and ends the turn', async () => {
  const history = asked();
  await runTurn({ model: scriptedModel([says('hi')]), history });
  history.requestCompaction();
  const model = scriptedModel([says('the summary')]);
  expect(await runTurn({ model, history })).toEqual({ type: 'finished' });
  expect(summaryOf(history)).toMatchObject([{ meta: { summary: { source: 'manual' } } }]);
  history.send('go on');
  const after = scriptedModel([says('yes')]);
  await runTurn({ model: after, history });
  expect(after.calls[0]?.prompt).toMatchObject([
    { role: 'user', content: [{ text: expect.stringContaining('the summary') }] },
    { role: 'user', content: [{ text: 'go on' }] },
  ]);
});

test('a failed manual request is reported and ends the turn', async () => {
  const history = asked();
  await runTurn({ model: scriptedModel([says('hi')]), history });
  history.requestCompaction();
  expect(await runTurn({ model: scriptedModel([new Error('no')]), history })).toEqual({
    type: 'finished',
  });
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_name: SUMMARY_TOOL, is_error: true },
  ]);
});

test('the loop summarizes before it waits for a client, and the open call survives the summary', async () => {
  const dynamic: AwaitedTool = { name: 'ask', input: { type: 'object' }, answeredBy: 'client' };
  const history = asked('task');
  const model = scriptedModel([
    [...said('asking'), ...called('ask', { q: 1 }, 'd'), finish('tool-calls', FULL)],
    says('summary'),
    says('done'),
  ]);
  const options = { model, history, tools: [dynamic], settings };
  expect(await runTurn(options)).toMatchObject({
    type: 'requires_action',
    calls: [{ tool_call_id: 'd' }],
  });
  expect(summaryOf(history)).toHaveLength(1);
  // No provider accepts a prompt with an open call, so the request has a placeholder result.
  expect(model.calls[1]?.prompt.at(-2)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'd' }],
  });
  history.answer([{ tool_call_id: 'd', result: 42 }]);
  expect(await runTurn(options)).toEqual({ type: 'finished' });
  expect(model.calls[2]?.prompt).toMatchObject([
    { role: 'user', content: [{ text: expect.stringContaining('summary') }] },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'asking' },
        { type: 'tool-call', toolCallId: 'd' },
      ],
    },
    { role: 'tool', content: [{ toolCallId: 'd', output: { type: 'json', value: 42 } }] },
  ]);
});

const tooLong = () =>
  new APICallError({
    message: 'prompt is too long: 9 tokens > 8 maximum',
    url: 'http://x',
    requestBodyValues: {},
    statusCode: 400,
  });

test('after a context-too-long error the loop compacts once, from a shortened copy, and retries', async () => {
  const history = asked('the task');
  const read = counted('read', (args) => String(args['text']));
  const big = 'B'.repeat(2_000);
  const bigger = 'C'.repeat(12_000);
  const model = scriptedModel([
    calls(
      called('read', { text: big }, 'a'),
      called('read', { text: bigger }, 'b'),
      called('read', { text: 'small' }, 'c'),
    ),
    tooLong(),
    says('short summary'),
    says('done'),
  ]);
  expect(await runTurn({ model, history, tools: [read] })).toEqual({ type: 'finished' });
  const request = texts(model.calls[2]);
  expect(request.length).toBeLessThan(texts(model.calls[1]).length * 0.75);
  // The largest result is truncated first. Small ones stay, and the history itself is unchanged.
  expect(request).toContain('bytes were cut here');
  expect(request).toContain('small');
  expect(partsOf(history.messages, 'tool-result').find((r) => r.tool_call_id === 'b')?.result).toBe(
    bigger,
  );
  expect(texts(model.calls[3])).toContain('short summary');
  expect(summaryOf(history)).toMatchObject([{ meta: { summary: { source: 'overflow' } } }]);
  expect(textOf(history.messages)).toBe('done');
});

test('an unanswered message that did not fit follows the summary', async () => {
  const history = new MemoryHistory([
    user('old'),
    {
      role: 'assistant',
      content: [{ type: 'text', text: 'x'.repeat(9000) }],
      meta: { finish_reason: 'stop' },
    },
    user('the new question'),
  ]);
  const model = scriptedModel([tooLong(), says('summary'), says('answered')]);
  await runTurn({ model, history });
  expect(model.calls[2]?.prompt).toMatchObject([
    { role: 'user', content: [{ text: expect.stringContaining('summary') }] },
    { role: 'user', content: [{ text: 'the new question' }] },
  ]);
});

test('a prompt that is still too long after the summary fails the turn', async () => {
  const model = scriptedModel([tooLong(), says('summary'), tooLong()]);
  expect(await runTurn({ model, history: asked(), settings: {} })).toMatchObject({
    type: 'failed',
    error: { kind: 'context_length' },
  });
  expect(model.calls).toHaveLength(3);
});

test('if the shortened copy does not fit either, it is shortened further, and finally the turn fails with a reason', async () => {
  const history = asked('q'.repeat(20_000));
  const model = scriptedModel([tooLong(), tooLong(), tooLong(), tooLong(), tooLong()]);
  expect(await runTurn({ model, history })).toMatchObject({
    type: 'failed',
    error: { kind: 'context_length', message: expect.stringContaining('too long') },
  });
  const sizes = model.calls.slice(1).map((call) => texts(call).length);
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  expect(new Set(sizes).size).toBe(4);
});

test('after a crash during an overflow summary, the next process writes the summary', async () => {
  const history = asked('x');
  const died = new Error('killed');
  const first = scriptedModel([tooLong()]);
  const read = history.read.bind(history);
  let reads = 0;
  history.read = () => (++reads === 2 ? Promise.reject(died) : read());
  await expect(runTurn({ model: first, history })).rejects.toBe(died);
  const second = scriptedModel([says('summary'), says('done')]);
  expect(await runTurn({ model: second, history })).toEqual({ type: 'finished' });
  expect(
    partsOf(history.messages, 'tool-call').filter((c) => c.tool_name === SUMMARY_TOOL),
  ).toHaveLength(1);
});

test('an interrupt during a summary ends the turn and leaves no open call', async () => {
  const controller = new AbortController();
  const driven = drivenStream();
  const history = asked('x');
  const turn = runTurn({
    model: scriptedModel([tooLong(), driven.answer]),
    history,
    signal: controller.signal,
  });
  await driven.opened;
  controller.abort(new Interrupted());
  expect(await turn).toEqual({ type: 'interrupted' });
  expect(partsOf(history.messages, 'tool-call').map((c) => c.tool_call_id)).toEqual(
    partsOf(history.messages, 'tool-result').map((r) => r.tool_call_id),
  );
});

const UNUSABLE: [what: string, answer: Part[], result: RegExp][] = [
  ['empty', [finish('stop')], /wrote no summary/],
  ['a tool call', [...said('sum'), ...called('t', {}, 'x'), finish('tool-calls')], /called tools/],
  ['a tool call that ends with stop', [...called('t', {}, 'x'), finish('stop')], /called tools/],
  ['cut off', [...said('sum'), finish('length')], /max_output_tokens/],
  ['withheld', [...said('sum'), finish('content-filter')], /withheld/],
];

test.each(UNUSABLE)(
  'a summary that is %s is requested again, and the second one is accepted',
  async (_, bad) => {
    const history = asked();
    const model = scriptedModel([says('x', usage(900)), bad, says('the gist'), says('done')]);
    const t = counted('t');
    await runTurn({ model, history, settings, tools: [t] });
    expect(JSON.stringify(summaryOf(history))).toContain('the gist');
    expect(texts(model.calls[2])).toContain('Your last');
    expect(t.runs).toEqual([]);
  },
);

test.each(UNUSABLE)(
  'a summary that is %s twice replaces nothing and reports the reason',
  async (_, bad, why) => {
    const history = asked('the task');
    const model = scriptedModel([says('x', usage(900)), bad, bad, says('still here')]);
    expect(await runTurn({ model, history, settings })).toEqual({ type: 'finished' });
    expect(summaryOf(history)).toHaveLength(0);
    expect(partsOf(history.messages, 'tool-result')).toMatchObject([
      { is_error: true, result: expect.stringMatching(why) },
    ]);
    history.send('next');
    await runTurn({ model, history, settings: { ...settings, compaction_threshold: 100 } });
    expect(texts(model.calls[3])).toContain('the task');
  },
);

test.each(['anthropic.messages', 'amazon-bedrock'])(
  '%s caches per tool choice, so the loop forbids tools only after a summary called one',
  async (provider) => {
    const model = scriptedModel(
      [
        says('x', usage(900)),
        [...called('t', {}, 'x'), finish('tool-calls')],
        says('the gist'),
        says('ok'),
      ],
      { provider },
    );
    await runTurn({ model, history: asked(), settings, tools: [counted('t')] });
    expect(model.calls.slice(1, 3).map((call) => call.toolChoice)).toEqual([
      undefined,
      { type: 'none' },
    ]);
  },
);

test('a failed summary call is retried like any other call', async () => {
  const clock = new ManualClock();
  const history = asked('too much');
  const tooLong = new APICallError({
    message: 'prompt is too long: 210000 tokens > 200000 maximum',
    url: 'http://x',
    requestBodyValues: {},
    statusCode: 400,
  });
  const overloaded = new APICallError({
    message: 'Overloaded',
    url: 'http://x',
    requestBodyValues: {},
    statusCode: 529,
  });
  const model = scriptedModel([tooLong, overloaded, says('the gist'), says('done')]);
  const turn = runTurn({ model, history, settings, clock });
  await clock.waiting(1_000);
  clock.advance(1_000);
  expect(await turn).toEqual({ type: 'finished' });
  expect(history.retries).toMatchObject([{ attempt: 1, kind: 'overloaded', delay_ms: 1_000 }]);
  expect(textOf(history.messages)).toBe('done');
});

test('summary ids are unique, even if the history is read back from the last summary', async () => {
  const ids = new Set<string>();
  let messages = [user('task')];
  for (let n = 0; n < 3; n++) {
    const history = new MemoryHistory(messages);
    history.requestCompaction();
    await runTurn({ model: scriptedModel([says(`summary ${n}`)]), history, settings });
    const call = partsOf(history.messages, 'tool-call').at(-1);
    ids.add(call?.tool_call_id ?? '');
    messages = [...history.messages.slice(-1), user('more')];
  }
  expect(ids.size).toBe(3);
});

test('system messages and context files precede every summary', async () => {
  const system = {
    role: 'system' as const,
    content: [{ type: 'text' as const, text: 'from the history' }],
  };
  const history = new MemoryHistory([system, user('task')]);
  const model = scriptedModel([says('x', usage(900)), says('sum'), says('ok')]);
  await runTurn({ model, history, settings, system: ['prompt', 'AGENTS.md'] });
  expect(model.calls[2]?.prompt.map((m) => m.role)).toEqual(['system', 'system', 'system', 'user']);
});
