import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { DEFAULT_LIMITS, MemoryFiles, MemoryHistory, runTurn, SUMMARY_TOOL } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { asked, partsOf, textOf, user, Watch } from './support/chat.ts';
import { png } from './support/images.ts';
import {
  called,
  calls,
  finish,
  said,
  says,
  scriptedModel,
  thought,
  usage,
} from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

test('a text answer is committed once and ends the turn', async () => {
  const history = asked();
  const model = scriptedModel([says('done')]);
  expect(await runTurn({ model, history })).toEqual({ type: 'finished' });
  expect(textOf(history.messages)).toBe('done');
  expect(history.messages).toHaveLength(2);
  expect(history.status).toBe('waiting');
});

test('a tool runs between two steps, and the second prompt has its call and its result', async () => {
  const readFile = counted('read_file', () => 'package main');
  const model = scriptedModel([
    calls(called('read_file', { path: 'main.go' }, 'tc-1')),
    says('all done'),
  ]);
  const history = asked('please read main.go');
  await runTurn({ model, history, tools: [readFile] });
  expect(readFile.runs).toEqual([{ path: 'main.go' }]);
  expect(model.calls[1]?.prompt).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'please read main.go' }] },
    {
      role: 'assistant',
      content: [
        {
          type: 'tool-call',
          toolCallId: 'tc-1',
          toolName: 'read_file',
          input: { path: 'main.go' },
        },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'tc-1',
          toolName: 'read_file',
          output: { type: 'text', value: 'package main' },
        },
      ],
    },
  ]);
});

test('the whole response is committed before any of its tools runs', async () => {
  const history = asked();
  let stored = 0;
  const look = counted('look', () => {
    stored = partsOf(history.messages, 'tool-call').length;
    return 'seen';
  });
  await runTurn({
    model: scriptedModel([calls(called('look', {}, 'a')), says('ok')]),
    history,
    tools: [look],
  });
  expect(stored).toBe(1);
});

test('an error of the history is passed to the caller', async () => {
  const history = asked();
  history.commit = () => Promise.reject(new Error('database write failed'));
  await expect(runTurn({ model: scriptedModel([says('hello')]), history })).rejects.toThrow(
    'database write failed',
  );
});

test('a sink that throws does not break the turn, and is not called again', async () => {
  const history = asked();
  let published = 0;
  const publish = () => {
    published++;
    throw new Error('client gone');
  };
  expect(await runTurn({ model: scriptedModel([says('fine')]), history, publish })).toEqual({
    type: 'finished',
  });
  expect(published).toBe(1);
});

const ms = (from?: string, to?: string) => Date.parse(to ?? '') - Date.parse(from ?? '');

test('parts are published as they arrive, and calls, results, and reasoning have their times', async () => {
  const clock = new ManualClock(Date.UTC(2026, 0, 1));
  const watch = new Watch();
  const history = asked();
  const tick = (part: object) => {
    clock.advance(1000);
    return part;
  };
  const model = scriptedModel([
    () =>
      ReadableStream.from(
        (function* () {
          for (const part of calls(thought('hm'), said('let me'), called('wait', { a: 1 }, 'c')))
            yield tick(part);
        })() as Iterable<never>,
      ),
    says('ok'),
  ]);
  const wait = counted('wait', () => {
    clock.advance(5000);
    return 'waited';
  });
  await runTurn({ model, history, clock, tools: [wait], publish: watch.publish });
  const [reasoning] = partsOf(history.messages, 'reasoning');
  const [call] = partsOf(history.messages, 'tool-call');
  const [result] = partsOf(history.messages, 'tool-result');
  expect(ms(reasoning?.created_at, reasoning?.completed_at)).toBe(2000);
  // One second until the stream ends, then five in the tool.
  expect(ms(call?.created_at, result?.created_at)).toBe(6000);
  expect(watch.parts.slice(0, 6)).toMatchObject([
    { type: 'reasoning', created_at: expect.any(String) },
    { role: 'assistant', type: 'reasoning', text: 'hm' },
    { type: 'reasoning', completed_at: expect.any(String) },
    { role: 'assistant', type: 'text', text: 'let me' },
    { type: 'tool-call', tool_call_id: 'c', args_delta: '{"a":1}' },
    { type: 'tool-call', tool_call_id: 'c', args: { a: 1 }, created_at: expect.any(String) },
  ]);
  expect(watch.parts[6]).toMatchObject({
    role: 'tool',
    type: 'tool-result',
    result: 'waited',
    created_at: expect.any(String),
  });
});

test('usage, limit, cost, provider, and runtime are stored with the response, the runtime of tools with their results', async () => {
  const clock = new ManualClock();
  const history = asked();
  const model = scriptedModel([
    () => {
      clock.advance(700);
      return ReadableStream.from([
        ...called('slow', {}, 'c'),
        finish('tool-calls', usage(100, 50, { read: 20, write: 30 })),
      ] as never[]);
    },
    says('ok'),
  ]);
  const slow = counted('slow', () => clock.advance(2500));
  const price = { input: 1_000_000, output: 2_000_000, cache_read: 0, cache_write: 0 };
  await runTurn({ model, history, clock, tools: [slow], settings: { context_limit: 4096, price } });
  expect(history.messages[1]).toMatchObject({
    runtime_ms: 700,
    cost_micros: 200,
    usage: {
      input_tokens: 100,
      cache_read_tokens: 20,
      cache_creation_tokens: 30,
      output_tokens: 50,
      total_tokens: 200,
      context_limit: 4096,
    },
    meta: { provider: 'fake.chat', model: 'fake-1', finish_reason: 'tool-calls' },
  });
  expect(history.messages[1]?.meta).not.toHaveProperty('provider_response_id');
  expect(history.messages[2]).toMatchObject({ role: 'tool', runtime_ms: 2500 });
});

test('a context limit that the provider reports overrides the configured one', async () => {
  const history = asked();
  const done = finish('stop');
  const model = scriptedModel([
    [
      ...said('x'),
      { ...done, providerMetadata: { gateway: { context_window: '128000' } } } as never,
    ],
  ]);
  await runTurn({ model, history, settings: { context_limit: 4096 } });
  expect(history.messages[1]?.usage?.context_limit).toBe(128_000);
});

test('duplicate and missing call ids are renamed on receipt, each with its own result', async () => {
  const history = asked();
  const echo = counted('echo', (args) => JSON.stringify(args));
  const model = scriptedModel([
    calls(
      called('echo', { n: 1 }, 'x'),
      called('echo', { n: 2 }, 'x'),
      called('echo', { n: 3 }, ''),
    ),
    says('ok'),
  ]);
  await runTurn({ model, history, tools: [echo] });
  expect(partsOf(history.messages, 'tool-result').map((r) => [r.tool_call_id, r.result])).toEqual([
    ['x', '{"n":1}'],
    ['x-2', '{"n":2}'],
    ['call', '{"n":3}'],
  ]);
});

test('a call in a response that was cut off by its length does not run', async () => {
  const history = asked();
  const write = counted('write');
  const model = scriptedModel([
    [...called('write', '{"text":"half', 'c'), finish('length')],
    says('shorter then'),
  ]);
  expect(await runTurn({ model, history, tools: [write] })).toEqual({ type: 'finished' });
  expect(write.runs).toEqual([]);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    {
      tool_call_id: 'c',
      is_error: true,
      result: expect.stringContaining('cut off by its length limit'),
    },
  ]);
  expect(textOf(history.messages)).toBe('shorter then');
});

test.each(['stop', 'other'] as const)(
  'a complete call runs even if the response ends with "%s"',
  async (reason) => {
    const history = asked();
    const write = counted('write');
    const model = scriptedModel([
      [...called('write', {}, 'c'), finish(reason, usage(), 'eos')],
      says('written'),
    ]);
    expect(await runTurn({ model, history, tools: [write] })).toEqual({ type: 'finished' });
    expect(write.runs).toHaveLength(1);
    expect(textOf(history.messages)).toBe('written');
  },
);

test('an incomplete call gets an error result, and the model continues', async () => {
  const history = asked();
  const write = counted('write');
  const begun: LanguageModelV4StreamPart = { type: 'tool-input-start', id: 'c', toolName: 'write' };
  const model = scriptedModel([[begun, finish('stop')], says('sorry')]);
  expect(await runTurn({ model, history, tools: [write] })).toEqual({ type: 'finished' });
  expect(write.runs).toEqual([]);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'c', is_error: true, result: expect.stringContaining('Call again') },
  ]);
});

test('three cut-off calls in a row fail the turn with advice', async () => {
  const history = asked();
  const write = counted('write');
  const cut = [...called('write', '{"text":"abc', 'c'), finish('length')];
  const model = scriptedModel([cut, cut, cut, says('shorter now')]);
  expect(await runTurn({ model, history, tools: [write] })).toMatchObject({
    type: 'failed',
    error: {
      kind: 'config',
      retryable: false,
      message: expect.stringContaining('max_output_tokens'),
    },
  });
  expect(model.calls).toHaveLength(3);
  // A new message resets the count.
  history.send('in smaller steps');
  expect(await runTurn({ model, history, tools: [write] })).toEqual({ type: 'finished' });
});

test('a complete call between cut-off calls resets the count', async () => {
  const cut = [...called('write', '{"text":"abc', 'c'), finish('length')];
  const whole = calls(called('write', {}, 'd'));
  const model = scriptedModel([cut, cut, whole, cut, cut, says('done')]);
  expect(await runTurn({ model, history: asked(), tools: [counted('write')] })).toEqual({
    type: 'finished',
  });
});

test('the name of the summary tool is reserved', async () => {
  const model = scriptedModel([says('x')]);
  const tools = [counted(SUMMARY_TOOL)];
  await expect(runTurn({ model, history: asked(), tools })).rejects.toThrow('reserved');
});

test('a call of the summary tool is answered like a call of an unknown tool', async () => {
  const history = asked();
  const model = scriptedModel([calls(called(SUMMARY_TOOL, {}, 'c')), says('sorry')]);
  expect(await runTurn({ model, history })).toEqual({ type: 'finished' });
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'c', is_error: true, result: expect.stringContaining('Tool not found') },
  ]);
});

test('a paused turn is sent back so that the model continues', async () => {
  const history = asked();
  const model = scriptedModel([
    [...said('searching'), finish('stop', usage(), 'pause_turn')],
    says(' found'),
  ]);
  await runTurn({ model, history });
  expect(textOf(history.messages)).toBe('searching found');
});

test('a refusal by the provider fails the turn and keeps the text before it', async () => {
  const history = asked();
  const model = scriptedModel([[...said('I cannot'), finish('content-filter')]]);
  expect(await runTurn({ model, history })).toMatchObject({
    type: 'failed',
    error: { kind: 'content_filter' },
  });
  expect(textOf(history.messages)).toBe('I cannot');
});

test('characters that the database cannot store are replaced in all parts', async () => {
  const history = asked();
  const bad = counted('bad', () => ({ 'k\0': ['\ud800'] }));
  const model = scriptedModel([
    calls(
      said('a\0b'),
      [{ type: 'source', sourceType: 'url', id: 's', url: 'https://x\0', title: '\ud800' }],
      [
        {
          type: 'reasoning-start',
          id: 'r',
          providerMetadata: { anthropic: { signature: 'x', cited: '\0' } },
        },
      ],
      called('bad', { 'a\0': '\ud800' }, 'c'),
      called('nope\0', '{"half\0', 'd\0'),
    ),
    says('ok'),
  ]);
  await runTurn({ model, history, tools: [bad] });
  const stored = JSON.stringify(history.messages);
  expect(stored).not.toContain('\\u0000');
  expect(stored).not.toContain('\\ud800');
  expect(textOf(history.messages)).toBe('a\uFFFDbok');
  expect(partsOf(history.messages, 'reasoning')[0]?.provider_metadata).toMatchObject({
    anthropic: { signature: 'x' },
  });
});

test('a message sent during a turn is part of the next step and starts no new turn', async () => {
  const history = new MemoryHistory([user('start')]);
  const model = scriptedModel([calls(called('t', {}, 'c')), says('ok')]);
  const t = counted('t', () => history.send('also this'));
  await runTurn({ model, history, tools: [t] });
  expect(history.messages.map((m) => m.role)).toEqual([
    'user',
    'assistant',
    'tool',
    'user',
    'assistant',
  ]);
  expect(history.messages[3]?.meta?.steered).toBe(true);
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'user',
    content: [{ text: 'also this' }],
  });
});

test('the default limits are fixed', () => {
  expect(DEFAULT_LIMITS).toEqual({
    startup_ms: 60_000,
    silence_ms: 600_000,
    summary_ms: 90_000,
    max_attempts: 25,
    max_steps: 1_200,
    max_parallel_tools: 16,
    tool_grace_ms: 5_000,
    max_response_bytes: 2_097_152,
    max_response_file_bytes: 67_108_864,
    max_argument_bytes: 1_048_576,
  });
});

test('a file that the model generated is stored, published by its id, and sent back', async () => {
  const history = asked('draw');
  const watch = new Watch();
  const files = new MemoryFiles();
  const picture = png().toString('base64');
  const model = scriptedModel([
    [
      { type: 'file', mediaType: 'image/png', data: { type: 'data', data: picture } },
      finish('stop'),
    ],
    says('more'),
  ]);
  await runTurn({ model, history, files, publish: watch.publish });
  const [file] = partsOf(history.messages, 'file');
  const stored = await files.load(file?.file_id ?? '');
  expect(Buffer.from(stored?.data ?? [])).toEqual(png());
  expect(JSON.stringify(history.messages)).not.toContain(picture);
  expect(watch.parts).toEqual([{ role: 'assistant', ...file }]);
  history.send('again');
  await runTurn({ model, history, files });
  expect(model.calls[1]?.prompt[1]).toMatchObject({
    role: 'assistant',
    content: [{ type: 'file', mediaType: 'image/png' }],
  });
});

test('a turn fails at its maximum number of steps', async () => {
  const history = asked();
  const t = counted('t');
  const model = scriptedModel([
    calls(called('t', {}, 'a')),
    calls(called('t', {}, 'b')),
    calls(called('t', {}, 'c')),
  ]);
  const outcome = await runTurn({ model, history, tools: [t], limits: { max_steps: 3 } });
  expect(outcome).toMatchObject({
    type: 'failed',
    error: { kind: 'step_limit', message: expect.stringContaining('3 steps') },
  });
  expect(t.runs).toHaveLength(3);
  expect(history.status).toBe('error');
});

test('a message that arrives after the last step starts the next turn immediately', async () => {
  const history = asked('one');
  const model = scriptedModel([says('first'), says('second')]);
  const finishTurn = history.finishTurn.bind(history);
  history.finishTurn = () => {
    if (model.calls.length === 1) history.send('two');
    return finishTurn();
  };
  await runTurn({ model, history });
  expect(history.messages.map((m) => m.role)).toEqual(['user', 'assistant', 'user', 'assistant']);
  expect(history.messages[2]?.meta?.steered).toBeUndefined();
});
