import { expect, test } from 'vitest';
import { type AwaitedTool, Media, MemoryFiles, MemoryHistory, runTurn, tool } from '@chatd/loop';
import { ManualClock } from '@chatd/loop/testing';
import { z } from 'zod';
import { asked, partsOf, textOf, user, Watch } from './support/chat.ts';
import { png } from './support/images.ts';
import {
  called,
  calls,
  finish,
  said,
  says,
  scriptedModel,
  usage,
} from './support/scripted-model.ts';
import { counted } from './support/tools.ts';

test('the calls of a response run in parallel; their results are published in call order and keep their own times', async () => {
  const clock = new ManualClock();
  const watch = new Watch();
  const first = Promise.withResolvers<string>();
  const started = Promise.withResolvers<void>();
  const slow = counted('slow', () => first.promise);
  const quick = counted('quick', () => {
    started.resolve();
    return 'quick';
  });
  const history = asked();
  const model = scriptedModel([
    calls(called('slow', {}, 'a'), called('quick', {}, 'b')),
    says('ok'),
  ]);
  const turn = runTurn({ model, history, clock, tools: [slow, quick], publish: watch.publish });
  await started.promise;
  await new Promise(setImmediate);
  clock.advance(3000);
  const results = () => watch.parts.filter((part) => part.type === 'tool-result');
  expect(results()).toEqual([]);
  first.resolve('slow');
  await turn;
  expect(results().map((part) => part.result)).toEqual(['slow', 'quick']);
  const [a, b] = partsOf(history.messages, 'tool-result');
  expect([a?.tool_call_id, b?.tool_call_id]).toEqual(['a', 'b']);
  expect(Date.parse(a?.created_at ?? '') - Date.parse(b?.created_at ?? '')).toBe(3000);
  expect(history.messages.filter((m) => m.role === 'tool')).toHaveLength(1);
});

test('a result is published as soon as the results before it are published', async () => {
  const watch = new Watch();
  const last = Promise.withResolvers<string>();
  const model = scriptedModel([
    calls(called('now', {}, 'a'), called('later', {}, 'b')),
    says('ok'),
  ]);
  const tools = [counted('now', () => 'now'), counted('later', () => last.promise)];
  const turn = runTurn({ model, history: asked(), tools, publish: watch.publish });
  await watch.until(
    (e) => e.type === 'part' && e.part.type === 'tool-result' && e.part.result === 'now',
  );
  last.resolve('later');
  await turn;
});

test.each([
  ['a throwing tool', 'boom', '{}', 'it broke'],
  ['an unknown tool', 'nope', '{}', 'Tool not found: nope'],
  [
    'arguments that are not JSON',
    'strict',
    '{"path": ',
    'The tool was not run, because its arguments are not valid JSON: {"path":',
  ],
  [
    'arguments that do not match the schema',
    'strict',
    '{"path": 1}',
    'The tool was not run, because its arguments are invalid: path: ',
  ],
])('%s leads to an error result and does not end the turn', async (_, name, input, expected) => {
  let ran = false;
  const strict = tool({
    name: 'strict',
    input: z.object({ path: z.string() }),
    idempotent: true,
    run() {
      ran = true;
      return 'ran';
    },
  });
  const boom = counted('boom', () => {
    throw new Error('it broke');
  });
  const history = asked();
  const model = scriptedModel([calls(called(name, input, 'c')), says('I see')]);
  expect(await runTurn({ model, history, tools: [strict, boom] })).toEqual({ type: 'finished' });
  const [result] = partsOf(history.messages, 'tool-result');
  expect(result).toMatchObject({ is_error: true, result: expect.stringContaining(expected) });
  expect(ran).toBe(false);
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    role: 'tool',
    content: [{ toolCallId: 'c', output: { type: 'error-text' } }],
  });
});

test('an image is stored as a file and sent back as an image together with the text', async () => {
  const files = new MemoryFiles();
  const history = asked();
  const data = png();
  const shot = counted('shot', () => new Media([{ data, media_type: 'image/png' }], 'the screen'));
  const model = scriptedModel([calls(called('shot', {}, 'c')), says('nice')], {
    provider: 'anthropic.messages',
  });
  await runTurn({ model, history, files, tools: [shot] });
  const [result] = partsOf(history.messages, 'tool-result');
  expect(result).toMatchObject({
    result: 'the screen',
    is_media: true,
    file_ids: [expect.any(String)],
  });
  expect(JSON.stringify(history.messages)).not.toContain(Buffer.from(data).toString('base64'));
  expect(await files.load(result?.file_ids?.[0] ?? '')).toMatchObject({
    data,
    media_type: 'image/png',
  });
  expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
    content: [
      {
        output: {
          type: 'content',
          value: [
            { type: 'text', text: 'the screen' },
            { type: 'file', mediaType: 'image/png', data: { data: data.toString('base64') } },
          ],
        },
      },
    ],
  });
});

test('a provider without images in tool messages gets them in a user message', async () => {
  const shot = counted('shot', () => new Media([{ data: png(), media_type: 'image/png' }], 'it'));
  const model = scriptedModel([calls(called('shot', {}, 'c')), says('nice')]);
  await runTurn({ model, history: asked(), tools: [shot] });
  const [, , results, images] = model.calls[1]?.prompt ?? [];
  expect(results).toMatchObject({
    role: 'tool',
    content: [{ output: { type: 'text', value: 'it' } }],
  });
  expect(images).toMatchObject({
    role: 'user',
    content: [{ type: 'text' }, { type: 'file', mediaType: 'image/png' }],
  });
});

test('a long-running tool publishes its output while it runs', async () => {
  const watch = new Watch();
  const build = counted('build', (_, context) => {
    context.publish('compiling\n');
    context.publish('linking\n');
    return 'built';
  });
  const model = scriptedModel([calls(called('build', {}, 'c')), says('ok')]);
  await runTurn({ model, history: asked(), tools: [build], publish: watch.publish });
  expect(
    watch.parts.filter((p) => p.type === 'tool-result').map((p) => p.result_delta ?? p.result),
  ).toEqual(['compiling\n', 'linking\n', 'built']);
});

test('a result is truncated to the budget of the context', async () => {
  const long = counted('long', () => 'x'.repeat(100_000));
  const history = asked();
  const model = scriptedModel([calls(called('long', {}, 'c')), says('ok')]);
  await runTurn({ model, history, tools: [long], settings: { context_limit: 30_000 } });
  const [result] = partsOf(history.messages, 'tool-result');
  expect(result?.result).toMatch(
    /^x{20000}\n\[… 70000 of 100000 bytes were cut here …\]\nx{10000}$/,
  );
});

test('provider-executed calls do not run locally, and their results stay in the response', async () => {
  const search = counted('web_search');
  const history = asked();
  const model = scriptedModel([
    [
      { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
      {
        type: 'tool-call',
        toolCallId: 's',
        toolName: 'web_search',
        input: '{"query":"x"}',
        providerExecuted: true,
      },
      {
        type: 'tool-result',
        toolCallId: 's',
        toolName: 'web_search',
        result: [{ url: 'https://x' }],
        providerMetadata: { anthropic: { kept: 1 } },
      },
      { type: 'source', sourceType: 'url', id: 'u', url: 'https://x', title: 'X' },
      ...said('found'),
      finish('stop'),
    ],
  ]);
  const watch = new Watch();
  await runTurn({ model, history, tools: [search], publish: watch.publish });
  expect(watch.parts.map((p) => [p.role, p.type])).toEqual([
    ['assistant', 'tool-call'],
    ['assistant', 'tool-result'],
    ['assistant', 'source'],
    ['assistant', 'text'],
  ]);
  expect(JSON.stringify(watch.parts)).not.toContain('kept');
  expect(search.runs).toEqual([]);
  expect(history.messages).toHaveLength(2);
  expect(history.messages[1]?.content.map((p) => p.type)).toEqual([
    'tool-call',
    'tool-result',
    'source',
    'text',
  ]);
  expect(history.messages[1]?.content[1]).toMatchObject({
    provider_executed: true,
    provider_metadata: { anthropic: { kept: 1 } },
  });
});

test('a provider tool with a local runner sends its definition to the provider and runs its calls locally', async () => {
  const runs: unknown[] = [];
  const computer = {
    provider: {
      id: 'anthropic.computer_20250124',
      name: 'computer',
      args: { displayWidthPx: 800 },
    } as const,
    runner: { idempotent: false, run: (args: unknown) => void runs.push(args) },
  };
  const model = scriptedModel([
    calls(called('computer', { action: 'screenshot' }, 'c')),
    says('ok'),
  ]);
  await runTurn({ model, history: asked(), tools: [computer], activeTools: [] });
  expect(model.calls[0]?.tools).toEqual([{ type: 'provider', ...computer.provider }]);
  expect(runs).toEqual([{ action: 'screenshot' }]);
});

const dynamic: AwaitedTool = {
  name: 'slack',
  description: 'posts',
  input: { type: 'object' },
  answeredBy: 'client',
};

test('if a response has dynamic calls, the built-in ones run and are committed before the chat waits', async () => {
  const local = counted('local');
  const history = asked();
  const model = scriptedModel([
    calls(called('slack', { to: 'me' }, 'd'), called('local', {}, 'l')),
    says('posted'),
  ]);
  const options = { model, history, tools: [local, dynamic] };
  expect(await runTurn(options)).toEqual({
    type: 'requires_action',
    calls: [{ tool_call_id: 'd', tool_name: 'slack', args: { to: 'me' }, kind: 'dynamic' }],
  });
  expect(history.status).toBe('requires_action');
  expect(partsOf(history.messages, 'tool-result').map((r) => r.tool_call_id)).toEqual(['l']);

  history.answer([{ tool_call_id: 'd', result: 'sent' }]);
  expect(await runTurn(options)).toEqual({ type: 'finished' });
  expect(textOf(history.messages)).toBe('posted');
  expect(local.runs).toHaveLength(1);
});

test('a call that needs approval waits, runs if allowed, and gets an error result if denied', async () => {
  const rm = counted('rm', () => 'gone', false);
  const history = asked();
  const model = scriptedModel([
    calls(called('rm', { n: 1 }, 'a'), called('rm', { n: 2 }, 'b')),
    says('ok'),
  ]);
  const options = { model, history, tools: [rm], approval: () => 'ask' as const };
  expect(await runTurn(options)).toMatchObject({
    type: 'requires_action',
    calls: [{ kind: 'approval' }, { kind: 'approval' }],
  });
  expect(rm.runs).toEqual([]);
  history.approve({ a: 'allow', b: 'deny' });
  // Another process may continue: a call that waited for approval has not started.
  history.takeOver();
  await runTurn(options);
  expect(rm.runs).toEqual([{ n: 1 }]);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'a', result: 'gone', started_at: expect.any(String) },
    { tool_call_id: 'b', is_error: true, result: expect.stringContaining('denied') },
  ]);
});

test('a call that the policy denies never runs', async () => {
  const rm = counted('rm');
  const history = asked();
  const model = scriptedModel([calls(called('rm', {}, 'a')), says('ok')]);
  await runTurn({ model, history, tools: [rm], approval: () => 'deny' });
  expect(rm.runs).toEqual([]);
});

test('after a crash in the tool phase, idempotent calls run again and the others have an unknown outcome', async () => {
  const response = {
    role: 'assistant' as const,
    content: [
      { type: 'tool-call' as const, tool_call_id: 'r', tool_name: 'read', args: {} },
      { type: 'tool-call' as const, tool_call_id: 'w', tool_name: 'write', args: {} },
    ],
    meta: { finish_reason: 'tool-calls' as const, starts: ['r', 'w'] },
  };
  const history = new MemoryHistory([user('go'), response]);
  const read = counted('read', () => 'read', true);
  const write = counted('write', () => 'written', false);
  await runTurn({ model: scriptedModel([says('ok')]), history, tools: [read, write] });
  expect(read.runs).toHaveLength(1);
  expect(write.runs).toHaveLength(0);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'r', result: 'read' },
    {
      tool_call_id: 'w',
      is_error: true,
      result: expect.stringContaining('outcome of this call is unknown'),
    },
  ]);
});

test('the loop never runs dynamic calls, not even after a crash', async () => {
  const response = {
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, tool_call_id: 'd', tool_name: 'slack', args: {} }],
    meta: { finish_reason: 'tool-calls' as const, starts: ['d'] },
  };
  const history = new MemoryHistory([user('go'), response]);
  expect(await runTurn({ model: scriptedModel([]), history, tools: [dynamic] })).toMatchObject({
    type: 'requires_action',
  });
});

test('only active tools are offered, with schemas that every provider accepts', async () => {
  const model = scriptedModel([says('ok')]);
  const odd = {
    ...counted('mcp.search'),
    input: { type: 'object', required: null, properties: { q: { type: 'string' } } },
  };
  await runTurn({
    model,
    history: asked(),
    tools: [odd, counted('write_file')],
    activeTools: ['mcp.search'],
  });
  expect(model.calls[0]?.tools).toEqual([
    {
      type: 'function',
      name: 'mcp_search',
      description: 'test tool mcp.search',
      inputSchema: { type: 'object', properties: { q: { type: 'string' } } },
    },
  ]);
});

test('the offered tools can depend on the committed messages', async () => {
  const tools = [counted('find', () => 'write_file'), counted('write_file')];
  const model = scriptedModel([calls(called('find', {}, 'a')), says('ok')]);
  await runTurn({
    model,
    history: asked(),
    tools,
    activeTools: (messages) => [
      'find',
      ...partsOf(messages, 'tool-result').map((r) => r.result as string),
    ],
  });
  const offered = model.calls.map(({ tools: given = [] }) => given.map(({ name }) => name));
  expect(offered).toEqual([['find'], ['find', 'write_file']]);
});

test('the legal name in a call is mapped back to the tool', async () => {
  const history = asked();
  const odd = counted('mcp.search', () => 'hit');
  const model = scriptedModel([calls(called('mcp_search', {}, 'c')), says('ok', usage())]);
  await runTurn({ model, history, tools: [odd] });
  expect(odd.runs).toHaveLength(1);
  expect(partsOf(history.messages, 'tool-call')[0]?.tool_name).toBe('mcp.search');
  expect(model.calls[1]?.prompt[1]).toMatchObject({ content: [{ toolName: 'mcp_search' }] });
});

test('an approval does not apply to a later call with the same id', async () => {
  const rm = counted('rm', () => 'gone', false);
  const history = asked();
  const model = scriptedModel([
    calls(called('rm', { n: 1 }, 'call_0')),
    calls(called('rm', { n: 2 }, 'call_0')),
  ]);
  const options = { model, history, tools: [rm], approval: () => 'ask' as const };
  await runTurn(options);
  history.approve({ call_0: 'allow' });
  expect(await runTurn(options)).toMatchObject({
    type: 'requires_action',
    calls: [{ tool_call_id: 'call_0-2', args: { n: 2 } }],
  });
  expect(rm.runs).toEqual([{ n: 1 }]);
});

test('a call that a dead owner started does not affect a later call with the same id', async () => {
  const response = {
    role: 'assistant' as const,
    content: [{ type: 'tool-call' as const, tool_call_id: 'call_0', tool_name: 'rm', args: {} }],
    meta: { finish_reason: 'tool-calls' as const, starts: ['call_0'] },
  };
  const history = new MemoryHistory([user('go'), response]);
  const rm = counted('rm', () => 'gone', false);
  const model = scriptedModel([calls(called('rm', {}, 'call_0')), says('ok')]);
  await runTurn({ model, history, tools: [rm] });
  expect(rm.runs).toHaveLength(1);
});

test('an approved call that had started when its owner died does not start again', async () => {
  const history = asked();
  const rm = counted('rm', () => Promise.reject(new Error('never read')), false);
  const model = scriptedModel([calls(called('rm', {}, 'a')), says('ok')]);
  const options = { model, history, tools: [rm], approval: () => 'ask' as const };
  await runTurn(options);
  history.approve({ a: 'allow' });
  const commit = history.commit.bind(history);
  history.commit = () => Promise.reject(new Error('died'));
  await expect(runTurn(options)).rejects.toThrow('died');
  history.commit = commit;
  history.takeOver();
  await runTurn(options);
  expect(rm.runs).toHaveLength(1);
  expect(partsOf(history.messages, 'tool-result')).toMatchObject([
    { tool_call_id: 'a', is_error: true, result: expect.stringContaining('unknown') },
  ]);
});

test('the provider metadata of a call is sent back with the call and its result', async () => {
  const providerMetadata = { fake: { signature: 's' } };
  const model = scriptedModel([
    [
      { type: 'tool-call', toolCallId: 'c', toolName: 't', input: '{}', providerMetadata },
      finish('tool-calls'),
    ],
    says('ok'),
  ]);
  await runTurn({ model, history: asked(), tools: [counted('t')] });
  expect(model.calls[1]?.prompt.slice(1)).toMatchObject([
    { role: 'assistant', content: [{ toolCallId: 'c', providerOptions: providerMetadata }] },
    { role: 'tool', content: [{ toolCallId: 'c', providerOptions: providerMetadata }] },
  ]);
});

test('a call with an id of an earlier response gets a new id', async () => {
  const add = counted('add');
  const model = scriptedModel([
    calls(called('add', {}, 'call:0')),
    says('one'),
    calls(called('add', {}, 'call:0')),
    says('two'),
  ]);
  const history = asked();
  await runTurn({ model, history, tools: [add] });
  history.send('again');
  await runTurn({ model, history, tools: [add] });
  const ids = partsOf(history.messages, 'tool-call').map((call) => call.tool_call_id);
  expect(ids).toEqual(['call:0', 'call:0-2']);
  expect(partsOf(history.messages, 'tool-result').map((part) => part.tool_call_id)).toEqual(ids);
});
